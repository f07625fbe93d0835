/// What the index has a list of messages for: a part of a text, or a property of a message.
///
/// - A word is a gram, cut off after ``greatestCount`` bytes as all are.
/// - Two characters that follow each other without a separator are one, and so is a character that no other follows:
///   what begins with a character is a range of grams.
/// - Properties begin with a byte that no folded text has.
enum Gram {
    /// The bytes that are looked up; the rest is compared with the text.
    static let greatestCount = 32

    static func conversation(_ number: UInt32) -> [UInt8] { property(0x63, number) }
    static func sender(_ number: UInt32) -> [UInt8] { property(0x73, number) }
    static func contentType(_ number: UInt32) -> [UInt8] { property(0x74, number) }
    static let mention: [UInt8] = [1, 0x6D]
    static let link: [UInt8] = [1, 0x6C]

    private static func property(_ kind: UInt8, _ number: UInt32) -> [UInt8] {
        [1, kind] + withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
    }

    /// The first bytes of a word or of characters, up to a scalar's end.
    static func beginning(
        of units: UnsafeRawBufferPointer, count: Int = greatestCount
    ) -> UnsafeRawBufferPointer {
        guard units.count > count else { return units }
        var end = count
        while end > 0, units[end] & 0xC0 == 0x80 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: units[..<end])
    }

    /// Calls `body` with the grams of a text, some of them several times.
    static func forEach(in text: borrowing FoldedText, _ body: (UnsafeRawBufferPointer) -> Void) {
        text.bytes.withUnsafeBytes { bytes in
            let count = text.units.count
            for index in 0..<count {
                let unit = text.units[index]
                let range = unit.folded
                switch unit.kind {
                case .word: body(beginning(of: UnsafeRawBufferPointer(rebasing: bytes[range])))
                case .character:
                    // Units follow each other without gaps.
                    var end = range.upperBound
                    if index + 1 < count {
                        let next = text.units[index + 1]
                        if next.kind == .character, next.isJoined { end = next.folded.upperBound }
                    }
                    body(beginning(of: UnsafeRawBufferPointer(rebasing: bytes[range.lowerBound..<end])))
                }
            }
        }
    }
}
