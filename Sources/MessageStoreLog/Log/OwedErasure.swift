internal import MessageStoreLMDB

/// The rest of an erasure that is still to be done.
package struct OwedErasure: Sendable, Hashable {
    /// How far it has come.
    package enum State: UInt8, Sendable {
        /// The log's records do not have the bytes any more; its file, or one that it replaced, does.
        case blanked = 0
        /// The log was compacted since: only files that others may still read have the bytes.
        case compacted = 1
        /// The event that erases is recorded, and the records still have the bytes.
        case recorded = 2
        /// An event is recorded that hides what the records have, for the configuration to say when that is erased.
        case hidden = 3
    }

    /// How far it has come.
    package internal(set) var state: State
    /// When the bytes were erased, or the event was recorded.
    package let since: Timestamp
    /// Bytes that were erased; before, the position of the event.
    private let number: UInt64

    /// An owed erasure of a log.
    struct Row: Hashable {
        let key: UInt64
        var erasure: OwedErasure

        init(_ key: RawSpan, _ value: RawSpan) throws {
            (self.key, erasure) = (try OwedErasure.key(key), try OwedErasure(value))
        }
    }

    private static let size = 17

    init(byteCount: UInt64, since: Timestamp) {
        (state, number, self.since) = (.blanked, byteCount, since)
    }

    init(event: Position, since: Timestamp, hides: Bool = false) {
        (state, number, self.since) = (hides ? .hidden : .recorded, event.rawValue, since)
    }

    init(_ value: RawSpan) throws {
        guard value.byteCount == Self.size, let number = value.load(at: 0, as: UInt64.self),
            let since = value.load(at: 8, as: Int64.self),
            let state = value.load(at: 16, as: UInt8.self).flatMap(State.init(rawValue:))
        else { throw StoreError(.logDamaged, "what the log owes cannot be read") }
        (self.number, self.since, self.state) = (number, Timestamp(milliseconds: since), state)
    }

    /// How many bytes were erased; 0 while they are in the records.
    package var byteCount: UInt64 { event == nil ? number : 0 }

    /// The event whose erasure has not begun, or was not finished.
    package var event: Position? { state == .recorded || state == .hidden ? Position(number) : nil }

    /// Whether it is one that some events ordered and that is not finished.
    func isOf(_ events: Set<Position>) -> Bool { event.map(events.contains) ?? false }

    /// The value of its entry in a log.
    var bytes: [UInt8] {
        var value = ByteWriter(capacity: Self.size)
        value.append(number)
        value.append(since.milliseconds)
        value.append(state.rawValue)
        return value.copied
    }

    /// Adds it to a log's owed erasures.
    func add(to table: Table, in transaction: borrowing WriteTransaction) throws {
        try transaction.put(bytes.span.bytes, for: Self.lastKey(of: table, in: transaction) + 1, in: table)
    }

    /// The key of the last one; 0 if there is none.
    static func lastKey(of table: Table, in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        var cursor = try transaction.cursor(in: table)
        return try cursor.move(.last) ? key(cursor.key) : 0
    }

    fileprivate static func rows(
        of table: Table, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> [Row] {
        var found: [Row] = []
        var cursor = try transaction.cursor(in: table)
        while try cursor.move(.next) { found.append(try Row(cursor.key, cursor.value)) }
        return found
    }

    /// Removes some of a log's owed erasures.
    static func remove(
        from table: Table, in transaction: borrowing WriteTransaction, where isDone: (OwedErasure) -> Bool
    ) throws {
        for row in try rows(of: table, in: transaction) where isDone(row.erasure) {
            try withUnsafeBytes(of: row.key.bigEndian) {
                _ = try transaction.remove(RawSpan(_unsafeBytes: $0), in: table)
            }
        }
    }

    private static func key(_ bytes: RawSpan) throws -> UInt64 {
        guard bytes.byteCount == 8, let key = bytes.loadBigEndian(at: 0, as: UInt64.self), key < .max else {
            throw StoreError(.logDamaged, "what the log owes has a key that cannot be read")
        }
        return key
    }
}

extension EventLog {
    /// Erasures whose values are still in a file, and erasures to be done, the oldest first.
    package func owed() throws -> [OwedErasure] {
        // First what waits: a commit may come in between.
        let staged = end.withLock { $0.staged }.flatMap(\.erasing)
        return try owedRows(of: storage.tables).map(\.erasure) + staged
    }

    func owedRows(of tables: LogTables) throws -> [OwedErasure.Row] {
        guard let table = try tables.owedTable(create: false) else { return [] }
        return try tables.environment.read { try OwedErasure.rows(of: table, in: $0) }
    }

    /// Removes rows of what is owed; the lock of the log's appenders is held.
    func removeOwed(in tables: LogTables, where isDone: (OwedErasure) -> Bool) throws {
        guard try owedRows(of: tables).contains(where: { isDone($0.erasure) }),
            let table = try tables.owedTable(create: false)
        else { return }
        try tables.environment.write { try OwedErasure.remove(from: table, in: $0, where: isDone) }
    }
}

extension LogSnapshot {
    /// The first of the snapshot's events that erases and whose erasure was not finished in it; nil if there is none.
    borrowing func unfinishedErasure(in table: Table?) throws -> Position? {
        if let table {
            let rows = try OwedErasure.rows(of: table, in: transaction)
            if let row = rows.first(where: { $0.erasure.state == .recorded }) { return row.erasure.event }
        }
        return staged.lazy.flatMap(\.erasing).first { $0.state == .recorded }?.event
    }

    /// The positions of the snapshot's events whose erasure was not finished in it.
    borrowing func unfinishedErasures(in table: Table?) throws -> [Position] {
        let staged = staged.flatMap(\.erasing).compactMap(\.event)
        guard let table else { return staged }
        return try OwedErasure.rows(of: table, in: transaction).compactMap(\.erasure.event) + staged
    }
}

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

    /// Whether a read may go on with a snapshot; false if it has to take another one.
    ///
    /// - Parameters:
    ///   - owed: The table of the log's owed erasures, opened before the snapshot was taken.
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
