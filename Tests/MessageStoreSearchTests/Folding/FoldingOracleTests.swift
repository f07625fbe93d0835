import MessageStoreModel
import Testing

@testable import MessageStoreSearch

@Suite(
    "Folding, compared with an oracle",
    .enabled(if: FoldingOracle.isAvailable, "python3 is not on the path"),
    .timeLimit(.minutes(30)))
struct FoldingOracleTests {
    @Test("scalars fold as the oracle folds them, alone and between letters")
    func everyScalar() throws {
        let scalars = FoldingOracle.scalars
        #expect(scalars.count > 100_000)
        // Most of the later ones are ideographs and syllables, of which one folds as the next.
        let (first, others) = (scalars.prefix(8_000), scalars.dropFirst(8_000))
        let step = TestSize.of(plain: 11, full: 1)
        let texts = (first + others.filter { $0.value.isMultiple(of: UInt32(step)) }).map { Array(String($0).utf8) }
        try compare(Self.joined(texts, by: " "))
        try compare(Self.joined(texts, by: "y x"))
    }

    @Test("kana with sound marks and jamo in pairs compose as the oracle composes them")
    func pairs() throws {
        let kana: [ClosedRange<UInt32>] = [0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9D]
        var pairs: [(UInt32, UInt32)] = []
        for kana in kana.joined() { pairs += [0x3099, 0x309A, 0xFF9E, 0xFF9F].map { (kana, $0) } }
        for consonant in UInt32(0x1100)...0x115F { pairs += (0x1160...0x11A7).map { (consonant, $0) } }
        // Each syllable without a final, and the one with the first final after it.
        for open in stride(from: UInt32(0xAC00), through: 0xD7A3, by: 28) {
            for syllable in [open, open + 1] { pairs += (0x11A7...0x11FF).map { (syllable, $0) } }
        }
        let texts = pairs.map { pair in
            [pair.0, pair.1].compactMap { Unicode.Scalar($0) }.flatMap { Array(String($0).utf8) }
        }
        try compare(Self.joined(texts, by: " "))
    }

    @Test("random texts of mixed scripts fold as the oracle folds them", arguments: Seeds.first(4))
    func randomTexts(seed: UInt64) throws {
        var random = RandomTexts(seed: seed, scalars: FoldingOracle.scalars)
        try compare((0..<5_000).map { _ in random.text() })
    }

    /// Texts of 64 texts each, so that there are fewer lines.
    private static func joined(_ texts: [[UInt8]], by separator: String) -> [[UInt8]] {
        stride(from: 0, to: texts.count, by: 64).map { start in
            Array(texts[start..<min(start + 64, texts.count)].joined(separator: Array(separator.utf8)))
        }
    }

    private func compare(_ texts: [[UInt8]]) throws {
        let expected = try FoldingOracle.units(of: texts)
        try #require(expected.count == texts.count)
        var folded = FoldedText()
        var failures = 0
        for (text, expected) in zip(texts, expected) {
            text.withUnsafeBytes { folded.fold($0) }
            let line = FoldingOracle.line(folded)
            guard line != expected else { continue }
            failures += 1
            if failures <= 10 { Issue.record("\(FoldingOracle.hex(text[...])): \(difference(line, expected))") }
        }
        #expect(failures == 0)
    }

    /// The first units that differ.
    private func difference(_ line: String, _ expected: Substring) -> String {
        let units = line.split(separator: " ")
        let others = expected.split(separator: " ")
        let index = zip(units, others).enumerated().first { $1.0 != $1.1 }?.offset ?? min(units.count, others.count)
        return "\(units.dropFirst(index).prefix(2)), the oracle \(others.dropFirst(index).prefix(2))"
    }
}
