@_spi(Storage) internal import MessageStoreLog

/// Steps through the rows of a chunk: rows of a table that lie, many to a value, in the views' environment.
///
/// A row with the lengths of the row before it consists of the bytes of its key that differ, and its value; see
/// `Docs/Format.md`. A look-up steps over some ten rows, so it works on raw memory; each byte is checked to be there.
struct ChunkReader {
    /// The most bytes of a key that LMDB takes.
    static let longestKey = 511
    /// Bytes for a key in ``next(_:after:)``: a whole number of words.
    static let keyRoom = 512

    enum Form: UInt8 {
        /// The row before has the same lengths; only the bytes of the key that differ are there.
        case difference = 0
        /// The lengths precede key and value.
        case whole = 1
    }

    private let bytes: UnsafeRawPointer?
    private let end: Int
    private var offset = 0
    /// The length of the current row's key.
    private(set) var keyLength = 0
    /// Whether it is there as a whole: only of another row is it known to be above the one before.
    private(set) var isWhole = false
    private var valueLength = 0
    /// The current row's value, in the chunk.
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ chunk: UnsafeRawBufferPointer) {
        (bytes, end) = (chunk.baseAddress, chunk.count)
    }

    var isAtEnd: Bool { offset == end }

    /// Steps to the next row.
    ///
    /// - Parameters:
    ///   - key: Gets the key of the row, and zeros up to a whole word: ``keyRoom`` bytes, aligned to words.
    ///   - last: The key of the row before; may be the same memory.
    /// - Returns: False if the bytes are no row, or if the differing bytes are not above the row before.
    @inline(__always)
    mutating func next(_ key: UnsafeMutableRawPointer, after last: UnsafeRawPointer) -> Bool {
        guard let bytes, offset < end else { return false }
        let form = bytes.load(fromByteOffset: offset, as: UInt8.self)
        offset &+= 1
        isWhole = form != Form.difference.rawValue
        if !isWhole {
            guard keyLength > 0, change(key, last, bytes) else { return false }
        } else {
            guard form == Form.whole.rawValue, takeWhole(key, bytes) else { return false }
        }
        guard end &- offset >= valueLength else { return false }
        value = UnsafeRawBufferPointer(start: bytes + offset, count: valueLength)
        offset &+= valueLength
        return true
    }

    private mutating func takeWhole(_ key: UnsafeMutableRawPointer, _ bytes: UnsafeRawPointer) -> Bool {
        guard end - offset >= 6 else { return false }
        keyLength = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        valueLength = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self)))
        offset += 6
        guard keyLength > 0, keyLength <= Self.longestKey, end - offset >= keyLength else { return false }
        key.storeBytes(of: 0, toByteOffset: (keyLength - 1) & ~7, as: UInt64.self)
        key.copyMemory(from: bytes + offset, byteCount: keyLength)
        offset += keyLength
        return true
    }

    /// Makes a key of the last one, by a mask for each eight bytes, with a bit for each that differs, and those bytes.
    @inline(__always)
    private mutating func change(
        _ key: UnsafeMutableRawPointer, _ last: UnsafeRawPointer, _ bytes: UnsafeRawPointer
    ) -> Bool {
        var (offset, start, isAbove) = (self.offset, 0, false)
        let (end, keyLength) = (end, keyLength)
        var mask: UInt64 = 0
        while start < keyLength {
            guard offset < end else { return false }
            mask = UInt64(bytes.load(fromByteOffset: offset, as: UInt8.self))
            offset &+= 1
            let old = UInt64(littleEndian: last.load(fromByteOffset: start, as: UInt64.self))
            var new = old
            var left = mask
            while left != 0 {
                guard offset < end else { return false }
                let byte = UInt64(bytes.load(fromByteOffset: offset, as: UInt8.self))
                offset &+= 1
                let shift = UInt64(left.trailingZeroBitCount) &<< 3
                new = new & ~(0xFF &<< shift) | byte &<< shift
                left &= left &- 1
            }
            if !isAbove, new != old {
                guard old.byteSwapped < new.byteSwapped else { return false }
                isAbove = true
            }
            key.storeBytes(of: new.littleEndian, toByteOffset: start, as: UInt64.self)
            start &+= 8
        }
        self.offset = offset
        // No byte after the key differs.
        return isAbove && (mask &<< UInt64(start &- keyLength)) &>> 8 == 0
    }
}

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
    /// The beginnings of the last key and of the next one.
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

    /// Whether all rows were read.
    var isComplete: Bool { reader.isAtEnd }

    /// Takes the rows of another chunk, whose values it refers to, and reads the first.
    ///
    /// - Parameter start: The chunk's own key.
    /// - Returns: False if the bytes are no chunk.
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

    /// Reads the rows that are left; false if the bytes are none.
    mutating func readAll() -> Bool {
        while !isComplete { guard readNext() else { return false } }
        return true
    }

    /// Reads up to the first row whose key is not less than `key`; false if the bytes are no rows.
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
