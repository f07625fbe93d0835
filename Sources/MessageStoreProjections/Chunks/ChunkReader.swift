/// Steps through the rows of a chunk: rows of a table that lie, many to a value, in the views' environment.
///
/// A row whose lengths are those of the row before it consists of the bytes of its key that differ, and its value; see
/// `Docs/Format.md`.
struct ChunkReader {
    /// The most bytes of a key that LMDB takes.
    static let longestKey = 511
    /// Bytes for a key in ``next(_:)``: a whole number of words.
    static let keyRoom = 512

    enum Form: UInt8 {
        /// The lengths are those of the row before; of the key there is what differs.
        case difference = 0
        /// The lengths precede key and value.
        case whole = 1
    }

    private let chunk: UnsafeRawBufferPointer
    private var offset = 0
    /// The length of the current row's key.
    private(set) var keyLength = 0
    /// The current row's value, in the chunk.
    private(set) var value = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ chunk: UnsafeRawBufferPointer) {
        self.chunk = chunk
    }

    var isAtEnd: Bool { offset == chunk.count }

    /// Steps to the next row.
    ///
    /// - Parameter key: ``keyRoom`` bytes that hold the key of the row before, and then that of this row.
    /// - Returns: False where the bytes are no row.
    mutating func next(_ key: UnsafeMutableRawPointer) -> Bool {
        guard let byte = take(1)?[0], let form = Form(rawValue: byte) else { return false }
        switch form {
        case .difference:
            guard keyLength > 0, change(key), let next = take(value.count) else { return false }
            value = next
        case .whole:
            guard let lengths = take(6) else { return false }
            keyLength = Int(UInt16(littleEndian: lengths.loadUnaligned(as: UInt16.self)))
            let valueLength = UInt32(littleEndian: lengths.loadUnaligned(fromByteOffset: 2, as: UInt32.self))
            guard keyLength > 0, keyLength <= Self.longestKey, let bytes = take(keyLength),
                let next = take(Int(valueLength))
            else { return false }
            UnsafeMutableRawBufferPointer(start: key, count: Self.keyRoom).copyMemory(from: bytes)
            value = next
        }
        return true
    }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count <= chunk.count - offset else { return nil }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: chunk[offset..<offset + count])
    }

    /// Changes a key by a mask for each eight bytes, with a bit for each that differs, and those bytes.
    private mutating func change(_ key: UnsafeMutableRawPointer) -> Bool {
        for start in stride(from: 0, to: keyLength, by: 8) {
            guard var mask = take(1)?[0] else { return false }
            guard let bytes = take(mask.nonzeroBitCount) else { return false }
            var index = 0
            while mask != 0 {
                key.storeBytes(
                    of: bytes[index], toByteOffset: start &+ mask.trailingZeroBitCount, as: UInt8.self)
                mask &= mask &- 1
                index &+= 1
            }
        }
        return true
    }
}
