import Testing

@testable import MessageStoreSearch

@Suite("Folded texts")
struct FoldedTextTests {
    /// A text and its units: a character in brackets, and a plus before a unit that is joined.
    struct Example: CustomTestStringConvertible {
        var name: String
        var text: String
        var units: String
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ units: String) {
            (self.name, self.text, self.units) = (name, text, units)
        }
    }

    static let words = [
        Example("case", "Hello WORLD", "hello world"),
        Example("ß", "Straße STRASSE ẞ", "strasse strasse ss"),
        Example("İ and ı", "İstanbul ısı", "istanbul ısı"),
        Example("ſ", "Waſſer", "wasser"),
        Example("final sigma", "Ὀδυσσεύς ΟΔΥΣΣΕΥΣ", "οδυσσευσ οδυσσευσ"),
        Example("iota subscript", "τῷ ΤΩΙ", "τωι τωι"),
        Example("full width", "ＡＢＣ　１２！", "abc 12"),
        Example("ligatures", "oﬃce ﬅ", "office st"),
        Example("accents", "café cafe\u{301} Ångström", "cafe cafe angstrom"),
        Example("Vietnamese", "Tiếng Việt đ", "tieng viet đ"),
        Example("Cyrillic", "Ёлка й", "елка и"),
        Example("Cherokee", "ꭰꭱ ᎠᎡ", "ᎠᎡ ᎠᎡ"),
        Example("Arabic with harakat and tatweel", "مُحَمَّد محـــمد أإآ", "محمد محمد ااا"),
        Example("Hebrew with points", "שָׁלוֹם שלום", "שלום שלום"),
        Example("Hindi keeps its matras", "क़लम नि न", "क\u{93C}लम नि न"),
        Example("Bopomofo and Yi are words", "ㄅㄆ ꀀꀁ", "ㄅㄆ ꀀꀁ"),
        Example("punctuation separates", "don't snake_case a.b@c", "don t snake case a b c"),
        Example("numbers", "3,14 ٣ ² ½", "3 14 ٣ ² ½"),
        Example("soft hyphen", "exam\u{AD}ple", "example"),
        Example("joiners, directions, byte order mark", "a\u{200D}b\u{200C}c\u{200E}d\u{2060}e\u{FEFF}f", "abcdef"),
        Example("zero-width space separates", "a\u{200B}b", "a b"),
    ]

    static let characters = [
        Example("Han and words", "重跑gen后, ok", "[重] +[跑] +gen +[后] ok"),
        Example("iteration marks", "人々〆〇", "[人] +[々] +[〆] +[〇]"),
        Example("compatibility ideographs", "\u{F900}\u{2F800}", "[\u{8C48}] +[\u{4E3D}]"),
        Example("voiced kana", "が か\u{3099} ぱ", "[が] [が] [ぱ]"),
        Example("half-width kana", "ｶﾞ ﾊﾟｰﾃｨ ﾞ", "[ガ] [パ] +[ー] +[テ] +[ィ] [\u{3099}]"),
        Example("hiragana and katakana differ", "かカ", "[か] +[カ]"),
        Example("what has no voiced form", "あ\u{3099}", "[あ] +[\u{3099}]"),
        Example("Hangul of three jamo", "\u{1112}\u{1161}\u{11AB} 한", "[한] [한]"),
        Example("a final after a syllable", "하\u{11AB}글", "[한] +[글]"),
        Example("a final after a whole syllable", "한\u{11AB}", "[한] +[\u{11AB}]"),
        Example("compatibility jamo", "ㅎㅎ ﾾ", "[ㅎ] +[ㅎ] [ㅎ]"),
        Example("Thai", "น้ำ ๑", "[น] +[\u{E49}] +[ำ] ๑"),
        Example("Myanmar and Khmer", "ဦ ខ្ម", "[ဥ] +[\u{102E}] [ខ] +[\u{17D2}] +[ម]"),
        Example("family", "👨\u{200D}👩\u{200D}👧 👨👩", "[👨\u{200D}👩\u{200D}👧] [👨] +[👩]"),
        Example("joined with tones and signs", "👩🏽\u{200D}💻 ❤\u{FE0F}\u{200D}🔥", "[👩\u{200D}💻] [❤\u{200D}🔥]"),
        Example("what joins nothing", "重\u{200D}👍\u{200D}重 👍\u{200D}\u{FE0F}👍", "[重] +[👍] +[重] [👍] +[👍]"),
        Example("flags", "🇩🇪🇫🇷🇺 🇸", "[🇩🇪] +[🇫🇷] +[🇺] [🇸]"),
        Example("halves of flags apart", "🇩\u{FE0F}🇪🇫", "[🇩] +[🇪🇫]"),
        Example(
            "flags of regions", "🏴\u{E0067}\u{E0062}\u{E007F}🏴", "[🏴\u{E0067}\u{E0062}\u{E007F}] +[🏴]"),
        Example("keycaps of signs", "a#\u{FE0F}\u{20E3}*\u{20E3} #", "a +[#\u{20E3}] +[*\u{20E3}]"),
        Example("tone of skin", "👍🏽👍", "[👍] +[👍]"),
        Example("keycap", "1\u{FE0F}\u{20E3}", "1"),
        Example("circled M", "Ⓜ\u{FE0F} ⓜ", "[Ⓜ]"),
        Example("symbols that are no emoji separate", "a→b€c", "a b c"),
    ]

    static let nothing = [
        Example("empty", "", ""),
        Example("marks alone", "\u{301}\u{64E}\u{200D}\u{FE0F}", ""),
        Example("marks after a separator", ", \u{301}\u{344}", ""),
        Example("punctuation alone", "… — ?!", ""),
    ]

    @Test("texts fold to these units", arguments: words + characters + nothing)
    func units(example: Example) {
        let folded = FoldedText(example.text)
        #expect(Self.description(folded) == example.units)
        #expect(!folded.isCutOff)
    }

    @Test(
        "a unit's source covers what became it, and the marks after it",
        arguments: [
            ("cafe\u{301} ok", [0..<6, 7..<9]),
            ("\u{301}a\u{301}\u{FE0F},\u{301}b", [2..<8, 11..<12]),
            ("👍🏽👍", [0..<8, 8..<12]),
            ("か\u{3099}ｶﾞ", [0..<6, 6..<12]),
            ("か\u{FE0F}\u{3099}", [0..<9]),
            ("\u{1112}\u{1161}\u{11AB}a", [0..<9, 9..<10]),
            ("ဦ", [0..<3, 0..<3]),
            ("1\u{FE0F}\u{20E3}", [0..<7]),
            ("重\u{200D}a", [0..<6, 6..<7]),
        ])
    func sources(text: String, sources: [Range<Int>]) {
        #expect(FoldedText(text).units.map(\.source) == sources)
    }

    @Test(
        "bytes that are not valid separate",
        arguments: [
            [0x80], [0xC3], [0xE9, 0x87], [0xF0, 0x9F, 0x91], [0xF0], [0xE9],  // cut off
            [0xC0, 0x80], [0xC1, 0x81], [0xE0, 0x81, 0x81], [0xE0, 0x9F, 0xBF], [0xF0, 0x87, 0x81, 0x81],  // overlong
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],  // surrogates
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80],  // beyond 10FFFF
            [0xFE], [0xFF], [0xC3, 0xC3], [0xE9, 0xE9, 0x87],
        ] as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        #expect(Self.fold(Array("a".utf8) + bytes + Array("b".utf8)) == "a b")
        #expect(Self.fold(Array("重".utf8) + bytes) == "[重]")
        #expect(Self.fold(bytes) == "")
    }

    private static func fold(_ bytes: [UInt8]) -> String {
        var folded = FoldedText()
        bytes.withUnsafeBytes { folded.fold($0) }
        return description(folded)
    }

    static func description(_ folded: FoldedText) -> String {
        folded.units.map { unit in
            let text = String(decoding: folded.bytes[unit.folded], as: UTF8.self)
            return (unit.isJoined ? "+" : "") + (unit.kind == .word ? text : "[\(text)]")
        }.joined(separator: " ")
    }
}
