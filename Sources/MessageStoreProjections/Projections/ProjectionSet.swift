/// Some of a catalogue's projections, by their places in it.
package struct ProjectionSet: OptionSet, Sendable, Hashable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The set of one projection.
    package init(_ index: Int) { rawValue = 1 << UInt64(index) }

    package static func first(_ count: Int) -> ProjectionSet {
        ProjectionSet(rawValue: count == 64 ? .max : 1 << UInt64(count) - 1)
    }

    package func contains(_ index: Int) -> Bool { rawValue >> UInt64(index) & 1 == 1 }

    /// The places, ascending.
    package var indices: [Int] {
        var (indices, left): ([Int], UInt64) = ([], rawValue)
        while left != 0 {
            indices.append(left.trailingZeroBitCount)
            left &= left &- 1
        }
        return indices
    }
}
