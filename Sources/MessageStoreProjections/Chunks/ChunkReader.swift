/// Steps through the rows of a chunk: rows of a table that lie, many to a value, in the views' environment.
///
/// A row whose lengths are those of the row before it consists of the bytes of its key that differ, and its value; see
/// `Docs/Format.md`. A look-up steps over some ten rows, so it works on raw memory; each byte is checked to be there.
struct ChunkReader {
    /// The most bytes of a key that LMDB takes.
    static let longestKey = 511
    /// Bytes for a key in ``next(_:after:)``: a whole number of words.
    static let keyRoom = 512

    enum Form: UInt8 {
        /// The lengths are those of the row before; of the key there is what differs.
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
    /// - Returns: False where the bytes are no row, or where what differs is not above the row before.
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
