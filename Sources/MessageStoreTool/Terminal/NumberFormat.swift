/// Numbers, times and sizes as people read them, the same in every locale.
enum NumberFormat {
    /// An integer with a comma between groups of three digits, such as `1,234,567`.
    static func count(_ value: some BinaryInteger) -> String {
        let digits = Array(String(value.magnitude))
        var result = value < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0 && (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return result
    }

    /// A number with the counted thing, such as `1 row differs` or `1,234 rows differ`.
    static func count(_ value: some BinaryInteger, _ one: String, _ many: String) -> String {
        "\(count(value)) \(value == 1 ? one : many)"
    }

    /// The exact number of bytes, such as `1 byte` or `12345 bytes`.
    static func exactBytes(_ value: Int) -> String { value == 1 ? "1 byte" : "\(value) bytes" }

    /// A number of bytes in decimal units, with one place after the point from 1 kB on, such as `12.3 MB`.
    static func bytes(_ value: UInt64) -> String {
        guard value >= 1_000 else { return "\(value) B" }
        var tenthOfUnit: UInt64 = 100
        for unit in ["kB", "MB", "GB", "TB", "PB"] {
            let tenths = roundedQuotient(value, tenthOfUnit)
            if tenths < 10_000 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            tenthOfUnit *= 1_000
        }
        let tenths = roundedQuotient(value, tenthOfUnit)
        return "\(tenths / 10).\(tenths % 10) EB"
    }

    /// How many a second, such as `12,345/s`, below 10 with one place after the point; `-/s` if no time went by.
    static func rate(_ count: Int, over duration: Duration) -> String {
        guard duration > .zero else { return "-/s" }
        let perSecond = Double(count) / seconds(duration)
        if perSecond >= 0 && perSecond < 9.95, let tenths = Int64(exactly: (perSecond * 10).rounded()) {
            return "\(tenths / 10).\(tenths % 10)/s"
        }
        guard let whole = Int64(exactly: perSecond.rounded()) else { return "-/s" }
        return "\(self.count(whole))/s"
    }

    /// A duration in its two greatest units, such as `350 ms`, `2.4 s`, `3 min 05 s` or `1 h 02 min`.
    ///
    /// The rest is cut off, and a negative duration counts as none.
    static func duration(_ value: Duration) -> String {
        let (whole, attoseconds) = min(max(value, .zero), greatestDuration).components
        switch whole {
        case 0 where attoseconds < 1_000_000_000_000_000: return "\(attoseconds / 1_000_000_000_000) µs"
        case 0: return "\(attoseconds / 1_000_000_000_000_000) ms"
        case ..<60: return "\(whole).\(attoseconds / 100_000_000_000_000_000) s"
        case ..<3_600: return "\(whole / 60) min \(padded(whole % 60, 2)) s"
        case ..<86_400: return "\(whole / 3_600) h \(padded(whole / 60 % 60, 2)) min"
        default: return "\(count(whole / 86_400)) d \(whole / 3_600 % 24) h"
        }
    }

    /// A duration in seconds, as near as a `Double` comes; a negative duration counts as none.
    static func seconds(_ value: Duration) -> Double {
        let (whole, attoseconds) = min(max(value, .zero), greatestDuration).components
        return Double(whole) + Double(attoseconds) * 1e-18
    }

    /// Decimal digits, with zeros in front up to `width` of them; the sign is dropped.
    static func padded(_ value: Int64, _ width: Int) -> String {
        let digits = String(value.magnitude)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    // `Duration.components` has no room for more seconds.
    private static let greatestDuration: Duration = .seconds(Int64.max)

    private static func roundedQuotient(_ value: UInt64, _ divisor: UInt64) -> UInt64 {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder >= divisor - remainder ? quotient + 1 : quotient
    }
}

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

extension [String] {
    /// The words, two spaces apart, on lines of a width, of which all but the first begin four columns further in.
    ///
    /// A word that is longer than a line is broken.
    func lines(indent: Int, width: Int) -> [String] {
        var (lines, used) = ([String(repeating: " ", count: indent)], indent)
        func begin() {
            lines.append(String(repeating: " ", count: indent + 4))
            used = indent + 4
        }
        for (index, word) in enumerated() where !word.isEmpty {
            let wanted = word.displayWidth
            if index > 0, used + 2 + wanted > width {
                begin()
            } else if index > 0 {
                lines[lines.count - 1] += "  "
                used += 2
            }
            guard used + wanted > width else {
                lines[lines.count - 1] += word
                used += wanted
                continue
            }
            for character in word {
                if used + character.displayWidth > width, used > indent + 4 { begin() }
                lines[lines.count - 1].append(character)
                used += character.displayWidth
            }
        }
        return lines
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

/// The characters that take two columns of a terminal.
///
/// Source: the ranges `W` and `F` of the Unicode Character Database, EastAsianWidth.txt 15.1.0. Ranges between which
/// there are only unassigned code points are joined. Ambiguous characters (`A`) count as narrow.
enum WideCharacters {
    /// Whether `scalar` is wide or fullwidth.
    static func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(value)
    }

    private static let ranges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
        0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F, 0x2693...0x2693, 0x26A1...0x26A1,
        0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA,
        0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B,
        0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
        0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x2E80...0x303E,
        0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F004...0x1F004,
        0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320, 0x1F32D...0x1F335,
        0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
        0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D,
        0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4,
        0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF,
        0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945,
        0x1F947...0x1F9FF, 0x1FA70...0x1FAF8, 0x20000...0x3FFFD,
    ]
}
