import Testing

@testable import MessageStoreTool

@Suite("Display width")
struct DisplayWidthTests {
    @Test(
        arguments: [
            ("", 0), ("abc", 3), ("héllo", 5), ("he\u{301}llo", 5), ("你好", 4), ("한국어", 6),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("ﾊﾝ", 2), ("ＡＢ", 4), ("。", 2), ("😀", 2), ("👍🏽", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2),
            ("❤", 1), ("❤\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2), ("→", 1), ("a\u{200B}b", 2), ("שלום", 4), ("สวัสดี", 4),
            ("☕", 2), ("\u{1B}", 0), ("\u{20000}", 2), ("\u{303F}", 1), ("\u{3042}", 2), ("so\u{AD}ft", 5), ("…", 1),
        ]
    )
    func widthIsThatOfATerminal(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test(
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("abcd", 0, ""), ("abcd", -5, ""),
            ("你好吗", 6, "你好吗"), ("你好吗", 5, "你好…"), ("你好吗", 4, "你…"), ("👨‍👩‍👧👨‍👩‍👧", 3, "👨‍👩‍👧…"), ("", 0, ""),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ]
    )
    func truncatingKeepsToTheWidth(text: String, width: Int, expected: String) {
        let truncated = text.truncated(toDisplayWidth: width)
        #expect(truncated == expected)
        #expect(truncated.displayWidth <= max(width, 0))
    }

    @Test func paddingCountsColumns() {
        #expect("你".padded(toDisplayWidth: 4) == "你  ")
        #expect("你".padded(toDisplayWidth: 4, alignment: .right) == "  你")
        #expect("abc".padded(toDisplayWidth: 2) == "abc")
        #expect("abc".padded(toDisplayWidth: .min) == "abc")
    }
}
