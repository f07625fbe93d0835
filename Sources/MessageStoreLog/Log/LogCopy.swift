internal import MessageStoreLMDB

/// A log's tables, copied entry by entry into an environment that never held anything else, while they are read and
/// written.
struct LogCopy {
    private let old: LogTables
    let new: LogTables
    /// The erasure of values that the copy never has.
    private let erasure: LedgerErasure?
    /// The records that the copy leaves out; nil for none.
    private let cut: LogCut?
    private var records = TableCopy()

    init(of old: LogTables, in new: LogTables, erasing erasure: LedgerErasure? = nil, cuttingOff cut: LogCut? = nil) {
        (self.old, self.new, self.erasure, self.cut) = (old, new, erasure, cut)
    }

    /// Copies the symbols, and the records that were not copied before, each verified.
    ///
    /// While events are recorded, a pause follows each step, so that those who record them have the processors and the
    /// medium most of the time.
    ///
    /// - Parameters:
    ///   - last: The log's last position now.
    ///   - progress: Called after each step with the position reached.
    mutating func copyMost(of last: () -> Position, _ progress: (Position) throws -> Void) throws {
        try makeTables()
        try writeCut()
        try old.environment.read { for space in SymbolSpace.ofRecords { try old.compareNames(of: space, in: $0) } }
        for (table, target) in [(old.names, new.names), (old.numbers, new.numbers)] {
            var entries = TableCopy()
            while try entries.step(of: table, in: old.environment, to: target, in: new.environment) {}
        }
        while true {
            let (before, start) = (last(), ContinuousClock.now)
            let hasMore = try step()
            try progress(reached)
            guard hasMore else { return }
            guard last() != before else { continue }
            let took = (ContinuousClock.now - start) / .milliseconds(1)
            FileSystem.pause(milliseconds: UInt32(min(Self.pauseOfStep * took, 200)))
        }
    }

    /// How many times as long as the step before it a pause is.
    private static let pauseOfStep = 3.0

    /// Copies the records that were added since.
    mutating func copyAdded() throws { while try step() {} }

    var reached: Position {
        Position(records.lastKey.span.bytes.loadBigEndian(at: 0, as: UInt64.self) ?? 0)
    }

    private func isLeftOut(_ key: RawSpan) -> Bool {
        guard let cut, let number = key.loadBigEndian(at: 0, as: UInt64.self) else { return false }
        return cut.positions.contains(Position(number))
    }

    /// Writes the gaps and identities of what was cut off before, and of what is cut off now.
    private func writeCut() throws {
        guard old.gaps != nil || cut != nil else { return }
        var (gaps, identities) = (cut?.gaps ?? [], cut?.identities ?? [])
        if let oldGaps = old.gaps, let oldIdentities = old.cutIdentities {
            try old.environment.read { transaction in
                try LogGap.forEach(in: oldGaps, transaction) { gaps.append($0) }
                try CutIdentities.forEach(in: oldIdentities, transaction) { identities.append($0) }
            }
        }
        try new.writeCut(gaps, identities)
    }

    /// The bytes in the place of a record; nil for one that stays.
    private func erased(_ key: RawSpan, _ value: RawSpan) throws -> [UInt8]? {
        let record = try LogSnapshot.verified(key, value)
        return erasure?.bytes(of: record)
    }

    private mutating func step() throws -> Bool {
        try records.step(
            of: old.records, in: old.environment, to: new.records, in: new.environment, leavingOut: isLeftOut,
            replacing: erased)
    }

    /// Makes the tables that not every log has, which takes a commit of its own.
    private func makeTables(for staged: some Sequence<PreparedAppend> = []) throws {
        if try old.subscriptionTable(create: false) != nil { _ = try new.subscriptionTable(create: true) }
        if try old.owedTable(create: false) != nil { _ = try new.owedTable(create: true) }
        try new.makeTables(for: staged)
    }

