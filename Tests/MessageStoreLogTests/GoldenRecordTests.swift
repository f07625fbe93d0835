@_spi(Storage) import MessageStoreLog
import Testing

/// The bytes are those that version 1 of the format writes; a later version must still read them.
@Suite struct `Golden records` {
    static let events = [
        Event(
            MessageReceived(
                serverID: "s1", sender: "张三", sentTime: Timestamp(milliseconds: 1_700_000_000_123),
                content: .text("你好"), clientToken: "t1", context: MessageContext(mentions: ["me"])),
            in: .group("g"), id: "e1", origin: .offline, device: "d1"),
        Event(MessageRecalled(.server("s1"), by: "张三", reason: "x"), in: .group("g")),
        Event(OfflinePackageReceived(index: 300, messageCount: 2, hasMore: true)),
    ]

    static let golden: [String] = [
        "0168e4110bf9eb8a010000000000000005000102ad000202e86be5cf8b0100007b68e5cf8b0100000100000002000000"
            + "01000000000000000b00000008000000733174310a026531120264311a01010a06e4bda0e5a5bd",
        "b67ce3274d91c25802000000000000000900010000000000e86be5cf8b01000000000000000000000100000002000000"
            + "00000000010000000400000003000000220273310a0178",
        "0b3b6cb22860ea9d03000000000000006100010000000000e86be5cf8b01000000000000000000000000000000000000"
            + "0000000002000000070000000000000018ac0220022801",
    ]

    @Test("I13: the bytes of a record stay what they are", arguments: [0, 1, 2]) func bytesStay(index: Int) throws {
        let fixture = try LogFixture()
        try fixture.append(Self.events, now: 1_700_000_001_000)
        let bytes = try #require(try fixture.bytes(at: UInt64(index + 1)))
        #expect(Self.hexadecimal(bytes) == Self.golden[index])
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
