/// Numbers of seven bits a byte, the lowest first, as in Protocol Buffers.
struct NumberReader {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }

    /// The next number; nil at the end, and where the bytes are broken.
    @inline(__always)
    mutating func next() -> UInt64? {
        guard offset < bytes.count else { return nil }
        let byte = bytes[offset]
        offset += 1
        guard byte >= 0x80 else { return UInt64(byte) }
        var (value, shift) = (UInt64(byte & 0x7F), UInt64(7))
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// So many of the next bytes; nil where there are fewer.
    mutating func take(_ count: UInt64?) -> UnsafeRawBufferPointer? {
        guard let count, count <= UInt64(bytes.count - offset) else { return nil }
        defer { offset += Int(count) }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
    }
}

extension [UInt8] {
    /// Appends a number as ``NumberReader`` reads it.
    @inline(__always)
    mutating func append(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
