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

    /// Replaces what was folded before by the units of a text.
    ///
    /// The arrays keep their capacity, and nothing is allocated where it suffices. A scalar that crosses the maximum
    /// is left out: its first bytes alone are not valid and act as a separator.
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
