import Testing

@testable import MessageStoreSearch

@Suite("Limits of folding")
struct FoldingLimitTests {
    @Test("of 16 MB only the beginning is folded, and no part of a scalar", arguments: ["a", "重", "👍", "が", "ﾟ重"])
    func longText(part: String) throws {
        let bytes = Array(("x" + String(repeating: part, count: 16_000_000 / part.utf8.count)).utf8)
        var folded = FoldedText()
        bytes.withUnsafeBytes { folded.fold($0) }
        #expect(folded.isCutOff)
        let last = try #require(folded.units.last)
        let scalar = part.unicodeScalars.map { String($0).utf8.count }.max() ?? 1
        #expect(
            (FoldingRules.maximumTextBytes - scalar + 1...FoldingRules.maximumTextBytes).contains(
                last.source.upperBound))
        let kept = String(decoding: bytes[..<last.source.upperBound], as: UTF8.self)
        #expect(!kept.unicodeScalars.contains("\u{FFFD}"))
        #expect(folded.units == FoldedText(kept).units)
    }

    @Test("a text of exactly the maximum is whole", arguments: [0, 1, 5, 6])
    func maximum(maximumBytes: Int) {
        var folded = FoldedText()
        Array("重b重".utf8).prefix(maximumBytes).withUnsafeBytes { folded.fold($0, maximumBytes: maximumBytes) }
        let whole = FoldedTextTests.description(folded)
        #expect(!folded.isCutOff)
        Array("重b重".utf8).withUnsafeBytes { folded.fold($0, maximumBytes: maximumBytes) }
        #expect(folded.isCutOff)
        #expect(FoldedTextTests.description(folded) == whole)
    }

    @Test("folding again replaces the units and keeps the arrays")
    func again() {
        var folded = FoldedText("A long text with several words, 重跑")
        let capacities = (folded.bytes.capacity, folded.units.capacity)
        let addresses = Self.addresses(folded)
        Array("ok 重".utf8).withUnsafeBytes { folded.fold($0) }
        #expect(FoldedTextTests.description(folded) == "ok [重]")
        #expect((folded.bytes.capacity, folded.units.capacity) == capacities)
        #expect(Self.addresses(folded) == addresses)
    }

    @Test("the units' folded bytes are all bytes, one after the other")
    func contiguous() {
        let folded = FoldedText("重跑gen后, ok ﬃ ｶﾞ 👍🏽")
        #expect(folded.units.first?.folded.lowerBound == 0)
        #expect(folded.units.last?.folded.upperBound == folded.bytes.count)
        for (unit, next) in zip(folded.units, folded.units.dropFirst()) {
            #expect(unit.folded.upperBound == next.folded.lowerBound)
        }
    }

    @Test("a folded unit folds to itself, and keeps its kind")
    func stable() {
        var random = RandomTexts(seed: 1, scalars: ["a", "重", "ẞ", "\u{1E9A}"])
        var folded = FoldedText()
        for _ in 0..<2_000 {
            random.text().withUnsafeBytes { folded.fold($0) }
            for unit in folded.units {
                let again = FoldedText(String(decoding: folded.bytes[unit.folded], as: UTF8.self))
                #expect(again.bytes == Array(folded.bytes[unit.folded]))
                #expect(again.units.map(\.kind) == [unit.kind])
            }
        }
    }

    private static func addresses(_ folded: FoldedText) -> [UInt] {
        [
            folded.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) },
            folded.units.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) },
        ]
    }
}
