/// Random texts, the same for each seed, of parts that folding treats by rules of their own.
struct RandomTexts: RandomNumberGenerator {
    private static let parts: [[UInt8]] =
        [
            // Words, with marks, cases and joiners.
            "a", "Z", "ok", "9", "É", "e\u{301}", "ß", "İ", "ı", "ſ", "Σ", "ς", "Й", "и\u{306}", "ﬃ", "ŉ", "ᾳ",
            "\u{345}",
            "Ａ", "１", "محمد", "مُحَمَّد", "ـ", "أ", "שלום", "שָׁ", "नि", "क़", "ো", "Ꭰ", "ꭰ", "\u{308}", "\u{AD}", "\u{200D}",
            // Characters.
            "重", "々", "〇", "が", "か", "ハ", "ー", "\u{3099}", "\u{309A}", "ｶ", "ﾊ", "ﾞ", "ﾟ", "ゝ", "ワ", "\u{F900}", "⼀",
            "한", "하", "\u{1112}", "\u{1161}", "\u{11AB}", "\u{1100}", "\u{1176}", "\u{A960}", "ㅎ", "ﾡ", "ㅤ",
            "ก", "ำ", "้", "ລ", "ខ", "ဦ", "๑", "👍", "🏽", "👨\u{200D}👩\u{200D}👧", "🇩🇪", "1\u{FE0F}\u{20E3}", "❤\u{FE0F}",
            "Ⓜ", "©", "🇺", "🇸", "👨", "💻", "🏴", "♀", "👩🏽\u{200D}", "#\u{FE0F}\u{20E3}", "*\u{20E3}", "#", "\u{20E3}",
            "🏴\u{E0067}\u{E0062}\u{E007F}",
            // Separators.
            " ", ", ", "_", "・", "。", "　", "\n", "\u{0}", "\u{200B}", "→", "\u{E000}", "\u{FFFF}", "𝅗𝅥",
            // Ignorable alone.
            "\u{FE0F}", "\u{200E}", "\u{202B}", "\u{2060}", "\u{FEFF}", "\u{E0101}", "\u{E0067}", "\u{344}",
        ].map { Array($0.utf8) } + [
            // Not valid: cut off, longer than need be, surrogates, beyond the last scalar, and bytes of no scalar.
            [0x80], [0xC3], [0xE9, 0x87], [0xF0, 0x9F, 0x91], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80],
            [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ]

    private var state: UInt64
    private let scalars: [Unicode.Scalar]

    init(seed: UInt64, scalars: [Unicode.Scalar]) {
        (state, self.scalars) = (seed, scalars)
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func text() -> [UInt8] {
        (0..<Int.random(in: 0...24, using: &self)).flatMap { _ -> [UInt8] in
            switch UInt8.random(in: 0..<16, using: &self) {
            case 0: [.random(in: 0...255, using: &self)]
            case 1: scalars.randomElement(using: &self).map { Array(String($0).utf8) } ?? []
            default: Self.parts.randomElement(using: &self) ?? []
            }
        }
    }
}
