import MessageStoreLMDB
import MessageStoreModel
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@testable import MessageStore
@testable import MessageStoreSearch

@Suite("Search: damaged rows of the index", .timeLimit(.minutes(30)))
struct DamagedRowTests {
    private static let typed = ["common", "w1u", "w2*", "知道", "知", "w3u common", "nothing"]

    private static func open(_ place: TemporaryStore) throws -> MessageStore {
        try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            configuration.clock = ManualClock()
        }
    }

    private static func fill(_ store: MessageStore) throws {
        var random = SplitMix64(seed: 1)
        for round in 0..<10 {
            try store.record(
                (0..<40).map { number in
                    let words = (0..<12).map { _ in "w\(random.nextIndex(900))u" }.joined(separator: " ")
                    return .received(
                        ServerMessageID("\(round).\(number)"), from: "bob", in: SearchStore.chat, at: nil,
                        content: .text("common \(words) 你知道\(number.isMultiple(of: 7) ? "吗" : "")"))
                })
            try catchUp(store)
        }
    }

    private static func answers(_ store: MessageStore) throws -> [[UInt64]] {
        try typed.map { typed in
            let page = try store.search(SearchQuery(typed), limit: 1000)
            #expect(page.isComplete)
            return page.elements.map(\.position.rawValue)
        }
    }

    /// How a row is changed.
    enum Change: CaseIterable { case removed, otherKey, otherValue, valueOfNext }

    @Test("a row that is missing, or has another key or value, changes no answer", arguments: Change.allCases)
    func rows(change: Change) throws {
        let place = try TemporaryStore()
        let store = try Self.open(place)
        try Self.fill(store)
        let expected = try Self.answers(store)
        #expect(expected[0].count == 400 && expected.dropLast().allSatisfy { !$0.isEmpty })
        var random = SplitMix64(seed: 2)
        for round in 0..<TestSize.of(plain: 2, full: 7) {
            let files = try #require(try store.lagging[SearchIndex.id].files(isReadOnly: false))
            let rows = try Self.rows(files)
            // The row that says which runs there are is the first.
            let index = round == 0 ? 0 : random.nextIndex(rows.count - 1)
            let (key, value) = rows[index]
            var (newKey, newValue) = (key, value)
            switch change {
            case .removed: break
            case .otherKey: newKey[random.nextIndex(key.count)] ^= 1 << UInt8(random.nextIndex(8))
            case .otherValue: newValue[random.nextIndex(value.count)] ^= 1 << UInt8(random.nextIndex(8))
            case .valueOfNext: newValue = rows[index + 1].value
            }
            try files.environment.write { transaction in
                _ = try transaction.remove(key.span.bytes, in: files.rows)
                if change != .removed {
                    try transaction.put(newValue.span.bytes, for: newKey.span.bytes, in: files.rows)
                }
            }
            for (typed, hits) in zip(Self.typed, expected) {
                let page = try store.search(SearchQuery(typed), limit: 1000)
                let isRight = page.elements.map(\.position.rawValue) == hits
                #expect(isRight, "\(typed), round \(round), key \(key), then \(newKey)")
            }
            try catchUp(store)
            let isRight = try Self.answers(store) == expected
            #expect(isRight, "round \(round)")
            // The next round begins with an index of several runs.
            if round.isMultiple(of: 5) {
                try store.record(
                    .received("later \(round)", from: "bob", in: SearchStore.chat, at: nil, content: .text("harmless")))
            }
            try store.lagging[SearchIndex.id].drop()
            try catchUp(store)
        }
        try store.close()
    }

    private static func rows(_ files: LaggingFiles) throws -> [(key: [UInt8], value: [UInt8])] {
        try files.environment.read { transaction in
            var rows: [(key: [UInt8], value: [UInt8])] = []
            var cursor = try transaction.unboundCursor(in: files.rows)
            var isFound = try cursor.move(.first)
            while isFound {
                rows.append(([UInt8](cursor.key), [UInt8](cursor.value)))
                isFound = try cursor.move(.next)
            }
            return rows
        }
    }
}
