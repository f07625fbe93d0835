internal import MessageStoreLMDB

/// A place among the rows of a table in the views' environment, whether each is a value of its own or they lie in
/// chunks.
///
/// As with the cursor below it, the compiler does not bind it to its transaction.
struct StoredCursor: ~Copyable {
    /// Over nothing where the rows lie in chunks.
    private var cursor: UnboundCursor
    private let chunks: ChunkCursor?
    /// Key and value where the cursor is; the key of a row in a chunk is valid until the cursor moves.
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ table: ViewTable, _ cursor: consuming UnboundCursor) {
        if table.isInChunks {
            chunks = ChunkCursor(table, cursor)
            self.cursor = UnboundCursor()
        } else {
            chunks = nil
            self.cursor = cursor
        }
    }

    /// Walks by a cursor that nobody else moves meanwhile.
    init(_ chunks: ChunkCursor) {
        cursor = UnboundCursor()
        self.chunks = chunks
        chunks.isTaken = true
    }

    deinit { chunks?.isTaken = false }

    /// Moves one step; answers false where there is no row that way.
    mutating func move(_ step: UnboundCursor.Step) throws -> Bool {
        guard try chunks?.move(step) ?? cursor.move(step) else { return false }
        return take()
    }

    /// Moves to the first row whose key is not less than `key`; the first of all where `key` is empty.
    mutating func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
        guard try chunks?.seek(key) ?? cursor.seek(key) else { return false }
        return take()
    }

    /// Moves to the last row whose key is less than `key`.
    mutating func seekBackwards(before key: UnsafeRawBufferPointer) throws -> Bool {
        if let chunks {
            guard try chunks.seekBackwards(before: key) else { return false }
            return take()
        }
        return try cursor.seek(key) ? try move(.previous) : try move(.last)
    }

    private mutating func take() -> Bool {
        if let chunks { (key, value) = (chunks.key, chunks.value) } else { (key, value) = (cursor.key, cursor.value) }
        return true
    }
}
