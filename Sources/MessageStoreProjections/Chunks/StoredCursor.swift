internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A place among the rows of a table in the views' environment, whether each is a value of its own or they lie in
/// chunks.
///
/// As with the cursor below it, the compiler does not bind it to its transaction.
struct StoredCursor: ~Copyable {
    private var cursor: UnboundCursor
    private let table: ViewTable
    /// Those of the chunk where the cursor is; nil in a table without chunks.
    private let rows: ChunkRows?
    private var index = 0
    /// Key and value where the cursor is; the key of a row in a chunk is valid until the cursor moves.
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ table: ViewTable, _ cursor: consuming UnboundCursor) {
        self.cursor = cursor
        self.table = table
        rows = table.isInChunks ? ChunkRows() : nil
    }

    /// Moves one step; answers false where there is no row that way.
    mutating func move(_ step: UnboundCursor.Step) throws -> Bool {
        if let rows {
            let next = step == .next ? index + 1 : index - 1
            if step == .next || step == .previous, next >= 0, next < rows.count { return take(next) }
        }
        guard try cursor.move(step) else { return false }
        return try takeEntry(last: step == .previous || step == .last)
    }

    /// Moves to the first row whose key is not less than `key`; the first of all where `key` is empty.
    mutating func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
        guard let rows else {
            guard try cursor.seek(key) else { return false }
            return try takeEntry()
        }
        guard try seekChunk(of: key) else { return try move(.first) }
        let index = rows.firstIndex(notBelow: key)
        if index < rows.count { return take(index) }
        guard try cursor.move(.next) else { return false }
        return try takeEntry()
    }

    /// Moves to the last row whose key is less than `key`.
    mutating func seekBackwards(before key: UnsafeRawBufferPointer) throws -> Bool {
        guard let rows else {
            return try cursor.seek(key) ? try move(.previous) : try move(.last)
        }
        guard try seekChunk(of: key) else { return false }
        let index = rows.firstIndex(notBelow: key)
        if index > 0 { return take(index - 1) }
        guard try cursor.move(.previous) else { return false }
        return try takeEntry(last: true)
    }

    /// Moves to the chunk to which a key belongs: the last whose own key is not greater; false where there is none.
    private mutating func seekChunk(of key: UnsafeRawBufferPointer) throws -> Bool {
        guard try cursor.seek(atOrBelow: key) else { return false }
        return try takeEntry()
    }

    /// Takes a row of the entry where the cursor below is.
    private mutating func takeEntry(last: Bool = false) throws -> Bool {
        guard let rows else {
            (key, value) = (cursor.key, cursor.value)
            return true
        }
        guard rows.read(cursor.value, from: cursor.key) else {
            rows.removeAll()
            throw StoreError.unreadableRow(of: table, at: RawSpan(_unsafeBytes: cursor.key))
        }
        return take(last ? rows.count - 1 : 0)
    }

    private mutating func take(_ index: Int) -> Bool {
        guard let rows else { return false }
        self.index = index
        (key, value) = (rows.key(at: index), rows.value(at: index))
        return true
    }
}

extension ReadTransaction {
    /// The value of a row that lies in a chunk, borrowed from the map, or nil.
    borrowing func value(
        for key: UnsafeRawBufferPointer, inChunksOf table: MessageStoreLMDB.Table, _ view: ViewTable
    ) throws -> UnsafeRawBufferPointer? {
        var cursor = try unboundCursor(in: table)
        guard try cursor.seek(atOrBelow: key) else { return nil }
        var reader = ChunkReader(cursor.value)
        return try withUnsafeTemporaryAllocation(byteCount: ChunkReader.keyRoom, alignment: 8) { found in
            guard let start = found.baseAddress else { return nil }
            repeat {
                guard reader.next(start, after: start) else {
                    throw StoreError.unreadableRow(of: view, at: RawSpan(_unsafeBytes: cursor.key))
                }
                let order = ByteOrder.compare(UnsafeRawBufferPointer(start: start, count: reader.keyLength), key)
                if order >= 0 { return order == 0 ? reader.value : nil }
            } while !reader.isAtEnd
            return nil
        }
    }
}
