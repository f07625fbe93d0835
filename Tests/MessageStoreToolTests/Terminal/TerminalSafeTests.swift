import Foundation
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
            ("👨‍👩‍👧 你好 שלום", "👨‍👩‍👧 你好 שלום"), ("", ""), ("❤️‍🔥 ☎️ 👍🏽", "❤️‍🔥 ☎️ 👍🏽"),
            ("a\u{200B}b\u{200D}c", "a\\u{200B}b\\u{200D}c"), ("\u{AD}\u{34F}", "\u{AD}\u{34F}".escaped),
            ("1\u{FE0F}", "1" + "\u{FE0F}".escaped), ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}" + "\u{FE0F}".escaped),
            ("👍\u{200D}", "👍" + "\u{200D}".escaped), ("\u{E0041}", "\u{E0041}".escaped),
            ("\u{FFFE}\u{10FFFF}", "\u{FFFE}\u{10FFFF}".escaped), ("\u{3164}\u{115F}", "\u{3164}\u{115F}".escaped),
            ("\u{2800}", "\u{2800}".escaped), ("\u{180E}\u{2060}\u{206A}", "\u{180E}\u{2060}\u{206A}".escaped),
        ]
    )
    func harmfulCharactersAreEscaped(text: String, expected: String) {
        #expect(text.terminalSafe == expected)
    }

    /// Unicode's own lists of what has no shape.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        let hidden: [Unicode.GeneralCategory] = [
            .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .surrogate,
        ]
        return hidden.contains(scalar.properties.generalCategory) || scalar.properties.isDefaultIgnorableCodePoint
            || scalar.properties.isNoncharacterCodePoint
    }

    @Test func nothingInvisibleIsLeft() throws {
        // Most of what lies above has not been assigned.
        let scattered = stride(from: UInt32(0x3000), through: 0x10FFFF, by: TestSize.of(plain: 61, full: 1))
        for value in Array(0..<0x3000) + scattered {
            guard let scalar = Unicode.Scalar(value), Self.isInvisible(scalar) else { continue }
            let text = "a" + String(scalar) + "b"
            if text.terminalSafe.unicodeScalars.contains(where: Self.isInvisible) { Issue.record("\(value)") }
            if value >= 0x20, text.terminalSafeJSON.unicodeScalars.contains(where: Self.isInvisible) {
                Issue.record("JSON \(value)")
            }
        }
    }

    @Test(arguments: ["a\u{9B}b\u{202E}\u{2028}\u{E0041}c", "👨‍👩‍👧 你好", "\u{7F}\u{FFFE}", "plain"])
    func jsonStaysTheSameJSON(text: String) throws {
        let json = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self).terminalSafeJSON
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
    }

    @Test func piledUpMarksAreCut() {
        let text = "a" + String(repeating: "\u{301}", count: 10_000) + "b"
        #expect(text.terminalSafe.unicodeScalars.count == 10)
        #expect(text.terminalSafe.displayWidth == 2)
    }
}

extension String {
    /// Every scalar as an escape.
    fileprivate var escaped: String {
        unicodeScalars.map { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }.joined()
    }
}
