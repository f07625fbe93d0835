internal import MessageStoreLMDB

/// A compaction that is under way.
struct LogCompaction: Sendable {
    /// Records that were changed since it began, and may have been copied before.
    var changed: [Position] = []
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
    ///   - fold: What is made of the copy meanwhile; nil for nothing.
    ///   - alone: Runs its body while nothing is appended and no subscriber's position is set.
    ///   - progress: Called now and then with the position reached and the last; what it throws ends the work and leaves
    ///     everything as it was.
    /// - Throws: ``StoreError`` with code `recordDamaged`, `LMDBError` or `FileError`.
    package func compact(
        cuttingOff cut: LogCut?, folding fold: (any CopyFold)? = nil, alone: (() throws -> Void) throws -> Void,
        progress: (_ reached: Position, _ last: Position) throws -> Void
    ) throws {
        compaction.withLock { $0 = LogCompaction() }
        defer { compaction.withLock { $0 = nil } }
        let old = storage.tables
        let owed = try owedRows(of: old)
        let path = Environment.newPath(nextTo: old.environment.path, mark: RetiredLog.compactionMark)
        try FileSystem.createDirectory(path)
        do {
            var opening = configuration
            opening.access = .create
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
            // Its files' names, before its own.
            try FileSystem.synchronize(path)
            try alone { try replaceTables(with: &copy, owed: owed, fold) }
        } catch {
            try? FileSystem.remove(path)
            throw error
        }
    }

    /// Where as many were added during one step, or fewer, appends wait for the next one.
    private static var fewRecords: UInt64 { 1024 }

    /// Copies the rest and goes on with the copy.
    private func replaceTables(
        with copy: inout LogCopy, owed: [OwedErasure.Row], _ fold: (any CopyFold)?
    ) throws {
        try journaling.withLock { _ throws in
            try committing.withLock { _ throws in
                try checkOwner()
                let group = end.withLock { $0.staged }
                try copy.finish(try snapshot(), owed: owed, changed: compaction.withLock { $0?.changed ?? [] })
                let (old, new) = (storage.tables.environment, copy.new.environment)
                if configuration.durability == .full { try new.forceThroughCache() }
                let tables = copy.new
                func exchange() throws {
                    try new.replace(
                        old, retiredTo: Environment.nextPath(nextTo: old.path, mark: RetiredLog.retiredMark))
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
    /// - Parameter isOpening: Whether nothing is under way, so that what a crash left unfinished goes as well.
    /// - Returns: Whether none is left.
    package func removeRetired(isOpening: Bool = false) throws -> Bool {
        let (path, retired) = (environment.path, RetiredLog.retiredMark)
        if isOpening { try Environment.removeUnused(nextTo: path, mark: RetiredLog.compactionMark, keepingAs: retired) }
        return try Environment.removeUnused(nextTo: path, mark: retired)
    }

    /// Notes that the files are gone which held what was erased before the last compaction. Must not be done while
    /// events are appended.
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
            storage.replace(by: try LogTables(path: tables.environment.path, configuration: configuration))
            symbols.forgetErased()
        }
    }
}
