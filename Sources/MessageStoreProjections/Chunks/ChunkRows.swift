@_spi(Storage) internal import MessageStoreLog

/// The rows of one chunk with their keys, read as far as somebody asked for them, in any order of access.
struct ChunkRows: ~Copyable {
    private struct Row {
        var keyStart: UInt32
        var keyLength: UInt32
        var value: UnsafeRawBufferPointer
    }

    private var reader = ChunkReader(UnsafeRawBufferPointer(start: nil, count: 0))
    private var keys: UnsafeMutableRawPointer
    /// How many bytes there are for keys; a key takes whole words, so that there is a row for each.
    private var room: Int
    private var rows: UnsafeMutablePointer<Row>
    /// How many rows were read.
    private(set) var count = 0
    /// Where the last key begins, and where the next one does.
    private var (last, end) = (0, 0)

    init() { (keys, rows, room) = Self.allocate(4 * ChunkReader.keyRoom) }

    deinit {
        keys.deallocate()
        rows.deallocate()
    }

    private static func allocate(_ room: Int) -> (UnsafeMutableRawPointer, UnsafeMutablePointer<Row>, Int) {
        (.allocate(byteCount: room, alignment: 8), .allocate(capacity: room / 8), room)
    }

    private mutating func grow() {
        let old = (keys: keys, rows: rows)
        (keys, rows, room) = Self.allocate(2 * room)
        keys.copyMemory(from: old.keys, byteCount: end)
        rows.initialize(from: old.rows, count: count)
        old.keys.deallocate()
        old.rows.deallocate()
    }

    /// Whether there are no rows but those that were read.
    var isComplete: Bool { reader.isAtEnd }

    /// Takes the rows of another chunk, whose values it refers to, and reads the first.
    ///
    /// - Parameter start: The chunk's own key.
    /// - Returns: False where the bytes are no chunk.
    mutating func begin(_ chunk: UnsafeRawBufferPointer, from start: UnsafeRawBufferPointer) -> Bool {
        removeAll()
        reader = ChunkReader(chunk)
        return readNext() && ByteOrder.compare(start, key(at: 0)) <= 0
    }

    /// Takes all rows of another chunk.
    mutating func read(_ chunk: UnsafeRawBufferPointer, from start: UnsafeRawBufferPointer) -> Bool {
        begin(chunk, from: start) && readAll()
    }

    /// Reads one row more.
    ///
    /// - Returns: False at the end, and where the bytes are no row above the one before.
    mutating func readNext() -> Bool {
        if end + ChunkReader.keyRoom > room { grow() }
        guard reader.next(keys + end, after: keys + last) else { return false }
        rows[count] = Row(
            keyStart: UInt32(truncatingIfNeeded: end), keyLength: UInt32(truncatingIfNeeded: reader.keyLength),
            value: reader.value)
        (last, end) = (end, end + (reader.keyLength + 7) & ~7)
        count += 1
        return !reader.isWhole || count == 1 || ByteOrder.compare(key(at: count - 2), key(at: count - 1)) < 0
    }

    /// Reads the rows that are left; false where the bytes are none.
    mutating func readAll() -> Bool {
        while !isComplete { guard readNext() else { return false } }
        return true
    }

    /// Reads up to the first row whose key is not less than `key`; false where the bytes are no rows.
    mutating func read(notBelow key: UnsafeRawBufferPointer) -> Bool {
        while !isComplete, ByteOrder.compare(self.key(at: count - 1), key) < 0 {
            guard readNext() else { return false }
        }
        return true
    }

    mutating func removeAll() {
        reader = ChunkReader(UnsafeRawBufferPointer(start: nil, count: 0))
        (count, last, end) = (0, 0, 0)
    }

    /// Valid until other rows are read.
    func key(at index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "no such row in the chunk")
        let row = rows[index]
        return UnsafeRawBufferPointer(start: keys + Int(row.keyStart), count: Int(row.keyLength))
    }

    func value(at index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "no such row in the chunk")
        return rows[index].value
    }

    /// The place of the first row that was read whose key is not less than `key`; ``count`` where there is none.
    func firstIndex(notBelow key: UnsafeRawBufferPointer) -> Int {
        // Rows are mostly read up to there.
        if count == 0 || ByteOrder.compare(self.key(at: count - 1), key) < 0 { return count }
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ByteOrder.compare(self.key(at: middle), key) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
