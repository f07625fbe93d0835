/// Comparison of bytes, eight at a time; the order is that of LMDB's keys.
@_spi(Storage) public enum ByteOrder {
    /// Below 0, 0 or above 0 as `first` is less than, equal to or greater than `second`.
    @inlinable
    public static func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        let shared = min(first.count, second.count)
        var offset = 0
        while offset + 8 <= shared {
            let left = UInt64(bigEndian: first.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let right = UInt64(bigEndian: second.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            if left != right { return left < right ? -1 : 1 }
            offset += 8
        }
        while offset < shared {
            if first[offset] != second[offset] { return first[offset] < second[offset] ? -1 : 1 }
            offset += 1
        }
        return first.count - second.count
    }

    @inlinable
    public static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        first.count == second.count && compare(first, second) == 0
    }

    /// The first eight bytes as a number that sorts like them.
    @inlinable
    public static func prefix(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 { return UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for byte in key { prefix = prefix << 8 | UInt64(byte) }
        return prefix << UInt64(8 * (8 - key.count))
    }
}
