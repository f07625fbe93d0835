import Testing

@_spi(Storage) @testable import MessageStoreLog

@Suite("Comparison of bytes") struct ByteOrderTests {
    /// Every length by which words overlap, and each byte of it.
    @Test("bytes are equal where each of them is, and strings with them", arguments: 0...40)
    func equality(count: Int) {
        let bytes = (0..<count).map { UInt8(0x41 + $0 % 26) }
        // Not a slice, and not the same storage.
        let same = Array(String(decoding: bytes, as: UTF8.self).utf8)
        #expect(areEqual(bytes, same))
        #expect(String(decoding: bytes, as: UTF8.self).hasSameBytes(as: String(decoding: same, as: UTF8.self)))
        #expect(!areEqual(bytes, same + [0x41]))
        for index in bytes.indices {
            var other = same
            other[index] ^= 0x20
            #expect(!areEqual(bytes, other), "byte \(index)")
            #expect(!String(decoding: bytes, as: UTF8.self).hasSameBytes(as: String(decoding: other, as: UTF8.self)))
        }
    }

    /// Strings of up to fifteen bytes hold them themselves, unless they were longer before.
    @Test(arguments: ["", "a", "123456789012345", "消息消息消", "é", "e\u{301}"])
    func `a string is the same however it came to be`(_ string: String) {
        var cut = string + String(repeating: "x", count: 40)
        cut.removeLast(40)
        let forms = [string, cut, String(cut[...]), String(decoding: Array(string.utf8), as: UTF8.self), string + ""]
        for first in forms {
            for second in forms { #expect(first.hasSameBytes(as: second)) }
            #expect(!first.hasSameBytes(as: string + "y") && !(string + "y").hasSameBytes(as: first))
        }
    }

    private func areEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        first.withUnsafeBytes { first in second.withUnsafeBytes { ByteOrder.areEqual(first, $0) } }
    }
}
