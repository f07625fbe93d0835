/// The side of its column on which a text is printed.
enum TextAlignment: Sendable {
    case left
    case right
}

extension String {
    /// How many columns of a terminal the text takes.
    ///
    /// Wide characters and emoji take two, combining marks and joiners none. Control characters count as nothing:
    /// they must have been escaped before, see `terminalSafe`.
    var displayWidth: Int {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return utf8.count }
        return reduce(0) { $0 + $1.displayWidth }
    }

    /// The text cut to at most `width` columns, with `…` as its last character if anything was cut off.
    ///
    /// Characters are never cut apart, so that the result may be one column narrower.
    func truncated(toDisplayWidth width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var result = ""
        var used = 1
        for character in self {
            used += character.displayWidth
            if used > width { break }
            result.append(character)
        }
        return result + "…"
    }

    /// The text with spaces up to `width` columns; a wider text is left as it is.
    func padded(toDisplayWidth width: Int, alignment: TextAlignment = .left) -> String {
        let padding = String(repeating: " ", count: max(displayWidth, width) - displayWidth)
        return alignment == .left ? self + padding : padding + self
    }
}

extension Character {
    /// How many columns of a terminal the character takes, 0 for control characters.
    var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if unicodeScalars.count == 1 { return first.displayWidth }
        let isEmoji = first.properties.isEmojiPresentation
        let becomesEmoji = first.properties.isEmoji && unicodeScalars.contains("\u{FE0F}")
        if isEmoji || becomesEmoji { return 2 }
        return unicodeScalars.reduce(0) { $0 + $1.displayWidth }
    }
}

extension Unicode.Scalar {
    /// The number of columns of a terminal that the scalar takes on its own.
    fileprivate var displayWidth: Int {
        if (0x20..<0x7F).contains(value) { return 1 }
        if self == "\u{AD}" { return 1 }
        switch properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        // Vowels and final consonants of Hangul join the consonant before them.
        if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
        return WideCharacters.contains(self) ? 2 : 1
    }
}
