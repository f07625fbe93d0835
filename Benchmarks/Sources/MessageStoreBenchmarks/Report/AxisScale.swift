internal import Foundation

/// Where values of an axis stand in a drawing.
struct AxisScale {
    private let isLogarithmic: Bool
    private let low: Double
    private let high: Double
    private let start: Double
    private let end: Double

    /// - Parameter isTight: Begins and ends at the values; otherwise a linear axis begins at 0, and there is room above.
    init(_ values: [Double], isLogarithmic: Bool, from start: Double, to end: Double, isTight: Bool = false) {
        self.isLogarithmic = isLogarithmic
        self.start = start
        self.end = end
        let finite = values.filter { $0.isFinite && (!isLogarithmic || $0 > 0) }
        let least = finite.min() ?? 0
        let most = finite.max() ?? 1
        if isLogarithmic {
            let bottom = log10(least > 0 ? least : 1)
            let top = log10(most > 0 ? most : 10)
            low = isTight ? bottom : bottom.rounded(.down)
            high = isTight ? max(top, bottom + 0.1) : max(top.rounded(.up), bottom.rounded(.down) + 1)
        } else {
            low = isTight ? least : 0
            high = isTight ? max(most, least + 1e-9) : max(most * 1.08, 1e-9)
        }
    }

    func place(_ value: Double) -> Double {
        let position = isLogarithmic ? log10(max(value, 1e-12)) : value
        return start + (min(max(position, low), high) - low) / (high - low) * (end - start)
    }

    /// Round values along the axis.
    var ticks: [Double] {
        if isLogarithmic {
            return stride(from: low.rounded(.up), through: high.rounded(.down), by: 1).map { pow(10, $0) }
        }
        let raw = (high - low) / 5
        let magnitude = pow(10, log10(raw).rounded(.down))
        let step = [1.0, 2, 5, 10].map { $0 * magnitude }.first { $0 >= raw } ?? raw
        return Array(stride(from: (low / step).rounded(.up) * step, through: high, by: step))
    }
}
