internal import MessageStoreLMDB

/// The readable part of a log whose files are damaged: records by their checksums, names by theirs or by their numbers.
///
/// The data file is read page by page and never mapped, so neither trees nor meta pages need be whole. Holds about 32
/// bytes of memory for each version of a record that is found.
package struct LogSalvage {
    /// Where a record was found.
    enum Place {
        case page(PageSalvage.Place)
        case journal(frame: Int, index: Int)
    }

    /// A record that was found.
    struct Found {
        let position: UInt64
        let place: Place
        let standing: PageSalvage.Standing
        let isRedacted: Bool
        let recordedTime: Int64

        var isCertainlyRedacted: Bool { isRedacted && standing > .doubtful }

        /// Whether this version of the position is to be preferred: what was redacted stays redacted, then what the
        /// trees hold, then what was recorded last.
        func wins(over other: Found) -> Bool {
            if isCertainlyRedacted != other.isCertainlyRedacted { return isCertainlyRedacted }
            if standing != other.standing { return standing > other.standing }
            return recordedTime > other.recordedTime
        }
    }

    let file: PageSalvage
    /// The content of the journal, committed or not.
    let journal: JournalContent
    /// The best version of each position that was found, by position.
    let records: [Found]
    var names = SalvagedNames()
    /// How far subscribers had come, by their names.
    private(set) var subscriptions: [String: Position] = [:]
    /// What was cut off, as far as it can be read.
    private(set) var cut = SalvagedCut()

    /// Reads the data file and the journal in a directory.
    ///
    /// - Parameters:
    ///   - storeID: The store's id, where it is known from elsewhere than from the log.
    ///   - progress: Called now and then with the number of pages read, and of all.
    /// - Throws: `FileError`, `LMDBError`, ``StoreError`` with code `logDamaged` where nothing of a log is found.
    package init(directory: String, storeID: [UInt8]?, progress: (_ page: Int, _ pages: Int) throws -> Void) throws {
        let path = directory + "/data.mdb"
        file = try PageSalvage(path: path)
        var found: [Found] = []
        var names = SalvagedNames()
        var subscriptions: [String: Position] = [:]
        var cut = SalvagedCut()
        // A version on a free page may be one from before an erasure.
        var hasErased = false
        try file.forEachEntry(progress: progress) { key, value, place, standing in
            if let record = RecordView(value), key.byteCount == 8, record.isIntact(at: record.position),
                key.loadBigEndian(at: 0, as: UInt64.self) == record.position.rawValue || standing > .doubtful
            {
                found.append(Found(record, .page(place), standing))
                names.note(record)
            } else if standing == .doubtful || cut.note(key, value) {
                return
            } else if key.byteCount == 8, (try? OwedErasure(value)) != nil {
                hasErased = true
            } else if value.byteCount == 8, (1...255).contains(key.byteCount),
                let number = value.loadBigEndian(at: 0, as: UInt64.self)
            {
                // Of two versions the lesser one only makes events come again.
                let name = key.string
                subscriptions[name] = min(subscriptions[name] ?? Position(number), Position(number))
            } else {
                names.note(key, value, standing)
            }
        }
        let storeID = names.proven(.store, 1) ?? storeID
        // Without it, what somebody wrote into a message could pass for a frame.
        journal = storeID.flatMap { try? JournalContent(in: directory, storeID: $0) } ?? JournalContent()
        for (frame, content) in journal.frames.enumerated() {
            for index in 0..<content.events.batch.count {
                if let record = RecordView(RawSpan(_unsafeBytes: content.events.batch.bytes(at: index))) {
                    found.append(Found(record, .journal(frame: frame, index: index), .live))
                    names.note(record)
                }
            }
            for symbol in content.events.symbols { names.note(symbol) }
        }
        guard !found.isEmpty || !names.isEmpty else {
            throw StoreError(.logDamaged, "nothing of a log can be found in the file", path: path)
        }
        if hasErased || found.contains(where: \.isCertainlyRedacted) { found.removeAll { $0.standing == .free } }
        records = Self.best(found, cut)
        names.forgetImplausible(events: records.count)
        self.names = names
        self.subscriptions = subscriptions
        cut.limit(to: Position(records.last?.position ?? 0))
        self.cut = cut
    }

    /// One version of each position, in order.
    private static func best(_ found: [Found], _ cut: SalvagedCut) -> [Found] {
        var best: [Found] = []
        let sorted = found.ordered { first, second in
            first.position != second.position ? first.position < second.position : first.wins(over: second)
        }
        for record in sorted where record.position != best.last?.position { best.append(record) }
        // Beyond the last that is certain, only what somebody wrote into a message may look like records; and no log
        // has lost a hundred times as many as it still has, but for those that were cut off.
        let certain = best.last { $0.standing > .doubtful }?.position ?? 0
        let limit = min(certain, UInt64(best.count) * 100 + 1 << 20 + UInt64(cut.positions.count))
        while let last = best.last, last.position > limit { best.removeLast() }
        return best
    }
}

extension LogSalvage.Found {
    init(_ record: RecordView, _ place: LogSalvage.Place, _ standing: PageSalvage.Standing) {
        self.init(
            position: record.position.rawValue, place: place, standing: standing,
            isRedacted: record.flags.contains(.isRedacted), recordedTime: record.recordedTime.milliseconds)
    }
}
