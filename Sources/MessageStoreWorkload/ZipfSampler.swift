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

    /// Returns weights of which the first is 2^32 and none is 0.
    private static func weights(count: Int, exponent: Double) -> [UInt64] {
        (1...count).map { rank in
            max(1, UInt64(0x1p32 * PortablePower.power(Double(rank), -exponent) + 0.5))
        }
    }

    /// Fills columns that lack weight up from those that have too much.
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
