/// Draws ranks `0 ..< count` so that rank k comes up in proportion to `1 / (k + 1)^exponent`, in constant time.
///
/// The method is Walker's alias table in Vose's form ("A Linear Algorithm For Generating Random Numbers With a
/// Given Distribution", 1991). The weights are quantised to integers and the table is built from those, so the
/// same draws come out on every machine.
public struct ZipfSampler: Sendable {
    /// One column of the table: its own rank below `threshold`, `alias` from there on.
    private struct Column {
        var threshold: UInt64
        var alias: Int
    }

    /// The most ranks a table holds; larger counts are cut to it. It keeps all sums of weights within 64 bits.
    public static let maximumCount = 1 << 20

    private let columns: [Column]

    /// The number of ranks.
    public var count: Int { columns.count }

    /// Builds the table in time and memory proportional to `count`.
    ///
    /// - Parameters:
    ///   - count: The number of ranks, clamped to `1 ... maximumCount`.
    ///   - exponent: How fast the weights fall; 0 draws all ranks alike. Clamped to `0 ... 8`.
    public init(count: Int, exponent: Double) {
        let count = min(max(count, 1), Self.maximumCount)
        let exponent = exponent > 0 ? min(exponent, 8) : 0
        columns = Self.columns(weights: Self.weights(count: count, exponent: exponent))
    }

    /// Returns a rank in `0 ..< count`; takes one draw from the generator.
    public func next(using random: inout SplitMix64) -> Int {
        let (high, low) = random.next().multipliedFullWidth(by: UInt64(columns.count))
        let own = Int(high)
        let column = columns[own]
        return low < column.threshold ? own : column.alias
    }

    /// Returns weights; the first is 2^32 and none is 0.
    private static func weights(count: Int, exponent: Double) -> [UInt64] {
        (1...count).map { rank in
            max(1, UInt64(0x1p32 * PortablePower.power(Double(rank), -exponent) + 0.5))
        }
    }

    /// Fills columns that lack weight up from columns that have too much.
    private static func columns(weights: [UInt64]) -> [Column] {
        let total = weights.reduce(0, +)
        var scaled = weights.map { $0 * UInt64(weights.count) }
        var columns = weights.indices.map { Column(threshold: .max, alias: $0) }
        var small = weights.indices.filter { scaled[$0] < total }
        var large = weights.indices.filter { scaled[$0] > total }
        while let donor = large.last, let receiver = small.popLast() {
            let fraction = total.dividingFullWidth((high: scaled[receiver], low: 0)).quotient
            columns[receiver] = Column(threshold: fraction, alias: donor)
            scaled[donor] -= total - scaled[receiver]
            guard scaled[donor] <= total else { continue }
            large.removeLast()
            if scaled[donor] < total { small.append(donor) }
        }
        return columns
    }
}

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
