/// The scalars that several make one emoji with: parts of flags, and what joins others.
enum EmojiScalar {
    static let joiner: UInt32 = 0x200D
    /// The joiner as UTF-8.
    static let joinerBytes: [UInt8] = [0xE2, 0x80, 0x8D]
    private static let keycap: UInt32 = 0x20E3

    /// Whether two of the scalars are a flag.
    @inline(__always)
    static func isRegionalIndicator(_ scalar: UInt32) -> Bool { 0x1F1E6...0x1F1FF ~= scalar }

    /// Whether the scalar makes a flag another one than those that begin with the same emoji.
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
