#if os(Linux)
// Only the toolchain of Linux has the standard library's canonical decomposition in its interface.
@testable import MessageStoreSearch
@_spi(_Unicode) import Swift

/// The rules of `Docs/Search.md` for one scalar.
enum ScalarRules {
    /// The scalars that a scalar folds to, without ignorable ones; the scalar itself where no others are left.
    static func fold(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        // The emoji Ⓜ is no letter, although it has a lower case, which is a symbol.
        guard scalar.properties.age != nil, !isEmoji(scalar) else { return [scalar] }
        var results = decompose([WidthVariants.normal[scalar] ?? scalar])
        while true {
            let folded = decompose(results.flatMap(foldCase))
            if folded == results { break }
            results = folded
        }
        let kept = compose(results).filter { scalarClass($0) != .ignorable }
        return kept.isEmpty ? [scalar] : kept
    }

    private static func decompose(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        scalars.flatMap { Array(String(Character($0))._nfd) }
    }

    /// Full case folding, from the mappings of cases: the lower case of the upper case, as Unicode defines it.
    private static func foldCase(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard scalar.properties.changesWhenCaseFolded else { return [scalar] }
        let upper = scalar.properties.uppercaseMapping.unicodeScalars
        // Cherokee alone folds to upper case.
        if (0x13F8...0x13FD).contains(scalar.value) || (0xAB70...0xABBF).contains(scalar.value) { return Array(upper) }
        return upper.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
    }

    /// Composes voiced kana and syllables again.
    private static func compose(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        scalars.reduce(into: []) { composed, scalar in
            if let last = composed.last, let value = CharacterComposition.compose(last.value, scalar.value),
                let whole = Unicode.Scalar(value)
            {
                composed[composed.count - 1] = whole
            } else {
                composed.append(scalar)
            }
        }
    }

    static func scalarClass(_ scalar: Unicode.Scalar) -> ScalarClass {
        if ScalarBlocks.isIgnorable(scalar) { return .ignorable }
        if isEmoji(scalar) || ScalarBlocks.isCharacter(scalar) { return .character }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return .word
        case .nonspacingMark, .spacingMark, .enclosingMark: return .word
        case .decimalNumber, .letterNumber, .otherNumber: return .word
        default: return .separator
        }
    }

    /// Whether a scalar that is not ASCII is pictographic, which holds for those reserved for emoji of the future as
    /// well, or a regional indicator.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1F1E6...0x1F1FF: return true
        case 0x80...0x32FF, 0x1F000...0x1FFFF: break
        default: return false
        }
        // A joiner joins an emoji only to a pictographic scalar; it then makes one character of both.
        var joined = String.UnicodeScalarView([scalar])
        joined += ["\u{200D}", "\u{1F600}"]
        return String(joined).count == 1
    }
}

/// The scalars with a mapping `<wide>` or `<narrow>`, which the standard library does not have.
private enum WidthVariants {
    static let normal: [Unicode.Scalar: Unicode.Scalar] = {
        var normal: [Unicode.Scalar: Unicode.Scalar] = ["\u{3000}": " "]
        let ascii = String((UInt8(0x21)...0x7E).map { Character(Unicode.Scalar($0)) })
        add(ascii + "⦅⦆。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン", at: 0xFF01, to: &normal)
        add("\u{3099}\u{309A}\u{3164}ㄱㄲㄳㄴㄵㄶㄷㄸㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅃㅄㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ", at: 0xFF9E, to: &normal)
        add("ㅏㅐㅑㅒㅓㅔ", at: 0xFFC2, to: &normal)
        add("ㅕㅖㅗㅘㅙㅚ", at: 0xFFCA, to: &normal)
        add("ㅛㅜㅝㅞㅟㅠ", at: 0xFFD2, to: &normal)
        add("ㅡㅢㅣ", at: 0xFFDA, to: &normal)
        add("¢£¬¯¦¥₩", at: 0xFFE0, to: &normal)
        add("│←↑→↓■○", at: 0xFFE8, to: &normal)
        return normal
    }()

    private static func add(_ scalars: String, at start: UInt32, to normal: inout [Unicode.Scalar: Unicode.Scalar]) {
        for (value, scalar) in zip(start..., scalars.unicodeScalars) {
            if let variant = Unicode.Scalar(value) { normal[variant] = scalar }
        }
    }
}
#endif