    /// Copies the rest of the log in one commit, as a snapshot has it.
    ///
    /// - Parameters:
    ///   - owed: The erasures owed when the copy began, which it is free of.
    ///   - changed: The positions of records that were changed since the copy began.
    mutating func finish(_ snapshot: borrowing LogSnapshot, owed: [OwedErasure.Row], changed: [Position]) throws {
        try makeTables(for: snapshot.staged)
        let before = records
        let committed = try snapshot.lastCommittedPosition()
        records = try new.environment.write { transaction in
            var records = before
            let tables = snapshot.tables
            while try records.step(
                of: tables.records, in: snapshot.transaction, to: new.records, in: transaction,
                leavingOut: isLeftOut, replacing: erased)
            {}
            for position in changed where cut?.positions.contains(position) != true {
                guard let record = try snapshot.record(at: position) else { continue }
                let bytes = erasure?.bytes(of: record) ?? record.bytes.copied
                try transaction.put(bytes.span.bytes, for: position.rawValue, in: new.records)
            }
            try new.copyNames(from: snapshot, in: transaction)
            try copy({ try $0.subscriptionTable(create: false) }, of: snapshot, in: transaction)
            try copy({ try $0.owedTable(create: false) }, of: snapshot, in: transaction) { key, value in
                // Of what was owed when the copy began, only files that others may still read have the bytes.
                var row = try OwedErasure.Row(key, value)
                guard row.erasure.state == .blanked, owed.contains(row) else { return nil }
                row.erasure.state = .compacted
                return row.erasure.bytes
            }
            // Their own rows follow the log's.
            for prepared in snapshot.staged {
                try new.write(prepared, after: committed, erasing: erasure, in: transaction)
            }
            return records
        }
        guard reached == committed else {
            throw StoreError(.logDamaged, "the copy ends at \(reached), and the log at \(committed)")
        }
    }

    /// Copies a table that not every log has.
    private func copy(
        _ table: (LogTables) throws -> Table?, of snapshot: borrowing LogSnapshot,
        in transaction: borrowing WriteTransaction,
        replacing replacement: (RawSpan, RawSpan) throws -> [UInt8]? = { _, _ in nil }
    ) throws {
        guard let from = try table(snapshot.tables), let to = try table(new) else { return }
        var entries = TableCopy()
        while try entries.step(of: from, in: snapshot.transaction, to: to, in: transaction, replacing: replacement) {}
    }
}

/// Folds a copy of a log; the result replaces the views of the log when the copy replaces the log.
package protocol CopyFold: AnyObject {
    /// Folds a copy up to its last position; called again whenever it has more.
    func fold(_ copy: EventLog) throws

    /// Writes the rows folded so far; few are folded after that.
    func write() throws

    /// Replaces the views; `body` replaces the log, and where it throws, nothing has changed.
    func exchange(with body: () throws -> Void) throws
}

extension EventLog {
    /// Writes the log anew next to its directory, without what its file holds of erased bytes, and puts that in its
    /// place, while it is read and appended to. One at a time.
    ///
    /// Records are copied in steps, with a snapshot each. The last of them, and the exchange of the directories, hold
    /// the locks of those who append. A crash leaves the old log or the new one.
    ///
    /// - Parameters:
    ///   - cut: Records that are left out; nil for none.
    ///   - fold: The fold that is made of the copy meanwhile; nil for nothing.
    ///   - seal: The key of the new log, and its file; nil for those of the old one.
    ///   - alone: Runs its body while nothing is appended and no subscriber's position is set.
    ///   - progress: Called now and then with the position reached and the last; its error ends the work and leaves
    ///     everything as it was.
    /// - Throws: ``StoreError`` with code `recordDamaged` or `logDamaged`, `LMDBError` or `FileError`.
    package func compact(
        cuttingOff cut: LogCut?, folding fold: (any CopyFold)? = nil, sealedBy seal: LogSeal? = nil,
        alone: (() throws -> Void) throws -> Void,
        progress: (_ reached: Position, _ last: Position) throws -> Void
    ) throws {
        compaction.withLock { $0 = [] }
        defer { compaction.withLock { $0 = nil } }
        let old = storage.tables
        let owed = try owedRows(of: old)
        let path = Environment.newPath(nextTo: old.environment.path, .compacting)
        try FileSystem.createDirectory(path)
        do {
            var opening = configuration
            opening.access = .create
            let seal = try seal ?? LogSeal(of: old.environment)
            opening.key = seal.key
            guard findKey == nil || seal.key == nil || seal.file != nil else {
                throw StoreError(.logDamaged, "the file of the keys is missing", path: old.environment.path)
            }
            opening.mapSize = max(opening.mapSize, try old.environment.statistics().mapSize)
            var copy = LogCopy(of: old, in: try LogTables(path: path, configuration: opening), cuttingOff: cut)
            let reading = EventLog(reading: copy.new, of: self)
            func follow(to reached: Position) throws {
                reading.end.withLock {
                    $0 = LogEnd(symbols: symbols, position: reached, durable: reached, committed: reached)
                }
                try fold?.fold(reading)
                try progress(reached, lastPosition)
            }
            try copy.copyMost(of: { lastPosition }, follow)
            try fold?.write()
            // As long as less and less is added; the mark of the new file is made before anybody waits for it.
            var (added, before) = (UInt64.max, UInt64.max)
            repeat {
                try commit()
                let last = copy.reached
                try copy.copyAdded()
                try follow(to: copy.reached)
                (added, before) = (copy.reached.rawValue - last.rawValue, added)
            } while added > Self.fewRecords && added < before
            if let file = seal.file { try FileSystem.create(path + "/" + LogSeal.fileName, bytes: file) }
            // Its files' names, before its own.
            try FileSystem.synchronize(path)
            try alone { try replaceTables(with: &copy, owed: owed, fold, seal) }
        } catch {
            try? FileSystem.remove(path)
            throw error
        }
    }

