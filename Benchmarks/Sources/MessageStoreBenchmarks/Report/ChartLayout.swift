/// Where the parts of a chart are: margins follow from the widths of the labels, and the drawing grows where they need it.
struct ChartLayout {
    static let lineHeight = 15.0
    private static let plotHeight = 308.0
    private static let leastWidth = 720.0
    private static let edge = 16.0

    /// Labels below the groups of bars, in lines.
    private(set) var groups: [[String]] = []
    /// The width of a group of bars.
    private(set) var room = 0.0
    let title: [String]
    let legend: [[LegendItem]]
    let footer: [String]
    let width: Double
    let height: Double
    let plot: (left: Double, right: Double, top: Double, bottom: Double)

    /// A series in the legend, and how far to the right.
    struct LegendItem {
        var series: Int
        var left: Double
    }

    init(_ chart: Chart, footer text: String) {
        // Ticks do not depend on where the axis is.
        let values = chart.series.flatMap(\.points).map(\.y)
        let ticks = AxisScale(values, isLogarithmic: chart.y.isLogarithmic, from: 1, to: 0).ticks
        let left = 30 + (ticks.map { TextWidth.of(Markdown.number($0)) }.max() ?? 0) + 8
        var right = Self.leastWidth - Self.edge
        if chart.kind == .bar {
            let labels = chart.groupLabels
            room = max((right - left) / Double(max(labels.count, 1)), Self.room(chart, labels))
            right = left + room * Double(max(labels.count, 1))
            groups = labels.map { [room] in TextWidth.wrap($0, to: room - 6) }
        } else {
            // Half of the last tick's label is to the right of the axis.
            let last = chart.series.flatMap(\.points).map(\.x).max() ?? 0
            right -= TextWidth.of(Markdown.number(last)) / 2
        }
        width = max(right + Self.edge, Self.leastWidth)
        title = TextWidth.wrap(chart.title, to: width - 2 * Self.edge, size: 15)
        footer = TextWidth.wrap(text, to: width - 2 * Self.edge, size: 10)
        legend = Self.legend(chart, from: left, to: width - Self.edge)
        let top = 24 + Double(title.count) * 20
        plot = (left, right, top, top + Self.plotHeight)
        let labelLines = chart.kind == .bar ? groups.map(\.count).max() ?? 0 : 1
        let below = labelLines + (chart.x.label.isEmpty ? 0 : 1) + footer.count
        height = plot.bottom + Double(below) * Self.lineHeight + Double(legend.count) * 20 + 30
    }

    /// The width of a group in which no word and no value meets the next.
    private static func room(_ chart: Chart, _ labels: [String]) -> Double {
        let words = labels.map { TextWidth.widestWord($0) }.max() ?? 0
        let values = chart.series.flatMap(\.points).filter(\.y.isFinite).map {
            TextWidth.of(Markdown.number($0.y), size: 10)
        }
        return max(words + 8, ((values.max() ?? 0) + 4) * Double(chart.series.count) / Chart.barShare)
    }

    private static func legend(_ chart: Chart, from left: Double, to right: Double) -> [[LegendItem]] {
        guard chart.series.count > 1 else { return [] }
        var rows: [[LegendItem]] = [[]]
        var place = left
        for (index, series) in chart.series.enumerated() {
            let width = 18 + TextWidth.of(series.name) + 16
            if place + width > right, rows[rows.count - 1].isEmpty == false {
                rows.append([])
                place = left
            }
            rows[rows.count - 1].append(LegendItem(series: index, left: place))
            place += width
        }
        return rows
    }
}

extension Chart {
    /// The part of a group's width that its bars take.
    static let barShare = 0.8

    /// The labels of the groups of bars, of whichever series has them.
    var groupLabels: [String] {
        let count = series.map(\.points.count).max() ?? 0
        return (0..<count).map { group in
            series.lazy.compactMap { $0.points.indices.contains(group) ? $0.points[group].label : nil }.first ?? ""
        }
    }

    /// The colour of a series: the store has its own.
    func colour(of series: Int) -> String { Self.colour(self.series[series].name, index: series) }

    /// The colour of a bar, which is that of its label where there is one series.
    func colour(of series: Int, _ point: Point) -> String {
        guard self.series.count == 1, let label = point.label else { return colour(of: series) }
        return label.hasPrefix(Peer.store.name) ? Self.colour(label, index: 0) : Self.greys
    }

    private static let greys = "#a8a7a2"
    private static let palette = ["#d9730d", "#448361", "#9065b0", "#c14c8a", "#787774", "#cb912f", "#8b5e3c"]
    private static let peers: [Peer] = [.grdbFull, .raw, .grdbEvents, .rocksdb, .flushControl, .grdbNormal, .naive]

    private static func colour(_ name: String, index: Int) -> String {
        if name == Peer.store.name { return "#0b6e99" }
        if name.hasPrefix(Peer.store.name) { return "#5ba9cc" }
        return palette[(peers.firstIndex { $0.name == name } ?? index) % palette.count]
    }
}
