/// The blocks and single scalars that the rules of `Docs/Search.md` name.
enum ScalarBlocks {
    static func isIgnorable(_ scalar: Unicode.Scalar) -> Bool {
        if contains(alwaysIgnorable, scalar) {
            // The iota subscript is a mark that folds to a letter.
            return scalar.value != 0x345
        }
        return contains(blocksWithIgnorableMarks, scalar) && isMark(scalar)
    }

    /// Whether a scalar is a unit by itself, emoji apart.
    static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        guard contains(characterBlocks, scalar) else { return false }
        switch scalar.properties.generalCategory {
        case .modifierLetter, .otherLetter, .letterNumber: return true
        case .otherSymbol: return (0x2E80...0x2FDF).contains(scalar.value)  // radicals of Han
        default: return isMark(scalar)
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func contains(_ ranges: [ClosedRange<UInt32>], _ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) }
    }

    private static let alwaysIgnorable: [ClosedRange<UInt32>] = [
        // Combining marks of Latin, Greek and Cyrillic, and those of symbols.
        0x0300...0x036F, 0x0483...0x0489, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F,
        // Soft hyphen, tatweel, joiners, word joiner, byte order mark.
        0x00AD...0x00AD, 0x0640...0x0640, 0x200C...0x200D, 0x2060...0x2060, 0xFEFF...0xFEFF,
        // Directions.
        0x061C...0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069,
        // Variation selectors, of Mongolian too.
        0x180B...0x180D, 0x180F...0x180F, 0xFE00...0xFE0F, 0xE0100...0xE01EF,
        // Tones of skin, and tags, which spell the flags of regions.
        0x1F3FB...0x1F3FF, 0xE0020...0xE007F,
    ]

    private static let blocksWithIgnorableMarks: [ClosedRange<UInt32>] = [
        0x0590...0x05FF, 0xFB1D...0xFB4F,  // Hebrew
        0x0600...0x06FF, 0x0750...0x077F, 0x0870...0x08FF, 0x10EC0...0x10EFF,  // Arabic
    ]

    private static let characterBlocks: [ClosedRange<UInt32>] = [
        // Han: radicals, the letters among the punctuation (々, 〆, 〇), ideographs and their extensions.
        0x2E80...0x2FDF, 0x3000...0x303F, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF,
        // Kana.
        0x3040...0x30FF, 0x31F0...0x31FF, 0x1AFF0...0x1AFFF, 0x1B000...0x1B16F,
        // Hangul.
        0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF,
        // Thai, Lao, Myanmar, Khmer.
        0x0E00...0x0E7F, 0x0E80...0x0EFF, 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F, 0x116D0...0x116FF,
        0x1780...0x17FF,
    ]
}
