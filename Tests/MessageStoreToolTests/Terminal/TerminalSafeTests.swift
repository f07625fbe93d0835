import Testing

@testable import MessageStoreTool

@Suite("Text made safe for a terminal")
struct TerminalSafeTests {
    @Test(
        arguments: [
            ("plain", "plain"), ("a\tb", "a b"), ("a\nb\rc", "a\\nb\\rc"), ("\r\n", "\\r\\n"), ("\0", "\\u{0}"),
            ("\u{1B}[31mred", "\\u{1B}[31mred"), ("\u{7F}", "\\u{7F}"), ("\u{9B}2J", "\\u{9B}2J"),
            ("\u{202E}evil", "\\u{202E}evil"), ("\u{2066}", "\\u{2066}"), ("\u{200F}", "\\u{200F}"),
            ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"), ("a\u{85}", "a\\u{85}"), ("\u{FEFF}", "\\u{FEFF}"),
            ("👨‍👩‍👧 你好 שלום", "👨‍👩‍👧 你好 שלום"), ("", ""),
        ]
    )
    func harmfulCharactersAreEscaped(text: String, expected: String) {
        #expect(text.terminalSafe == expected)
    }

    @Test func noControlCharacterIsLeft() {
        for value in (UInt32(0)...0x2FFF) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let safe = String(scalar).terminalSafe
            #expect(safe.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }

    @Test func piledUpMarksAreCut() {
        let text = "a" + String(repeating: "\u{301}", count: 10_000) + "b"
        #expect(text.terminalSafe.unicodeScalars.count == 10)
        #expect(text.terminalSafe.displayWidth == 2)
    }
}
