internal import MessageStoreLMDB

/// Bytes that were erased from the log's records and are still in its file, or in one that it replaced.
package struct OwedErasure: Sendable, Hashable {
    /// How many bytes were erased.
    package var byteCount: UInt64
    /// When they were.
    package var since: Timestamp
    /// Whether the log was compacted since, so that only files that others may still read hold them.
    var isCompacted = false

    private static let size = 17

    init(byteCount: UInt64, since: Timestamp) {
        (self.byteCount, self.since) = (byteCount, since)
    }

    init(_ value: RawSpan) throws {
        guard value.byteCount == Self.size, let byteCount = value.load(at: 0, as: UInt64.self),
            let since = value.load(at: 8, as: Int64.self), let state = value.load(at: 16, as: UInt8.self), state <= 1
        else { throw StoreError(.logDamaged, "what the log owes cannot be read") }
        (self.byteCount, self.since, isCompacted) = (byteCount, Timestamp(milliseconds: since), state == 1)
    }

    /// Adds it to those of a log.
    func add(to table: Table, in transaction: borrowing WriteTransaction) throws {
        try put(at: try Self.lastKey(of: table, in: transaction) + 1, to: table, in: transaction)
    }

    func put(at key: UInt64, to table: Table, in transaction: borrowing WriteTransaction) throws {
        var value = ByteWriter(capacity: Self.size)
        value.append(byteCount)
        value.append(since.milliseconds)
        value.append(UInt8(isCompacted ? 1 : 0))
        try withUnsafeBytes(of: key.bigEndian) {
            try transaction.put(value.bytes, for: RawSpan(_unsafeBytes: $0), in: table)
        }
    }

    /// The key of the last one; 0 where there is none.
    static func lastKey(of table: Table, in transaction: borrowing some Transaction & ~Copyable) throws -> UInt64 {
        var cursor = try transaction.cursor(in: table)
        return try cursor.move(.last) ? key(cursor.key) : 0
    }

    static func key(_ bytes: RawSpan) throws -> UInt64 {
        guard bytes.byteCount == 8, let key = bytes.loadBigEndian(at: 0, as: UInt64.self), key < .max else {
            throw StoreError(.logDamaged, "what the log owes has a key that cannot be read")
        }
        return key
    }
}

extension EventLog {
    /// What was erased and is still in a file, the oldest first.
    package func owed() throws -> [OwedErasure] {
        try owedRows(of: storage.tables).map(\.erasure)
    }

    func owedRows(of tables: LogTables) throws -> [(key: UInt64, erasure: OwedErasure)] {
        guard let table = try tables.owedTable(create: false) else { return [] }
        return try tables.environment.read { transaction in
            var found: [(key: UInt64, erasure: OwedErasure)] = []
            var cursor = try transaction.cursor(in: table)
            while try cursor.move(.next) {
                found.append((try OwedErasure.key(cursor.key), try OwedErasure(cursor.value)))
            }
            return found
        }
    }
}
