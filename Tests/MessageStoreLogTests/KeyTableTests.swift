import MessageStoreWorkload
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
            for _ in 1...400 {
                let key = Crowded(value: random.next() % 300)
                #expect(table.number(of: key) == model[key.value])
                if let known = model[key.value] {
                    #expect(table.insertIfAbsent(key) == (known, false))
                    continue
                }
                model[key.value] = model.count
                if random.next() % 2 == 0 {
                    #expect(table.insert(key) == model.count - 1)
                } else {
                    #expect(table.insertIfAbsent(key) == (model.count - 1, true))
                }
            }
            #expect(table.keys.map(\.value) == model.sorted { $0.value < $1.value }.map(\.key))
            for value in 0..<300 as Range<UInt64> { #expect(table.number(of: Crowded(value: value)) == model[value]) }
            table.removeAll()
            #expect(table.keys.isEmpty)
            for value in 0..<300 as Range<UInt64> { #expect(table.number(of: Crowded(value: value)) == nil) }
        }
    }

    @Test("numbers of conversations spread over the slots") func numbers() {
        var table = KeyTable<ConversationNumber>()
        for number in 0..<20_000 as Range<UInt32> {
            #expect(table.insert(ConversationNumber(rawValue: number)) == Int(number))
        }
        for number in 0..<20_000 as Range<UInt32> {
            #expect(table.number(of: ConversationNumber(rawValue: number)) == Int(number))
        }
        #expect(table.number(of: ConversationNumber(rawValue: .max)) == nil)
    }
}
