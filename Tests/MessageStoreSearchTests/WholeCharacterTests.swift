import MessageStore
import MessageStoreSearch
import MessageStoreModel
import MessageStoreTestKit
import Testing

@testable import MessageStoreSearch

@Suite("Search by whole characters", .timeLimit(.minutes(30)))
struct WholeCharacterTests {
    private static let texts = [
        "games 🇺🇸🇩🇪 tonight", "🇸🇩 flag", "🇨🇳🇬🇧 talks", "🇫🇷🇺🇦", "👨‍👩‍👧‍👧 reunion", "👨👩👧 apart", "1️⃣ first #️⃣ hash", "*️⃣ star",
        "I ❤️‍🔥 it", "👍🏽 ok", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 wins", "🏴󠁧󠁢󠁳󠁣󠁴󠁿 loses", "น้ำแข็ง", "か゚", "🇺🇸🇩 odd",
    ]

    @Test(
        "flags, joined emoji and keycaps are found, and highlighted, whole",
        arguments: [
            ("🇸🇩", [("🇸🇩 flag", ["🇸🇩"])]),
            ("🇺🇸", [("🇺🇸🇩 odd", ["🇺🇸"]), ("games 🇺🇸🇩🇪 tonight", ["🇺🇸"])]),
            ("🇩🇪", [("games 🇺🇸🇩🇪 tonight", ["🇩🇪"])]), ("🇩", [("🇺🇸🇩 odd", ["🇩"])]), ("🇳🇬", []), ("🇷🇺", []),
            ("🇺🇸🇩🇪", [("games 🇺🇸🇩🇪 tonight", ["🇺🇸🇩🇪"])]), ("games -🇸🇩", [("games 🇺🇸🇩🇪 tonight", ["games"])]),
            ("👨‍👩‍👧", [("👨‍👩‍👧‍👧 reunion", ["👨‍👩‍👧‍👧"])]), ("👨‍👩‍👧‍👧", [("👨‍👩‍👧‍👧 reunion", ["👨‍👩‍👧‍👧"])]),
            ("👩‍👧", []), ("👧", [("👨👩👧 apart", ["👧"])]), ("👩👧", [("👨👩👧 apart", ["👩👧"])]),
            ("❤", [("I ❤️‍🔥 it", ["❤️‍🔥"])]), ("🔥", []), ("👍", [("👍🏽 ok", ["👍🏽"])]),
            ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", [("🏴󠁧󠁢󠁳󠁣󠁴󠁿 loses", ["🏴󠁧󠁢󠁳󠁣󠁴󠁿"])]), ("🏴", []),
            ("#️⃣", [("1️⃣ first #️⃣ hash", ["#️⃣"])]), ("*️⃣", [("*️⃣ star", ["*️⃣"])]), ("1️⃣", [("1️⃣ first #️⃣ hash", ["1️⃣"])]),
            ("น", [("น้ำแข็ง", ["น้ำ"])]), ("か", [("か゚", ["か゚"])]),
        ] as [(String, [(String, [String])])], [false, true])
    func whole(_ search: (typed: String, hits: [(text: String, found: [String])]), isIndexed: Bool) throws {
        let search = search
        let chat = try SearchStore()
        for text in Self.texts { try chat.receive(text) }
        if isIndexed { try chat.index() }
        let hits = try chat.hits(SearchQuery(search.typed))
        #expect(hits.map(\.text) == search.hits.map(\.text))
        #expect(hits.map { hit in hit.highlights.map { String(hit.text[$0]) } } == search.hits.map(\.found))
        #expect(hits.allSatisfy { hit in hit.highlights.allSatisfy { $0.isOfWholeCharacters(in: hit.text) } })
        try chat.store.close()
    }

    @Test("every emoji that people type can be searched")
    func everyEmoji() {
        for scalar in (UInt32(0)...0x1FFFF).compactMap(Unicode.Scalar.init) where scalar.properties.isEmoji {
            let isTone = scalar.properties.isEmojiModifier
            let typed = "\(scalar)" + (scalar.isASCII ? "\u{FE0F}\u{20E3}" : "")
            #expect(isTone || !FoldedText(typed).units.isEmpty, "\(typed)")
        }
    }

    @Test("highlights of random places are the characters that they are in", arguments: Seeds.first(4))
    func randomPlaces(seed: UInt64) {
        var random = RandomTexts(seed: seed, scalars: ["a", "重", "\u{600}", "\r", "\n", "\u{1F1E6}", "\u{903}"])
        for _ in 0..<2_000 {
            let text = String(decoding: random.text(), as: UTF8.self)
            let ends = text.unicodeScalars.indices.map { text.utf8.distance(from: text.startIndex, to: $0) }
            var places: [Range<Int>] = []
            for (start, end) in zip(ends, ends.dropFirst()) where random.next().isMultiple(of: 3) {
                if places.last?.upperBound != start { places.append(start..<end) }
            }
            let bounds = Array(text.indices) + [text.endIndex]
            var expected: [Range<String.Index>] = []
            for place in places {
                let start = text.utf8.index(text.startIndex, offsetBy: place.lowerBound)
                let end = text.utf8.index(text.startIndex, offsetBy: place.upperBound)
                guard let lower = bounds.last(where: { $0 <= start }), let upper = bounds.first(where: { $0 >= end })
                else { continue }
                if let last = expected.last, last.upperBound >= lower {
                    expected[expected.count - 1] = last.lowerBound..<max(upper, last.upperBound)
                } else {
                    expected.append(lower..<upper)
                }
            }
            #expect(text.wholeCharacters(places) == expected, "\(Array(text.utf8)) \(places)")
        }
    }

    @Test("a text of nothing but flags is highlighted in a step for each")
    func manyFlags() {
        let text = String(repeating: "🇩🇪🇺🇸", count: 20_000)
        let places = (0..<20_000).map { $0 * 16..<$0 * 16 + 8 }
        #expect(text.wholeCharacters(places).count == 20_000)
    }
}
