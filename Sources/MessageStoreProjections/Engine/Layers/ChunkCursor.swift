internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A place among the rows of a table that lie in chunks: a cursor and the rows of the chunk where it is.
///
/// The rows stay until it comes to another chunk, so that look-ups near one another read a chunk once.
final class ChunkCursor {
    let table: ViewTable
    @exclusivity(unchecked) private var cursor: UnboundCursor
    @exclusivity(unchecked) private var rows = ChunkRows()
    /// The chunk whose rows they are; it does not change while the transaction lasts.
    @exclusivity(unchecked) private var chunk: UnsafeRawPointer?
    @exclusivity(unchecked) private var index = 0
    /// How many chunks it has read, for tests.
    @exclusivity(unchecked) private(set) var readChunks = 0
    /// Whether somebody walks by it.
    @exclusivity(unchecked) var isTaken = false
    /// The one that its snapshot made before it.
    fileprivate let previous: ChunkCursor?

    init(_ table: ViewTable, _ cursor: consuming UnboundCursor, after previous: ChunkCursor? = nil) {
        self.table = table
        self.cursor = cursor
        self.previous = previous
    }

    /// Valid until it moves.
    var key: UnsafeRawBufferPointer { rows.key(at: index) }
    var value: UnsafeRawBufferPointer { rows.value(at: index) }

    /// Moves one step; answers false if there is no row that way.
    func move(_ step: UnboundCursor.Step) throws -> Bool {
        if chunk != nil {
            if step == .next, try hasNext() { return take(index + 1) }
            if step == .previous, index > 0 { return take(index - 1) }
        }
        guard try cursor.move(step) else { return false }
        try takeChunk()
        return try step == .previous || step == .last ? takeLast() : take(0)
    }

    private func hasNext() throws -> Bool {
        if index + 1 < rows.count { return true }
        if rows.isComplete { return false }
        guard rows.readNext() else { throw damage() }
        return true
    }

    /// Moves to the first row whose key is not less than `key`; the first of all where `key` is empty.
    func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
        guard try seekChunk(of: key) else { return try move(.first) }
        if index < rows.count { return true }
        guard try cursor.move(.next) else { return false }
        try takeChunk()
        return take(0)
    }

    /// Moves to the last row whose key is less than `key`.
    func seekBackwards(before key: UnsafeRawBufferPointer) throws -> Bool {
        guard try seekChunk(of: key) else { return false }
        if index > 0 { return take(index - 1) }
        guard try cursor.move(.previous) else { return false }
        try takeChunk()
        return try takeLast()
    }

    /// The value of a row, borrowed from the map, or nil.
    func value(for key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer? {
        guard try seekChunk(of: key), index < rows.count, ByteOrder.areEqual(self.key, key) else { return nil }
        return value
    }

    /// Moves to where a key belongs in the last chunk whose own key is not greater; false if there is none.
    private func seekChunk(of key: UnsafeRawBufferPointer) throws -> Bool {
        guard try cursor.seek(atOrBelow: key) else { return false }
        try takeChunk()
        guard rows.read(notBelow: key) else { throw damage() }
        return take(rows.firstIndex(notBelow: key))
    }

    private func takeLast() throws -> Bool {
        guard rows.readAll() else { throw damage() }
        return take(rows.count - 1)
    }

    private func take(_ index: Int) -> Bool {
        self.index = index
        return true
    }

    /// Takes the rows of the chunk where the cursor is.
    private func takeChunk() throws {
        if chunk == cursor.value.baseAddress, chunk != nil { return }
        guard rows.begin(cursor.value, from: cursor.key) else { throw damage() }
        chunk = cursor.value.baseAddress
        readChunks += 1
    }

    private func damage() -> StoreError {
        chunk = nil
        rows.removeAll()
        let key = cursor.key
        return .unreadableRow(of: table, at: RawSpan(_unsafeBytes: key))
    }
}

/// The cursors over chunks that a snapshot made: kept for its next look-up, since each costs an allocation and a chunk.
struct ChunkCursors: ~Copyable {
    /// The last one that was made, which refers to the others.
    private var last: ChunkCursor?

    /// One that nobody walks by, or a new one over what `open` gives.
    mutating func free(_ table: ViewTable, _ open: () throws -> UnboundCursor) throws -> ChunkCursor {
        var next = last
        while let cursor = next {
            if cursor.table == table, !cursor.isTaken { return cursor }
            next = cursor.previous
        }
        let cursor = ChunkCursor(table, try open(), after: last)
        last = cursor
        return cursor
    }
}

/// A place among the rows of a table in the views' environment, whether each is a value of its own or they lie in
/// chunks.
///
/// As with the cursor below it, the compiler does not bind it to its transaction.
struct StoredCursor: ~Copyable {
    /// Over nothing if the rows lie in chunks.
    private var cursor: UnboundCursor
    private let chunks: ChunkCursor?
    private let isSealed: Bool
    /// Key and value where the cursor is; the key of a row in a chunk is valid until the cursor moves.
    private(set) var key = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ table: ViewTable, _ cursor: consuming UnboundCursor) {
        isSealed = table.traits.contains(.sealed)
        if table.traits.contains(.inChunks) {
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
        isSealed = false
        self.chunks = chunks
        chunks.isTaken = true
    }

    deinit { chunks?.isTaken = false }

    /// Moves one step; answers false if there is no row that way.
    mutating func move(_ step: UnboundCursor.Step) throws -> Bool {
        guard try chunks?.move(step) ?? cursor.move(step) else { return false }
        return try take()
    }

    /// Moves to the first row whose key is not less than `key`; the first of all where `key` is empty.
    mutating func seek(_ key: UnsafeRawBufferPointer) throws -> Bool {
        guard try chunks?.seek(key) ?? cursor.seek(key) else { return false }
        return try take()
    }

    /// Moves to the last row whose key is less than `key`.
    mutating func seekBackwards(before key: UnsafeRawBufferPointer) throws -> Bool {
        if let chunks {
            guard try chunks.seekBackwards(before: key) else { return false }
            return try take()
        }
        return try cursor.seek(key) ? try move(.previous) : try move(.last)
    }

    private mutating func take() throws -> Bool {
        if let chunks {
            (key, value) = (chunks.key, chunks.value)
        } else {
            (key, value) = (cursor.key, isSealed ? try cursor.openValue : cursor.value)
        }
        return true
    }
}
