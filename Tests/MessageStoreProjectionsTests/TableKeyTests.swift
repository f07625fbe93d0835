import MessageStoreLMDB
@_spi(Storage) import MessageStoreLog
import MessageStoreTestKit
import Testing

@testable import MessageStoreProjections

@Suite("Keys of hosts' tables")
struct TableKeyTests {
    private static let columns: [KeyColumn] = [.string("a"), .time("b"), .number("c"), .string("d"), .position("e")]

    private static func values(_ random: inout SplitMix64) -> [KeyValue] {
        let strings = ["", "a", "a\0", "a\0b", "ab", "\0", "\0\0", "é", "ÿ", "中"]
        let times: [Int64] = [.min, -1, 0, 1, .max]
        let numbers: [UInt64] = [0, 1, 255, 256, .max]
        return [
            .string(strings[random.below(strings.count)]),
            .time(Timestamp(milliseconds: times[random.below(times.count)])),
            .number(numbers[random.below(numbers.count)]), .string(strings[random.below(strings.count)]),
            .position(Position(numbers[random.below(numbers.count)])),
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
            default: return false
            }
        }
        return false
    }

    @Test("are in the order of their values, and come back", arguments: 1...20)
    func order(seed: UInt64) throws {
        try withTemporaryDirectory { path in
            try FileSystem.createDirectory(path + "/log")
            let symbols = try EventLog(path: path + "/log", configuration: .init(access: .create)).symbols
            var random = SplitMix64(seed: seed)
            for _ in 0..<100 {
                let (first, second) = (Self.values(&random), Self.values(&random))
                let bytes = try [first, second].map {
                    try #require(try TableKey.bytes($0, of: Self.columns, isPrefix: false, "t", symbols))
                }
                #expect(bytes[0].lexicographicallyPrecedes(bytes[1]) == Self.precedes(first, second))
                let stored = bytes[0]
                let back = try TableKey.values(stored.span.bytes, of: Self.columns, symbols)
                #expect(back == first)
                for count in 0..<bytes[0].count {
                    let cut = Array(bytes[0][..<count])
                    let none = try TableKey.values(cut.span.bytes, of: Self.columns, symbols)
                    #expect(none == nil)
                }
                let prefix = try TableKey.bytes(Array(first[..<2]), of: Self.columns, isPrefix: true, "t", symbols)
                #expect(bytes[0].starts(with: try #require(prefix)))
            }
        }
    }
}
