/// A text as the search compares it: words and characters, without differences of case, accents and width.
package struct FoldedText: Sendable {
    package enum Kind: UInt8, Sendable {
        /// A run of letters, marks and numbers of a script that separates words.
        case word
        /// One scalar of a script that does not, or an emoji, which may have several.
        case character
    }

    package struct Unit: Equatable, Sendable {
        package var kind: Kind
        /// Whether no separator lies between this unit and the one before it. False for a text's first unit.
        package var isJoined: Bool
        // Ranges of 32 bits make a unit half as large.
        private var foldedStart: UInt32
        private var foldedEnd: UInt32
        private var sourceStart: UInt32
        private var sourceEnd: UInt32

        package init(kind: Kind, isJoined: Bool, folded: Range<Int>, source: Range<Int>) {
            (self.kind, self.isJoined) = (kind, isJoined)
            (foldedStart, foldedEnd) = (UInt32(folded.lowerBound), UInt32(folded.upperBound))
            (sourceStart, sourceEnd) = (UInt32(source.lowerBound), UInt32(source.upperBound))
        }

        /// The unit's bytes in ``FoldedText/bytes``.
        package var folded: Range<Int> {
            get { Int(foldedStart)..<Int(foldedEnd) }
            set { (foldedStart, foldedEnd) = (UInt32(newValue.lowerBound), UInt32(newValue.upperBound)) }
        }

        /// The bytes of the original text's UTF-8 that became the unit, with the ignorable scalars after them.
        package var source: Range<Int> {
            get { Int(sourceStart)..<Int(sourceEnd) }
            set { (sourceStart, sourceEnd) = (UInt32(newValue.lowerBound), UInt32(newValue.upperBound)) }
        }
    }

    /// The folded units as UTF-8, one after the other.
    package private(set) var bytes: [UInt8] = []
    /// The units in the order of the text.
    package private(set) var units: [Unit] = []
    /// Whether the text was longer than the maximum, so that only its beginning was folded.
    package private(set) var isCutOff = false

    package init() {}

    package init(_ text: String) {
        var text = text
        text.withUTF8 { fold(UnsafeRawBufferPointer($0)) }
    }

    /// Replaces the earlier units by the units of a text.
    ///
    /// The arrays keep their capacity, and nothing is allocated if it suffices. A scalar that crosses the maximum is
    /// left out: its first bytes alone are not valid and act as a separator.
    ///
    /// - Parameters:
    ///   - text: The text as UTF-8. Bytes that are not valid act as a separator.
    ///   - maximumBytes: How many bytes of the text are folded; at most `UInt32.max / 4`, as they can become three
    ///     times as many.
    package mutating func fold(
        _ text: UnsafeRawBufferPointer, maximumBytes: Int = FoldingRules.maximumTextBytes
    ) {
        precondition(maximumBytes >= 0 && maximumBytes <= UInt32.max / 4, "The maximum is out of bounds.")
        isCutOff = text.count > maximumBytes
        var folder = TextFolder()
        swap(&folder.bytes, &bytes)
        swap(&folder.units, &units)
        folder.fold(UnsafeRawBufferPointer(rebasing: text.prefix(maximumBytes)))
        swap(&folder.bytes, &bytes)
        swap(&folder.units, &units)
    }
}

/// The scalars that several make one emoji with: parts of flags, and joiners of others.
enum EmojiScalar {
    static let joiner: UInt32 = 0x200D
    /// The joiner as UTF-8.
    static let joinerBytes: [UInt8] = [0xE2, 0x80, 0x8D]
    private static let keycap: UInt32 = 0x20E3

    /// Whether two of the scalars are a flag.
    @inline(__always)
    static func isRegionalIndicator(_ scalar: UInt32) -> Bool { 0x1F1E6...0x1F1FF ~= scalar }

    /// Whether the scalar makes a flag differ from others that begin with the same emoji.
    static func isTag(_ scalar: UInt32) -> Bool { 0xE0020...0xE007F ~= scalar }

    /// Whether a scalar of the class `character` is an emoji that joins others.
    static func isPictograph(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xA9, 0xAE, 0x203C...0x2BFF, 0x3030, 0x303D, 0x3297, 0x3299, 0x1F000...0x1FAFF:
            !isRegionalIndicator(scalar)
        default: false
        }
    }

    /// Whether a byte may begin the keycap of a sign; keycaps of digits are words like the digits.
    @inline(__always)
    static func beginsKeycap(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "#") || byte == UInt8(ascii: "*") }

    /// The keycap that begins at a byte of a text, as its folded bytes, and where it ends; nil if none does.
    @inline(never)
    static func keycap(in text: UnsafeRawBufferPointer, at start: Int) -> (folded: [UInt8], end: Int)? {
        var end = start + 1
        if let (scalar, length) = scalar(in: text, at: end), scalar == 0xFE0F { end += length }
        guard let (scalar, length) = scalar(in: text, at: end), scalar == keycap else { return nil }
        var folded = [text[start]]
        UTF8Scalar.append(keycap, to: &folded)
        return (folded, end + length)
    }

    private static func scalar(in text: UnsafeRawBufferPointer, at index: Int) -> (UInt32, Int)? {
        index < text.count && text[index] >= 0x80 ? UTF8Scalar.decode(text, at: index) : nil
    }
}

/// Scalars as UTF-8, without the checks of whole texts that `String` makes.
enum UTF8Scalar {
    /// Reads the scalar that begins at a byte which is not ASCII; nil if no valid one does.
    @inline(__always)
    static func decode(_ text: UnsafeRawBufferPointer, at index: Int) -> (scalar: UInt32, length: Int)? {
        let first = UInt32(text[index])
        switch first {
        case 0xE0...0xEF:
            guard let second = continuation(text, index + 1), let third = continuation(text, index + 2) else {
                return nil
            }
            let scalar = (first & 0x0F) << 12 | second << 6 | third
            // Not a longer form of a shorter one, and no surrogate.
            return scalar >= 0x800 && scalar & 0xF800 != 0xD800 ? (scalar, 3) : nil
        case 0xC2...0xDF:
            guard let second = continuation(text, index + 1) else { return nil }
            return ((first & 0x1F) << 6 | second, 2)
        case 0xF0...0xF4:
            guard let second = continuation(text, index + 1), let third = continuation(text, index + 2),
                let fourth = continuation(text, index + 3)
            else { return nil }
            let scalar = (first & 0x07) << 18 | second << 12 | third << 6 | fourth
            return scalar >= 0x10000 && scalar <= 0x10FFFF ? (scalar, 4) : nil
        default: return nil
        }
    }

    /// The six bits of a byte that continues a scalar.
    @inline(__always)
    private static func continuation(_ text: UnsafeRawBufferPointer, _ index: Int) -> UInt32? {
        guard index < text.count, text[index] & 0xC0 == 0x80 else { return nil }
        return UInt32(text[index] & 0x3F)
    }

    @inline(__always)
    static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
        switch scalar {
        case ..<0x80: bytes.append(UInt8(scalar))
        case ..<0x800:
            bytes.append(UInt8(0xC0 | scalar >> 6))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        case ..<0x10000:
            bytes.append(UInt8(0xE0 | scalar >> 12))
            bytes.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        default:
            bytes.append(UInt8(0xF0 | scalar >> 18))
            bytes.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            bytes.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            bytes.append(UInt8(0x80 | scalar & 0x3F))
        }
    }
}
