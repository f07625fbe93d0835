internal import MessageStoreLMDB
package import MessageStoreSealing

/// The readable part of a log whose files are damaged: records by their checksums, names by theirs or by their numbers.
///
/// The data file is read page by page and never mapped, so neither trees nor meta pages need be whole. Holds about 32
/// bytes of memory for each version of a record that is found.
package struct LogSalvage {
    /// The place where a record was found.
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

        /// Whether this version of the position is to be preferred: a redacted one first, then one that the trees hold,
        /// then the last recorded one.
        func wins(over other: Found) -> Bool {
            if isCertainlyRedacted != other.isCertainlyRedacted { return isCertainlyRedacted }
            if standing != other.standing { return standing > other.standing }
            return recordedTime > other.recordedTime
        }
    }

    let file: PageSalvage
    /// Opens sealed values; nil if the log is clear.
    private let seals: SealSalvage?
    /// The content of the journal, committed or not.
    let journal: JournalContent
    /// The best version of each position that was found, by position.
    let records: [Found]
    var names = SalvagedNames()
    /// How far subscribers had come, by their names.
    private(set) var subscriptions: [String: Position] = [:]
    /// The cut, as far as it can be read.
    private(set) var cut = LogCut(cause: .origin)
    /// The last position, by the data file's counts of records and of positions that were cut off; nil if they cannot be read.
    private let last: UInt64?
    /// Positions of records and frames that have their checksum and another seal.
    private let forged: Set<Position>

    /// Reads the data file and the journal in a directory.
    ///
    /// - Parameters:
    ///   - storeID: The store's id, where it is known from elsewhere than from the log.
    ///   - key: The key of a sealed log.
    ///   - progress: Called now and then with the number of pages read, and of all; of a sealed log, all are read twice.
    /// - Throws: `FileError`, `LMDBError`, ``StoreError`` with code `logDamaged` where nothing of a log is found,
    ///   `keyUnavailable` where nothing but sealed values is found without a key.
    package init(
        directory: String, storeID: [UInt8]?, key: SecretKey? = nil,
        progress: (_ page: Int, _ pages: Int) throws -> Void
    ) throws {
        let path = directory + "/data.mdb"
        file = try PageSalvage(path: path)
        seals = try key.map { [file] in
            try SealSalvage(of: file, key: $0, forms: LogTables.sealedForms, progress: progress)
        }
        var found: [Found] = []
        var names = SalvagedNames()
        var subscriptions: [String: Position] = [:]
        var cut = LogCut(cause: .origin)
        // A version on a free page may be one from before an erasure.
        var (hasErased, needsKey) = (false, false)
        try file.forEachEntry(openedBy: seals, progress: progress) { key, value, place, standing, isOpen in
            if isOpen, let record = RecordView(value), key.byteCount == 8, record.isIntact(at: record.position),
                key.loadBigEndian(at: 0, as: UInt64.self) == record.position.rawValue || standing > .doubtful
            {
                found.append(Found(record, .page(place), standing))
                names.note(record)
            } else if standing == .doubtful || cut.note(key, value) {
                return
            } else if key.byteCount == 8, (try? OwedErasure(value)) != nil {
                hasErased = true
            } else if !isOpen || SealSalvage.isRowOfKey(key, value) {
                // Names and subscribers of a sealed log are sealed.
                needsKey = isOpen
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
        // Without it, bytes that somebody wrote into a message could pass for a frame.
        let frameKey = key.map(JournalFrame.key)
        journal =
            storeID.flatMap { try? JournalContent(in: directory, storeID: $0, sealedBy: frameKey) } ?? JournalContent()
        for (frame, content) in journal.frames.enumerated() {
            for index in 0..<content.events.batch.count {
                if let record = RecordView(RawSpan(_unsafeBytes: content.events.batch.bytes(at: index))) {
                    found.append(Found(record, .journal(frame: frame, index: index), .live))
                    names.note(record)
                }
            }
            for symbol in content.events.symbols { names.note(symbol) }
        }
        guard !found.isEmpty || !needsKey else {
            throw StoreError(.keyUnavailable, "the log is sealed, and no key is given", path: path)
        }
        guard !found.isEmpty || !names.isEmpty else {
            throw StoreError(.logDamaged, "nothing of a log can be found in the file", path: path)
        }
        if hasErased || found.contains(where: \.isCertainlyRedacted) { found.removeAll { $0.standing == .free } }
        records = Self.best(found, cut)
        names.forgetImplausible(events: records.count)
        let forgedRecords = (seals?.forgedKeys ?? []).map { $0.span.bytes.loadBigEndian(at: 0, as: UInt64.self) }
        forged = Set((forgedRecords.map { $0.map { Position($0) } } + [journal.unopened?.position]).compactMap(\.self))
        self.names = names
        self.subscriptions = subscriptions
        last = file.entryCount(of: "records").map { [cut] in $0 &+ UInt64(cut.positions.count) }
        cut.limit(to: Position(records.last?.position ?? 0))
        self.cut = cut
    }

    /// One version of each position, in order.
    private static func best(_ found: [Found], _ cut: LogCut) -> [Found] {
        var best: [Found] = []
        let sorted = found.ordered { first, second in
            first.position != second.position ? first.position < second.position : first.wins(over: second)
        }
        for record in sorted where record.position != best.last?.position { best.append(record) }
        // Beyond the last that is certain, only what somebody wrote into a message may look like records; and no log
        // has lost a hundred times as many as it still has, but for records that were cut off.
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

extension LogSalvage {
    /// The account that the log belongs to, where the log can still prove it.
    package var account: UserID? {
        names.proven(.user, 1).map { UserID(String(decoding: $0, as: UTF8.self)) }
    }

    /// Bytes of records that share a commit.
    private static let bytesPerCommit = 4 << 20

    /// Writes what was found to a new, empty log.
    ///
    /// Records are the same bytes at the same positions, and symbols keep their numbers.
    package func write(to log: EventLog, account: UserID, storeID: [UInt8]?) throws -> SalvageReport {
        var summary = SalvageReport(account: account)
        var highest: [SymbolSpace: UInt32] = [.user: 1]
        var chatRooms: Set<UInt32> = []
        var gaps = LostRecords(account: account, symbols: log.symbols)
        let tables = log.storage.tables
        var (batch, byteCount, end): ([SalvagedRecord], Int, UInt64) = ([], 0, 0)
        for found in records {
            let bytes = try bytes(of: found)
            guard let record = RecordView(bytes.span.bytes), record.isIntact(at: Position(found.position)) else {
                throw StoreError(.logDamaged, "the file changed while it was read", position: Position(found.position))
            }
            guard names.isPlausible(record), !cut.positions.contains(record.position) else { continue }
            let lost = try gaps.fill(before: record, except: cut.positions)
            batch += lost
            batch.append((found.position, bytes))
            byteCount += lost.reduce(bytes.count) { $0 + $1.bytes.count }
            summary.kept += 1
            if found.standing < .live { summary.repaired += 1 }
            record.forEachSymbolNumber { highest[$0] = max(highest[$0] ?? 0, $1) }
            if EventCatalog.scopes[record.type]?.scope == .chatRoom { chatRooms.insert(record.conversation) }
            end = found.position
            guard byteCount >= Self.bytesPerCommit else { continue }
            try tables.put(batch)
            (batch, byteCount) = ([], 0)
        }
        try tables.put(batch)
        summary.lost = gaps.positions.ranges
        summary.lostAtEnd = last.map { Int(clamping: $0 - min($0, end)) }
        summary.forged = forged.filter { $0.rawValue > end || gaps.positions.contains($0) }.sorted()
        if !cut.identities.isEmpty || cut.positions.count > 0 { try tables.writeCut(cut.gaps, cut.identities) }
        var names = names
        names.set(account)
        for space in SymbolSpace.ofRecords {
            let all = names.complete(space, upTo: highest[space] ?? 0, chatRooms: chatRooms)
            try tables.write(all.map { $0.symbol })
            summary.replacedNames += all.filter { $0.isReplaced }.map { .init($0.symbol) }
        }
        let store = storeID.map { [PendingSymbols.Entry(space: .store, number: 1, bytes: $0)] }
        try tables.write(names.all(.hostEvent) + names.all(.erased) + (store ?? []))
        for (name, position) in subscriptions {
            try log.setSubscriptionPosition(Position(min(position.rawValue, end)), of: name)
        }
        return summary
    }

    private func bytes(of found: Found) throws -> [UInt8] {
        switch found.place {
        case .page(let place): try file.read(place, openedBy: seals)
        case .journal(let frame, let index): Array(journal.frames[frame].events.batch.bytes(at: index))
        }
    }
}

extension LogSalvage {
    /// The store's id, which frames of a journal have in clear; nil if there is no whole frame.
    package static func storeID(ofJournalIn directory: String) -> [UInt8]? {
        Journal.fileNames.lazy.compactMap { name in
            let file = try? FileSystem.read(directory + "/" + name, limit: Journal.greatestBytes)
            return file.flatMap { JournalFrame.wholeHeader($0.span.bytes)?.storeID }
        }.first
    }
}

extension SealSalvage {
    /// Opens an entry of a log. A record is the one of the position that it names, since its key may be damaged.
    fileprivate func row(_ value: RawSpan, of key: RawSpan) -> (key: [UInt8], value: [UInt8])? {
        guard value.byteCount >= RecordLayout.headerSize else { return open(value, of: key) }
        let record = RecordView(wellFormed: value)
        guard record.isIntact(at: record.position) else { return open(value, of: key) }
        return withUnsafeBytes(of: record.position.rawValue.bigEndian) { open(value, of: RawSpan(_unsafeBytes: $0)) }
    }
}

extension PageSalvage {
    /// Calls `body` with every entry, and whether it is open: in a clear log all are.
    fileprivate func forEachEntry(
        openedBy seals: SealSalvage?, progress: (_ page: Int, _ pages: Int) throws -> Void,
        _ body: (_ key: RawSpan, _ value: RawSpan, _ place: Place, _ standing: Standing, _ isOpen: Bool) throws -> Void
    ) throws {
        try forEachEntry(progress: progress) { key, value, place, standing in
            guard let row = seals?.row(value, of: key) else {
                return try body(key, value, place, standing, seals == nil)
            }
            try body(row.key.span.bytes, row.value.span.bytes, place, standing, true)
        }
    }

    /// The bytes of a record at a place, open; none if they cannot be opened any more.
    fileprivate func read(_ place: Place, openedBy seals: SealSalvage?) throws -> [UInt8] {
        let bytes = try read(place)
        guard let seals else { return bytes }
        return seals.row(bytes.span.bytes, of: RawSpan())?.value ?? []
    }
}

/// A record for a new log.
typealias SalvagedRecord = (position: UInt64, bytes: [UInt8])

extension LogTables {
    /// Puts records after the present ones in one commit.
    fileprivate func put(_ batch: [SalvagedRecord]) throws {
        try environment.write { transaction in
            var end = try transaction.cursor(in: records)
            var last = try end.move(.last) ? RecordView(end.value)?.clockTime : nil
            for (position, bytes) in batch {
                if let record = RecordView(bytes.span.bytes) {
                    if let last, record.clockTime < last {
                        try add(ClockFall(record).bytes, to: .clock, in: transaction)
                    }
                    last = record.clockTime
                }
                try transaction.put(bytes.span.bytes, for: position, in: records, mode: .append)
            }
        }
    }
}

extension SalvageReport.ReplacedName {
    fileprivate init(_ symbol: PendingSymbols.Entry) {
        let key = symbol.space == .conversation ? ConversationKey(symbolBytes: symbol.bytes)?.description ?? "" : nil
        self.init(kind: "\(symbol.space)", name: key ?? String(decoding: symbol.bytes, as: UTF8.self))
    }
}

/// Makes the records that take the place of lost ones.
struct LostRecords: ~Copyable {
    private var encoder: RecordEncoder
    /// The last position and its time.
    private var last = (position: UInt64(0), time: Timestamp.unknown)
    /// The positions of the lost ones.
    private(set) var positions = PositionSet()

    init(account: UserID, symbols: SymbolTable) {
        encoder = RecordEncoder(account: account, symbols: symbols)
    }

    /// The records that lead from the last one to `next`.
    ///
    /// Records that `next` says were of its own commit are, and have its time; the others are a commit of their own, at
    /// the time of the record before them.
    ///
    /// - Parameter cut: Positions at which nothing was lost.
    mutating func fill(before next: RecordView, except cut: PositionSet) throws -> [SalvagedRecord] {
        let gap = (last.position + 1..<next.position.rawValue).filter { !cut.contains(Position($0)) }
        // Times never fall; a record from a page that is not live may say otherwise.
        let nextTime = max(next.recordedTime, last.time)
        let commit = next.position.rawValue - min(UInt64(next.commitIndex), next.position.rawValue - 1)
        let lost = try gap.map { position in
            positions.insert(Position(position))
            let isInNext = position >= commit
            var writer = ByteWriter()
            _ = try encoder.encode(
                Event(RecordLost()),
                at: .init(
                    position: Position(position),
                    commitIndex: UInt32(clamping: position - (isInNext ? commit : gap[0])),
                    recordedTime: isInNext ? nextTime : last.time),
                into: &writer)
            RecordEncoder.seal(from: 0, in: &writer)
            return (position, writer.bytes.copied)
        }
        last = (next.position.rawValue, nextTime)
        return lost
    }
}

extension RecordView {
    /// Calls `body` with every number of a symbol that the record names, in its envelope and in its fields.
    func forEachSymbolNumber(_ body: (SymbolSpace, UInt32) -> Void) {
        for (space, number) in [
            (SymbolSpace.conversation, conversation), (.user, actor), (.contentType, contentType),
        ] where number != 0 {
            body(space, number)
        }
        // Hosts' events name users and conversations in full.
        guard let entry = catalogEntry else { return }
        var reader = fields
        while let field = reader.next() {
            guard
                let declared = entry.fields.first(where: { $0.part == .fields && $0.numbers.contains(field.id) })?.type
            else { continue }
            switch declared.kind {
            case .user: Self.numbers(of: field, declared) { body(.user, $0) }
            case .conversation: Self.numbers(of: field, declared) { body(.conversation, $0) }
            // Profiles, teams and contacts begin with whose they are.
            case .group where type == .profilesFetched || type == .teamInfoFetched || type == .contactsReceived:
                if let number = FieldReader(field.bytes).firstNumber(1) {
                    body(type == .teamInfoFetched ? .conversation : .user, UInt32(truncatingIfNeeded: number))
                }
            case .group
            where field.id == MessageSnapshotReceived.Fields.reactions.number && type == .messageSnapshotReceived:
                for user in FieldReader(field.bytes).firstPacked(ReactionSummary.users.number) ?? [] {
                    body(.user, user)
                }
            default: break
            }
        }
    }

    private static func numbers(of field: FieldReader.Field, _ type: FieldType, _ body: (UInt32) -> Void) {
        if type.isList { field.packed.forEach(body) } else { body(UInt32(truncatingIfNeeded: field.number)) }
    }
}
