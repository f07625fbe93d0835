import Testing

/// A file that no store may be opened from.
struct DamagedFile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let content: [UInt8]?

    static let all = [
        DamagedFile(testDescription: "missing", content: nil),
        DamagedFile(testDescription: "empty", content: []),
        DamagedFile(testDescription: "one byte", content: [0]),
        DamagedFile(testDescription: "zeros", content: [UInt8](repeating: 0, count: 1 << 16)),
        DamagedFile(testDescription: "ones", content: [UInt8](repeating: 0xFF, count: 1 << 16)),
        DamagedFile(
            testDescription: "an SQLite file",
            content: [UInt8]("SQLite format 3\u{0}".utf8) + [UInt8](repeating: 0, count: 8192)),
        DamagedFile(
            testDescription: "magic alone",
            content: [UInt8](repeating: 0, count: 16) + [0xDE, 0xC0, 0xEF, 0xBE, 1, 0, 0, 0]
                + [UInt8](repeating: 0, count: 8192)),
    ]
}

/// A way in which a meta page can be wrong; offsets are those of LMDB 0.9 on 64 bits, pages of 4096 bytes.
struct MetaDamage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (inout [UInt8]) -> Void

    private static let transaction = 144

    static let all = [
        MetaDamage(testDescription: "magic of slot 0") { $0[16] ^= 1 },
        MetaDamage(testDescription: "magic of slot 1") { $0[4096 + 16] ^= 1 },
        MetaDamage(testDescription: "format version") { $0[20] = 2 },
        MetaDamage(testDescription: "page size of slot 0") { $0[41] = 0x20 },
        MetaDamage(testDescription: "page size of 0 in slot 1") { $0[4096 + 41] = 0 },
        MetaDamage(testDescription: "parity of slot 0") { $0[transaction] ^= 1 },
        MetaDamage(testDescription: "parity of slot 1") { $0[4096 + transaction] ^= 1 },
        MetaDamage(testDescription: "a gap in slot 0") { $0[transaction] ^= 4 },
        MetaDamage(testDescription: "a gap in slot 1") { $0[4096 + transaction + 1] ^= 4 },
        MetaDamage(testDescription: "transaction number of slot 0 lost") { bytes in
            for offset in 0..<8 { bytes[transaction + offset] = 0 }
        },
        MetaDamage(testDescription: "transaction number of slot 1 lost") { bytes in
            for offset in 0..<8 { bytes[4096 + transaction + offset] = 0 }
        },
        MetaDamage(testDescription: "slot 0 wiped") { bytes in
            for offset in 0..<4096 { bytes[offset] = 0 }
        },
        MetaDamage(testDescription: "slot 1 wiped") { bytes in
            for offset in 4096..<8192 { bytes[offset] = 0 }
        },
        MetaDamage(testDescription: "absurd last page in both slots") { bytes in
            for slot in [0, 4096] { for offset in 136..<144 { bytes[slot + offset] = 0xFF } }
        },
    ]
}
