extension String {
    /// The text in a form that cannot move the cursor, start a new line or turn the direction of other text.
    ///
    /// A tab becomes a space; other control characters, line separators and bidirectional controls become visible
    /// escapes such as `\u{1B}`. Of a run of combining marks only the first eight stay. The rest is unchanged.
    var terminalSafe: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
        let greatestRunOfMarks = 8
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.isCombiningMark ? marks + 1 : 0
            if marks > greatestRunOfMarks { continue }
            if let escape = scalar.terminalEscape {
                result.append(contentsOf: escape.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// What stands for a scalar that would harm a terminal, or `nil` if it may stand for itself.
    fileprivate var terminalEscape: String? {
        switch value {
        case 0x09: " "
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case 0x00...0x1F, 0x7F...0x9F: hexadecimalEscape
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F: hexadecimalEscape
        case 0xFEFF, 0xFFF9...0xFFFB: hexadecimalEscape
        default: nil
        }
    }

    private var hexadecimalEscape: String {
        "\\u{\(String(value, radix: 16, uppercase: true))}"
    }

    fileprivate var isCombiningMark: Bool {
        guard value >= 0x300 else { return false }
        let category = properties.generalCategory
        return category == .nonspacingMark || category == .enclosingMark
    }
}
