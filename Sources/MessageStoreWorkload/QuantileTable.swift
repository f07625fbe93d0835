/// A distribution of whole numbers, given by some of its quantiles and drawn with straight lines between them.
///
/// A measured distribution goes in as it was read off the data; no formula has to fit its tail. All arithmetic is
/// on integers, so the same draws come out on every machine.
public struct QuantileTable: Sendable, Equatable {
    /// One quantile: `perMillion` millionths of all values are below `value`.
    public struct Point: Sendable, Equatable {
        /// The share of values below `value`, in millionths, `0 ... 1_000_000`.
        public var perMillion: Int
        /// The value at this quantile, `0 ... 2^40`.
        public var value: Int

        /// Creates a quantile; numbers out of range are clamped.
        public init(_ perMillion: Int, _ value: Int) {
            self.perMillion = min(max(perMillion, 0), QuantileTable.scale)
            self.value = min(max(value, 0), 1 << 40)
        }
    }

    private static let scale = 1_000_000

    /// The quantiles in rising order of their shares; at least one.
    public let points: [Point]

    /// Creates a table from quantiles in any order; none at all means that every value is 0.
    ///
    /// Below the first quantile and above the last, every value is that of the quantile.
    public init(_ points: [Point]) {
        self.points = points.isEmpty ? [Point(0, 0)] : points.sorted { $0.perMillion < $1.perMillion }
    }

    /// Returns a random value; takes one draw from the generator.
    public func next(using random: inout SplitMix64) -> Int {
        value(perMillion: random.nextIndex(Self.scale))
    }

    /// Returns the value below which the given share of values lies, in millionths.
    public func value(perMillion share: Int) -> Int {
        var lower = points[0]
        guard share > lower.perMillion else { return lower.value }
        for upper in points.dropFirst() {
            if share < upper.perMillion {
                let width = upper.perMillion - lower.perMillion
                return lower.value + (upper.value - lower.value) * (share - lower.perMillion) / width
            }
            lower = upper
        }
        return lower.value
    }

    /// The mean of the distribution.
    public var mean: Double {
        var sum = Double(points[0].value * points[0].perMillion)
        for (lower, upper) in zip(points, points.dropFirst()) {
            sum += Double(lower.value + upper.value) / 2 * Double(upper.perMillion - lower.perMillion)
        }
        let last = points[points.count - 1]
        sum += Double(last.value * (Self.scale - last.perMillion))
        return sum / Double(Self.scale)
    }
}
