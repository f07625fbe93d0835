internal import MessageStoreLMDB

/// The erasures that the writer of the log has not finished, as a process sees them that only reads.
struct UnfinishedErasures: Sendable {
    /// Whether a process may be about to finish them; nil if erasures are not looked for.
    var isWriterThere: (@Sendable () -> Bool)?
    /// The event whose erasure was waited for in vain.
    fileprivate var givenUp: Position?

    /// How long a read waits for a writer that is erasing.
    static let patience = Duration.seconds(10)
}

extension EventLog {
    /// From now on a snapshot of a log that another process writes is refused while an erasure is recorded and not
    /// finished, so that no answer has what was to be erased.
    ///
    /// A snapshot waits up to ten seconds for a writer that is there, and once for each erasure.
    ///
    /// - Parameter isWriterThere: Whether a process may be about to finish it.
    package func refuseUnfinishedErasures(isWriterThere: @escaping @Sendable () -> Bool) {
        erasures.withLock { $0.isWriterThere = isWriterThere }
    }

    /// The first event whose erasure is recorded, due and not finished; nil if there is none.
    package func unfinishedErasure() throws -> Position? {
        while true {
            let owed = try storage.tables.owedForReading()
            let snapshot = try durableSnapshot()
            guard owed.isCurrent(in: snapshot) else { continue }
            return try snapshot.unfinishedErasure(in: owed.table)
        }
    }

    /// Whether a read may go on with a snapshot; false where it has to take another one.
    ///
    /// - Parameters:
    ///   - owed: What the log owes, opened before the snapshot was taken.
    ///   - start: When the read began to wait.
    /// - Throws: ``StoreError`` with code `erasureUnfinished`.
    func isErased(
        _ snapshot: borrowing LogSnapshot, _ owed: LogTables.OwedForReading, since start: inout ContinuousClock.Instant?
    ) throws -> Bool {
        guard owed.isCurrent(in: snapshot) else { return false }
        guard let event = try snapshot.unfinishedErasure(in: owed.table) else { return true }
        let (isWriterThere, givenUp) = erasures.withLock { ($0.isWriterThere, $0.givenUp) }
        let now = ContinuousClock.now
        let waited = now - (start ?? now)
        guard event != givenUp, waited < UnfinishedErasures.patience, isWriterThere?() == true else {
            if waited > .zero { erasures.withLock { $0.givenUp = event } }
            throw StoreError.unfinishedErasure(event, path: environment.path)
        }
        start = start ?? now
        return false
    }
}

extension LogTables {
    /// The table of what is owed, for snapshots that are taken afterwards.
    struct OwedForReading {
        let table: Table?
        /// The last commit that is known to have no such table.
        fileprivate let missingAt: UInt64?
        fileprivate let tables: LogTables

        /// Whether a snapshot can be asked by the table: it may have been made since.
        func isCurrent(in snapshot: borrowing LogSnapshot) -> Bool {
            snapshot.tables === tables && (table != nil || snapshot.transaction.commitNumber == missingAt)
        }
    }

    /// A transaction reads only tables that were opened before it.
    func owedForReading() throws -> OwedForReading {
        if let table = owed.withLock({ $0 }) { return OwedForReading(table: table, missingAt: nil, tables: self) }
        let number = try environment.read { $0.commitNumber }
        return OwedForReading(table: try owedTable(create: false), missingAt: number, tables: self)
    }
}

extension StoreError {
    /// - Parameter event: The event that erases.
    package static func unfinishedErasure(_ event: Position, path: String) -> StoreError {
        StoreError(
            .erasureUnfinished, "an erasure is recorded and not finished; opening the store for writing finishes it",
            position: event, path: path)
    }
}
