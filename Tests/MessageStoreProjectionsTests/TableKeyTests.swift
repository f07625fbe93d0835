@_spi(Storage) import MessageStoreLog
import Testing

@testable import MessageStoreProjections

@Suite("Keys of hosts' tables")
struct TableKeyTests {
    private typealias Key = (String, Timestamp, UInt64, ServerMessageID, Position, ConversationKey, UserID)
    private typealias Keyed<Key: Sendable> = ProjectionTable<FailedEvent, Key>

    private static let table = Keyed<Key>("a.b", "rows", key: "a", "b", "c", "d", "e", "f", "g")

    private static func key(_ random: inout SplitMix64) -> Key {
        let long = String(repeating: "a", count: 198)
        let strings = ["a", "a\0", "a\0b", "ab", "\0", "\0\0", "é", "ÿ", "中", long, long + "b"]
        let numbers: [UInt64] = [0, 1, 255, 256, .max]
        var key = ConversationKey(
            ConversationKind(rawValue: UInt8(random.below(3))), strings[random.below(strings.count)])
        if random.below(2) == 0 { key.channel = strings[random.below(strings.count)] }
        return (
            ([""] + strings)[random.below(10)], Timestamp(milliseconds: [0, 1, 255, 256, 1 << 40][random.below(5)]),
            numbers[random.below(numbers.count)], ServerMessageID(strings[random.below(strings.count)]),
            Position(numbers[random.below(numbers.count)]), key, UserID(strings[random.below(strings.count)])
        )
    }

    /// The parts as lists of numbers in the order of which keys are.
    private static func order(_ key: Key) -> [[UInt64]] {
        let bytes = { (string: String) in string.utf8.map { UInt64($0) } }
        return [
            bytes(key.0), [UInt64(key.1.milliseconds)], [key.2], bytes(key.3.rawValue), [key.4.rawValue],
            [UInt64(key.5.kind.rawValue)], bytes(key.5.id), key.5.channel.map { [1] + bytes($0) } ?? [0],
            bytes(key.6.rawValue),
        ]
    }

    @Test("are in the order of their values, and come back", arguments: Seeds.first(4))
    func order(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let value = try FieldRow.bytes(of: FailedEvent(code: 7), named: "a.b/rows")
        for _ in 0..<100 {
            let (first, second) = (Self.key(&random), Self.key(&random))
            let (one, other) = (try Self.table.bytes(first), try Self.table.bytes(second))
            let precedes = Self.order(first).lexicographicallyPrecedes(Self.order(second)) {
                $0.lexicographicallyPrecedes($1)
            }
            #expect(one.lexicographicallyPrecedes(other) == precedes)
            let row = try Self.table.row(value.span.bytes, at: one.span.bytes)
            #expect(Self.order(row.key) == Self.order(first) && row.value.code == 7)
            for count in 0..<one.count {
                let cut = Array(one[..<count])
                #expect(throws: StoreError.self) { try Self.table.row(value.span.bytes, at: cut.span.bytes) }
            }
            #expect(one.starts(with: try Self.table.bytes(beginning: first.0, first.1)))
        }
    }

