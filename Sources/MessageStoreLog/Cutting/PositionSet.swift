/// A set of positions, one bit for each up to the last.
package struct PositionSet: Sendable {
    private var words: [UInt64] = []
    /// How many there are.
    package private(set) var count = 0

    package init() {}

    /// Adds a position.
    package mutating func insert(_ position: Position) {
        let (word, bit) = Self.place(of: position)
        while words.count <= word { words.append(0) }
        if words[word] & bit == 0 { count += 1 }
        words[word] |= bit
    }

    /// Removes a position.
    package mutating func remove(_ position: Position) {
        guard contains(position) else { return }
        let (word, bit) = Self.place(of: position)
        words[word] &= ~bit
        count -= 1
    }

    /// Whether a position is in the set.
    package func contains(_ position: Position) -> Bool {
        let (word, bit) = Self.place(of: position)
        return word < words.count && words[word] & bit != 0
    }

    /// The positions that follow each other without a gap, ascending.
    package var ranges: [ClosedRange<Position>] {
        var ranges: [ClosedRange<Position>] = []
        for word in words.indices where words[word] != 0 {
            for bit in 0..<64 where words[word] & (1 << UInt64(bit)) != 0 {
                let number = UInt64(word * 64 + bit)
                if let last = ranges.last, last.upperBound.rawValue + 1 == number {
                    ranges[ranges.count - 1] = last.lowerBound...Position(number)
                } else {
                    ranges.append(Position(number)...Position(number))
                }
            }
        }
        return ranges
    }

    private static func place(of position: Position) -> (word: Int, bit: UInt64) {
        (Int(clamping: position.rawValue / 64), 1 << (position.rawValue % 64))
    }
}
