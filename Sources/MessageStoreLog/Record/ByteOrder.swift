/// Comparison of bytes, eight at a time; the order is LMDB's order of keys.
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

    /// Whether both have the same bytes.
    @inlinable
    public static func areEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        let count = first.count
        guard count == second.count else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            guard areEqual(first, second, at: offset, as: UInt64.self) else { return false }
            offset &+= 8
        }
        // The last words may overlap with those before.
        if offset == count { return true }
        if count >= 8 { return areEqual(first, second, at: count &- 8, as: UInt64.self) }
        if count >= 4 {
            return areEqual(first, second, at: 0, as: UInt32.self)
                && areEqual(first, second, at: count &- 4, as: UInt32.self)
        }
        while offset < count, first[offset] == second[offset] { offset &+= 1 }
        return offset == count
    }

    @inlinable @inline(__always)
    static func areEqual<Word: FixedWidthInteger & BitwiseCopyable>(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, at offset: Int, as type: Word.Type
    ) -> Bool {
        first.loadUnaligned(fromByteOffset: offset, as: type) == second.loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// The first sixteen bytes as a number that sorts like them; shorter keys end in zeros.
    @inlinable
    public static func prefix(of key: UnsafeRawBufferPointer) -> KeyPrefix {
        KeyPrefix(high: word(of: key, at: 0), low: word(of: key, at: 8))
    }

    @inlinable
    static func word(of key: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        if key.count >= offset + 8 {
            return UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard key.count > offset else { return 0 }
        var word: UInt64 = 0
        for index in offset..<key.count { word = word << 8 | UInt64(key[index]) }
        return word << UInt64(8 * (offset + 8 - key.count))
    }
}

/// The beginning of a key: where two differ, they sort as their keys do.
@_spi(Storage) @frozen public struct KeyPrefix: Equatable {
    /// The first eight bytes.
    public let high: UInt64
    /// The eight bytes after them.
    public let low: UInt64

    /// Creates a prefix.
    @inlinable public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Before every other.
    @inlinable public static var least: KeyPrefix { KeyPrefix(high: 0, low: 0) }

    /// Whether `first` sorts before `second`.
    @inlinable public static func < (first: KeyPrefix, second: KeyPrefix) -> Bool {
        first.high != second.high ? first.high < second.high : first.low < second.low
    }
}

extension RawSpan {
    /// Two lower-case digits for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = copied.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [UInt8] {
    /// The bytes of two digits each; nil if the text has others.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        let isHexadecimal = digits.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
        guard digits.count.isMultiple(of: 2), isHexadecimal else { return nil }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
                return nil
            }
            append(byte)
        }
    }
}

extension UInt64 {
    /// The number in hexadecimal, with zeros in front to so many digits.
    package func hexadecimal(digits: Int = 16) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, digits - text.count)) + text
    }
}
