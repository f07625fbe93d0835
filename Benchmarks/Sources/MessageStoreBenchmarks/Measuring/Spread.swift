internal import Foundation

/// Measured values, asked for their median, extremes and percentiles.
struct Spread {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    /// The middle value, or the mean of the two in the middle.
    var median: Double {
        guard !sorted.isEmpty else { return .nan }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
    var min: Double { sorted.first ?? .nan }
    var max: Double { sorted.last ?? .nan }

    /// The value that `share` percent of the values do not exceed (nearest rank).
    func percentile(_ share: Double) -> Double {
        guard !sorted.isEmpty else { return .nan }
        let rank = Int((share / 100 * Double(sorted.count)).rounded(.up))
        return sorted[Swift.min(Swift.max(rank - 1, 0), sorted.count - 1)]
    }
}

/// Times pieces of work in seconds.
enum Stopwatch {
    static func seconds(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return start.duration(to: .now) / .seconds(1)
    }
}
