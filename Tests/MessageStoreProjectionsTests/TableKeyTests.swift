@_spi(Storage) import MessageStoreLog
import MessageStoreWorkload
import MessageStoreModel
import Testing

@testable import MessageStoreProjections

@Suite("Keys of hosts' tables")
struct TableKeyTests {
    private static let columns: [KeyColumn] = [
        .string("a"), .time("b"), .number("c"), .string("d"), .position("e"), .conversation("f"), .user("g"),
    ]

    private static func values(_ random: inout SplitMix64) -> [KeyValue] {
        let strings = ["", "a", "a\0", "a\0b", "ab", "\0", "\0\0", "é", "ÿ", "中"]
        let times: [Int64] = [.min, -1, 0, 1, .max]
        let numbers: [UInt64] = [0, 1, 255, 256, .max]
        var key = ConversationKey(
            ConversationKind(rawValue: UInt8(random.below(3))), strings[random.below(strings.count)])
        if random.below(2) == 0 { key.channel = strings[random.below(strings.count)] }
        return [
            .string(strings[random.below(strings.count)]),
            .time(Timestamp(milliseconds: times[random.below(times.count)])),
            .number(numbers[random.below(numbers.count)]), .string(strings[random.below(strings.count)]),
            .position(Position(numbers[random.below(numbers.count)])), .conversation(key),
            .user(UserID(strings[random.below(strings.count)])),
        ]
    }

    private static func precedes(_ first: [KeyValue], _ second: [KeyValue]) -> Bool {
        for (one, other) in zip(first, second) where one != other {
            switch (one, other) {
            case (.string(let one), .string(let other)):
                return Array(one.utf8).lexicographicallyPrecedes(Array(other.utf8))
            case (.time(let one), .time(let other)): return one.milliseconds < other.milliseconds
            case (.number(let one), .number(let other)): return one < other
            case (.position(let one), .position(let other)): return one < other
            case (.user(let one), .user(let other)):
                return Array(one.rawValue.utf8).lexicographicallyPrecedes(Array(other.rawValue.utf8))
            case (.conversation(let one), .conversation(let other)):
                let parts = { (key: ConversationKey) in
                    [[key.kind.rawValue], Array(key.id.utf8)] + (key.channel.map { [Array($0.utf8)] } ?? [])
                }
                return parts(one).lexicographicallyPrecedes(parts(other)) { $0.lexicographicallyPrecedes($1) }
            default: return false
            }
        }
        return false
    }

    @Test("are in the order of their values, and come back", arguments: Seeds.first(4))
    func order(seed: UInt64) throws {
        do {
            var random = SplitMix64(seed: seed)
            for _ in 0..<100 {
                let (first, second) = (Self.values(&random), Self.values(&random))
                let bytes = try [first, second].map {
                    try TableKey.bytes($0, of: Self.columns, isPrefix: false, "t")
                }
                #expect(bytes[0].lexicographicallyPrecedes(bytes[1]) == Self.precedes(first, second))
                let stored = bytes[0]
                let back = TableKey.values(stored.span.bytes, of: Self.columns)
                #expect(back == first)
                for count in 0..<bytes[0].count {
                    let cut = Array(bytes[0][..<count])
                    let none = TableKey.values(cut.span.bytes, of: Self.columns)
                    #expect(none == nil)
                }
                let prefix = try TableKey.bytes(Array(first[..<2]), of: Self.columns, isPrefix: true, "t")
                #expect(bytes[0].starts(with: prefix))
            }
        }
    }
}
