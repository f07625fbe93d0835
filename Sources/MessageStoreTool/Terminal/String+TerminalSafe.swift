extension String {
    /// The text in a form that cannot move the cursor, start a new line, turn the direction of other text, or hide
    /// anything.
    ///
    /// A tab becomes a space; control characters, line separators and everything that has no shape of its own become
    /// visible escapes such as `\u{1B}`. Of a run of combining marks only the first eight stay. Scalars that join or
    /// colour emoji stay between emoji. The rest is unchanged.
    var terminalSafe: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        let greatestRunOfMarks = 8
        var result = String.UnicodeScalarView()
        var marks = 0
        for (scalar, isJoined) in zip(unicodeScalars, emojiJoints) {
            marks = scalar.isCombiningMark ? marks + 1 : 0
            if marks > greatestRunOfMarks { continue }
            if !isJoined, scalar.isHarmful {
                result.append(contentsOf: scalar.terminalEscape.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The same JSON with `\uXXXX` for each character that ``terminalSafe`` escapes.
    ///
    /// Outside of strings JSON is ASCII, so it stays the same JSON.
    var terminalSafeJSON: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        var result = String.UnicodeScalarView()
        for (scalar, isJoined) in zip(unicodeScalars, emojiJoints) {
            guard !isJoined, scalar.isHarmful else {
                result.append(scalar)
                continue
            }
            for unit in scalar.utf16 {
                let digits = String(unit, radix: 16)
                result.append(
                    contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars)
            }
        }
        return String(result)
    }

    /// For each scalar, whether it joins two emoji or asks for the colours of the one before.
    private var emojiJoints: [Bool] {
        let scalars = Array(unicodeScalars)
        var joints = [Bool](repeating: false, count: scalars.count)
        for (index, scalar) in scalars.enumerated().dropFirst() {
            let follows = scalars[index - 1].isEmoji
            switch scalar.value {
            case 0xFE0F: joints[index] = follows
            case 0x200D:
                let isColoured = scalars[index - 1].value == 0xFE0F && joints[index - 1]
                joints[index] = (follows || isColoured) && index + 1 < scalars.count && scalars[index + 1].isEmoji
            default: break
            }
        }
        return joints
    }
}

extension Unicode.Scalar {
    /// Whether the scalar moves the cursor, turns text around, or cannot be seen at all.
    fileprivate var isHarmful: Bool {
        if (0x20..<0x7F).contains(value) { return false }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .surrogate: return true
        // A blank Braille pattern is one in name alone.
        default: return properties.isDefaultIgnorableCodePoint || value == 0x2800
        }
    }

    /// The replacement of a harmful scalar.
    fileprivate var terminalEscape: String {
        switch value {
        case 0x09: " "
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        default: "\\u{\(String(value, radix: 16, uppercase: true))}"
        }
    }

    fileprivate var isEmoji: Bool { value > 0xFF && properties.isEmoji }

    fileprivate var isCombiningMark: Bool {
        guard value >= 0x300 else { return false }
        let category = properties.generalCategory
        return category == .nonspacingMark || category == .enclosingMark
    }
}