    /// If as many were added during one step, or fewer, appends wait for the next one.
    private static var fewRecords: UInt64 { 1024 }

    /// Copies the rest and goes on with the copy.
    private func replaceTables(
        with copy: inout LogCopy, owed: [OwedErasure.Row], _ fold: (any CopyFold)?, _ seal: LogSeal
    ) throws {
        try journaling.withLock { _ throws in
            try committing.withLock { _ throws in
                try checkOwner()
                let group = end.withLock { $0.staged }
                try copy.finish(try snapshot(), owed: owed, changed: compaction.withLock { $0 ?? [] })
                let (old, new) = (storage.tables.environment, copy.new.environment)
                if configuration.durability == .full { try new.forceThroughCache() }
                let tables = copy.new
                func exchange() throws {
                    try seal.beforeExchange()
                    try new.replace(old)
                    storage.replace(by: tables)
                    // The event that had it may have been cut off.
                    end.withLock { $0.newestServerTime = nil }
                }
                if let fold { try fold.exchange(with: exchange) } else { try exchange() }
                if let last = group.last?.batch.lastPosition { noteCommitted(group, through: last) }
                journal.withLock { journal in
                    if case .writing(let old) = journal { journal = .writing(old.moved(to: new)) }
                }
            }
        }
    }

    /// Removes the logs that were replaced, as far as no process reads them.
    ///
    /// - Parameter isOpening: Whether nothing is under way, so that remnants of a crash go as well.
    /// - Returns: Whether none is left.
    package func removeRetired(isOpening: Bool = false) throws -> Bool {
        try Environment.removeUnused(nextTo: environment.path, made: isOpening ? .compacting : nil)
    }

    /// Notes that the files are gone which held values erased before the last compaction. The caller appends no events
    /// meanwhile.
    package func noteErasuresDone() throws {
        guard try owed().contains(where: { $0.state == .compacted }) else { return }
        // A loss of power must not leave the files, whichever call removed them.
        try FileSystem.synchronize(FileSystem.parent(of: environment.path))
        try removeOwed(in: storage.tables) { $0.state == .compacted }
    }

    /// Whether no compaction of another process put another log in the place of the one that these tables are of.
    func isCurrent(_ tables: LogTables) -> Bool {
        let path = tables.environment.path
        // For a moment there may be none.
        return tables.environment.isStill(at: path) || (try? FileSystem.status(of: path)) == .some(nil)
    }

    /// Goes on with the log that a compaction of another process put in the place of this one.
    package func followCompaction() throws {
        guard !isCurrent(storage.tables) else { return }
        try storage.following.withLock { _ throws in
            let tables = storage.tables
            guard !isCurrent(tables) else { return }
            let path = tables.environment.path
            storage.replace(by: try LogTables(path: path, configuration: configuration, findKey: findKey))
            symbols.forgetErased()
        }
    }
}

/// Logs that a compaction replaced.
package enum RetiredLog {
    /// The log that a compaction had moved away when it was killed before the new one was in its place; nil if there is none.
    static func path(of path: String) throws -> String? {
        guard try FileSystem.status(of: path) == nil else { return nil }
        // The one that was replaced last.
        return try Environment.directories(nextTo: path, .retired).last?.path
    }

    /// Puts a log back that a compaction had moved away when it was killed before the new one was in its place. Only
    /// whoever may write the store calls this.
    package static func restore(to path: String) throws {
        guard let retired = try Self.path(of: path) else { return }
        try FileSystem.rename(retired, to: path)
        try FileSystem.synchronize(FileSystem.parent(of: path))
    }
}