    @Test("have the bytes of the format")
    func bytes() throws {
        let (group, channel) = (ConversationKey.group("g"), ConversationKey(.group, "g", channel: "c"))
        let conversations = Keyed<ConversationKey>("a.b", "r", key: "k")
        let pair = Keyed<(ConversationKey, LocalMessageID)>("a.b", "r", key: "k", "l")
        let found = [
            try Keyed<UInt64>("a.b", "r", key: "k").bytes(0x1FF), try Keyed<UInt8>("a.b", "r", key: "k").bytes(5),
            try Keyed<Position>("a.b", "r", key: "k").bytes(Position(2)),
            try Keyed<Timestamp>("a.b", "r", key: "k").bytes(Timestamp(milliseconds: 3)),
            try Keyed<String>("a.b", "r", key: "k").bytes("a\0b"), try Keyed<UserID>("a.b", "r", key: "k").bytes("é"),
            try conversations.bytes(group), try conversations.bytes(channel),
            try pair.bytes((group, LocalMessageID(1))),
        ]
        let expected: [[UInt8]] = [
            [0, 0, 0, 0, 0, 0, 1, 0xFF], [0, 0, 0, 0, 0, 0, 0, 5], [0, 0, 0, 0, 0, 0, 0, 2],
            [0x80, 0, 0, 0, 0, 0, 0, 3], [0x61, 0, 0xFF, 0x62, 0, 0], [0xC3, 0xA9, 0, 0], [2, 0x67, 0, 0, 0],
            [2, 0x67, 0, 0, 1, 0x63, 0, 0], [2, 0x67, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        ]
        #expect(found == expected)
    }

    @Test("are described as the format says")
    func description() throws {
        let table = Keyed<(ConversationKey, UserID, UInt32, Timestamp, Position, ServerMessageID, LocalMessageID)>(
            "a.b", "r", key: "k", "k", "k", "k", "k", "k", "k")
        // Field 1, the name; for each column field 2 with the fields 1, its name, and 2, the number of its kind.
        let columns = ([1, 2, 3, 4, 5, 6, 5] as [UInt8]).flatMap { [0x12, 5, 0x0A, 1, 0x6B, 0x10, $0] as [UInt8] }
        let description = try #require(table.declaration.description)
        #expect(description.bytes.starts(with: [0x0A, 5] + Array("a.b/r".utf8) + columns + [0x1A]))
        let bytes = description.bytes
        #expect(TableDescription(bytes.span.bytes) == description)
    }

    @Test("are stored as they are up to 500 bytes, and longer ones by their first bytes and a checksum")
    func stored() throws {
        for count in [1, 499, 500, 501, 600, 5000] {
            let key = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            let stored = StoredKey(key)
            #expect(stored.bytes.count == (count <= 500 ? count : 508))
            #expect(stored.bytes.prefix(500) == key.prefix(500))
            let value = try #require(try stored.stored([1, 2], over: nil))
            #expect(try stored.row(in: value.span.bytes) == [1, 2])
            #expect((value == [1, 2]) == (count <= 500))
            #expect(try stored.stored(nil, over: value) == nil)
        }
    }

    @Test("that are long and have one checksum keep their rows apart, in their order")
    func oneChecksum() throws {
        let keys = (0..<6).map { StoredKey([UInt8](repeating: 1, count: 520) + [UInt8($0)]) }
        // As if it were that of all.
        let place = keys[0].bytes
        var values: Set<[UInt8]> = []
        for order in [[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4]] {
            var value: [UInt8]?
            for number in order { value = try keys[number].stored([0], over: value) }
            for number in order { value = try keys[number].stored([UInt8(number)], over: value) }
            value = try keys[3].stored(nil, over: value)
            let stored = try #require(value)
            values.insert(stored)
            for number in order {
                #expect(try keys[number].row(in: stored.span.bytes) == (number == 3 ? nil : [UInt8(number)]))
            }
            let rows = try LongKeyRows(stored.span.bytes, at: place.span.bytes)
            #expect(rows.whole.map(\.key) == [0, 1, 2, 4, 5].map { keys[$0].whole })
            for count in 0..<stored.count {
                let cut = Array(stored[..<count])
                let rows = try? LongKeyRows(cut.span.bytes, at: place.span.bytes)
                #expect(rows.map { $0.rows.count < 5 } ?? true)
            }
        }
        #expect(values.count == 1)
    }

    @Test("hold values that rows can hold")
    func refused() throws {
        let conversations = Keyed<ConversationKey>("a.b", "r", key: "k")
        for id in ["", String(repeating: "x", count: 256)] {
            #expect(throws: StoreError.self) { try conversations.bytes(.group(id)) }
        }
    }
}
