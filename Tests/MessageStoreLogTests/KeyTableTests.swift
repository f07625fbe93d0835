import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("Tables of keys that are spread already") struct KeyTableTests {
    /// A key many of which share a place.
    private struct Crowded: SpreadKey {
        let value: UInt64
        var spread: UInt64 { value % 3 << 62 | value % 7 << 40 }
    }

    @Test("a table finds what a dictionary finds", arguments: 1...8 as ClosedRange<UInt64>)
    func likeDictionary(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var table = KeyTable<Crowded>(count: Int(seed))
        for _ in 1...3 {
            var model: [UInt64: Int] = [:]
            var failing: Set<UInt64> = []
            for _ in 1...400 {
                let key = Crowded(value: random.next() % 300)
                if table.number(of: key) != model[key.value] { failing.insert(key.value) }
                let known = model[key.value]
                let isInserted = known == nil && random.next() % 2 == 0
                let (number, isNew) = isInserted ? (table.insert(key), true) : table.insertIfAbsent(key)
                if number != known ?? model.count || isNew != (known == nil) { failing.insert(key.value) }
                model[key.value] = number
            }
            #expect(table.keys.map(\.value) == model.sorted { $0.value < $1.value }.map(\.key))
            failing.formUnion((0..<300).filter { table.number(of: Crowded(value: $0)) != model[$0] })
            #expect(failing == [])
            table.removeAll()
            #expect(table.keys.isEmpty)
            #expect((0..<300).filter { table.number(of: Crowded(value: $0)) != nil } == [])
        }
    }

    @Test("numbers of conversations spread over the slots") func numbers() {
        var table = KeyTable<ConversationNumber>()
        let numbers = (0..<20_000).map { ConversationNumber(rawValue: $0) }
        let inserted = numbers.map { table.insert($0) }
        #expect(inserted == Array(0..<20_000))
        #expect(numbers.map { table.number(of: $0) } == inserted)
        #expect(table.number(of: ConversationNumber(rawValue: .max)) == nil)
    }
}
