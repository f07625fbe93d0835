internal import MessageStoreLMDB

/// A log's tables, copied entry by entry into an environment that never held anything else.
struct LogCopy {
    private let old: LogTables
    let new: LogTables
    private var records: TableCopy
    private var symbols: [TableCopy]

    init(of old: LogTables, to path: String, _ configuration: Environment.Configuration) throws {
        var copied = configuration
        (copied.access, copied.durability) = (.create, .none)
        copied.mapSize = max(copied.mapSize, try old.environment.statistics().mapSize)
        new = try LogTables(path: path, configuration: copied)
        self.old = old
        records = TableCopy(of: old.records, in: old.environment, to: new.records)
        symbols = [
            TableCopy(of: old.names, in: old.environment, to: new.names),
            TableCopy(of: old.numbers, in: old.environment, to: new.numbers),
        ]
    }

    /// Copies the symbols, and the records that were not copied before.
    ///
    /// - Parameter progress: Called after each step with the position reached.
    mutating func copyMost(_ progress: (Position) throws -> Void) throws {
        try makeTables()
        for index in symbols.indices { while try step(&symbols[index]) {} }
        var hasMore = true
        while hasMore {
            hasMore = try step(&records, check: LogSnapshot.verify)
            try progress(reached)
        }
    }

    /// Copies the records that were added since.
    mutating func copyAdded() throws { while try step(&records, check: LogSnapshot.verify) {} }

    private var reached: Position { Position(UInt64(records.count)) }

    /// Makes the tables that not every log has, which takes a commit of its own.
    private func makeTables() throws {
        if try old.subscriptionTable(create: false) != nil { _ = try new.subscriptionTable(create: true) }
        if try old.owedTable(create: false) != nil { _ = try new.owedTable(create: true) }
    }

    private func step(_ copy: inout TableCopy, check: (RawSpan, RawSpan) throws -> Void = { _, _ in }) throws -> Bool {
        let before = copy
        // Where the map is full, the body runs once more.
        let (copied, hasMore) = try new.environment.write { transaction in
            var copied = before
            let hasMore = try copied.step(in: transaction, check: check)
            return (copied, hasMore)
        }
        copy = copied
        return hasMore
    }

    /// Copies the rest in one commit, while nothing changes.
    ///
    /// - Parameters:
    ///   - owed: The last key of what is owed that the copy is free of.
    ///   - changed: The positions of records that were changed since the copy began.
    ///   - staged: Batches that are not committed.
    ///   - committed: The last position that is.
    mutating func finish(
        owed: UInt64, changed: [Position], _ staged: [PreparedAppend], after committed: Position
    ) throws {
        try makeTables()
        let before = records
        records = try new.environment.write { transaction in
            var records = before
            while try records.step(in: transaction, check: LogSnapshot.verify) {}
            let snapshot = try old.environment.beginRead()
            try copy(changed, snapshot, in: transaction)
            try copySymbols(snapshot, in: transaction)
            try copySubscriptions(snapshot, in: transaction)
            try copyOwed(upTo: owed, snapshot, in: transaction)
            for prepared in staged { try new.write(prepared, after: committed, in: transaction) }
            return records
        }
        guard reached == committed else {
            throw StoreError(.logDamaged, "the log has \(records.count) records, and the last has the key \(committed)")
        }
    }

    private func copy(
        _ positions: [Position], _ snapshot: borrowing ReadTransaction, in transaction: borrowing WriteTransaction
    ) throws {
        for position in positions {
            try withUnsafeBytes(of: position.rawValue.bigEndian) {
                let key = RawSpan(_unsafeBytes: $0)
                guard let record = try snapshot.value(for: key, in: old.records) else { return }
                try LogSnapshot.verify(key, record)
                try transaction.put(record, for: key, in: new.records)
            }
        }
    }

    /// Copies the symbols that the copy lacks; those that are no numbers of records, which are few, all over.
    private func copySymbols(
        _ snapshot: borrowing ReadTransaction, in transaction: borrowing WriteTransaction
    ) throws {
        for space in SalvagedNames.spaces {
            let first = try SymbolTable.nextCommittedNumber(space, in: transaction, new)
            let end = try SymbolTable.nextCommittedNumber(space, in: snapshot, old)
            for number in first..<max(first, end) {
                let key = SymbolTable.key(space, number)
                guard let name = try snapshot.value(for: key.span.bytes, in: old.names), name.byteCount >= 8 else {
                    throw SymbolTable.damage(space, number)
                }
                let bytes = name.extracting(8..<name.byteCount).copied
                try new.write(.init(space: space, number: number, bytes: bytes), in: transaction)
            }
        }
        var cursor = try snapshot.cursor(in: old.names)
        var isFound = try cursor.seek([SymbolSpace.hostEvent.rawValue].span.bytes)
        while isFound {
            try transaction.put(cursor.value, for: cursor.key, in: new.names)
            isFound = try cursor.move(.next)
        }
    }

    private func copySubscriptions(
        _ snapshot: borrowing ReadTransaction, in transaction: borrowing WriteTransaction
    ) throws {
        guard let from = try old.subscriptionTable(create: false), let to = try new.subscriptionTable(create: false)
        else { return }
        var cursor = try snapshot.cursor(in: from)
        while try cursor.move(.next) { try transaction.put(cursor.value, for: cursor.key, in: to) }
    }

    /// Copies what is owed: up to a key, only files that others may still read hold it.
    private func copyOwed(
        upTo last: UInt64, _ snapshot: borrowing ReadTransaction, in transaction: borrowing WriteTransaction
    ) throws {
        guard let from = try old.owedTable(create: false), let to = try new.owedTable(create: false) else { return }
        var cursor = try snapshot.cursor(in: from)
        while try cursor.move(.next) {
            let key = try OwedErasure.key(cursor.key)
            var erasure = try OwedErasure(cursor.value)
            if key <= last { erasure.isCompacted = true }
            try erasure.put(at: key, to: to, in: transaction)
        }
    }
}
