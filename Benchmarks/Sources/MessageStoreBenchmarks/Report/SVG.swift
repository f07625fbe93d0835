internal import Foundation

/// Charts as SVG files: lines over a number axis, or bars with labels.
enum SVG {
    static let width = 720.0
    static let height = 420.0
    static let plot = (left: 84.0, right: 700.0, top: 44.0, bottom: 352.0)
    static let colours = ["#0b6e99", "#d9730d", "#448361", "#9065b0", "#c14c8a", "#787774", "#cb912f"]

    static func text(_ chart: Chart) -> String {
        let values = chart.series.flatMap(\.points)
        let y = AxisScale(values.map(\.y), isLogarithmic: chart.y.isLogarithmic, from: plot.bottom, to: plot.top)
        var parts = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(Int(width)) \#(Int(height))" "#
                + #"font-family="sans-serif" font-size="12">"#,
            #"<rect width="100%" height="100%" fill="white"/>"#,
            label(chart.title, width / 2, 22, anchor: "middle", size: 15),
            label(chart.x.label, (plot.left + plot.right) / 2, plot.bottom + 38, anchor: "middle"),
            #"<text transform="translate(18 \#((plot.top + plot.bottom) / 2)) rotate(-90)" text-anchor="middle">"#
                + escaped(chart.y.label) + "</text>",
        ]
        for tick in y.ticks {
            parts.append(line(plot.left, y.place(tick), plot.right, y.place(tick), "#e3e2e0"))
            parts.append(label(Markdown.number(tick), plot.left - 6, y.place(tick) + 4, anchor: "end"))
        }
        switch chart.kind {
        case .line: parts += lines(chart, y)
        case .bar: parts += bars(chart, y)
        }
        parts.append(line(plot.left, plot.bottom, plot.right, plot.bottom, "#37352f"))
        parts += legend(chart)
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func lines(_ chart: Chart, _ y: AxisScale) -> [String] {
        let xs = chart.series.flatMap(\.points).map(\.x)
        let x = AxisScale(xs, isLogarithmic: chart.x.isLogarithmic, from: plot.left, to: plot.right, isTight: true)
        var parts: [String] = []
        let ticks = Set(xs).count <= 10 ? Array(Set(xs)).sorted() : x.ticks
        for tick in ticks {
            parts.append(label(Markdown.number(tick), x.place(tick), plot.bottom + 18, anchor: "middle"))
        }
        for (index, series) in chart.series.enumerated() {
            let colour = colours[index % colours.count]
            let places = series.points.filter { $0.y.isFinite }.map { (x.place($0.x), y.place($0.y)) }
            let path = places.map { String(format: "%.1f,%.1f", $0.0, $0.1) }.joined(separator: " ")
            parts.append(#"<polyline points="\#(path)" fill="none" stroke="\#(colour)" stroke-width="2"/>"#)
            guard places.count <= 30 else { continue }
            parts += places.map {
                #"<circle cx="\#(Int($0.0))" cy="\#(Int($0.1))" r="3" fill="\#(colour)"/>"#
            }
        }
        return parts
    }

    private static func bars(_ chart: Chart, _ y: AxisScale) -> [String] {
        var parts: [String] = []
        let groups = chart.series.map(\.points.count).max() ?? 0
        let room = (plot.right - plot.left) / Double(max(groups, 1))
        let bar = room * 0.7 / Double(max(chart.series.count, 1))
        for (index, series) in chart.series.enumerated() {
            for (group, point) in series.points.enumerated() where point.y.isFinite {
                let left = plot.left + room * (Double(group) + 0.15) + bar * Double(index)
                let top = y.place(point.y)
                parts.append(
                    String(
                        format: #"<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" "#, left, top, bar * 0.94,
                        plot.bottom - top) + #"fill="\#(colours[index % colours.count])"/>"#)
                parts.append(label(Markdown.number(point.y), left + bar / 2, top - 4, anchor: "middle", size: 10))
                guard index == 0, let text = point.label else { continue }
                parts.append(
                    label(text, plot.left + room * (Double(group) + 0.5), plot.bottom + 18, anchor: "middle"))
            }
        }
        return parts
    }

    private static func legend(_ chart: Chart) -> [String] {
        guard chart.series.count > 1 else { return [] }
        let room = (plot.right - plot.left) / Double(chart.series.count)
        return chart.series.enumerated().flatMap { index, series in
            let left = plot.left + room * Double(index)
            return [
                #"<rect x="\#(Int(left))" y="\#(Int(height - 20))" width="12" height="12" "#
                    + #"fill="\#(colours[index % colours.count])"/>"#,
                label(series.name, left + 18, height - 10, anchor: "start"),
            ]
        }
    }

    private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String) -> String {
        String(format: #"<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%@"/>"#, x1, y1, x2, y2, colour)
    }

    private static func label(_ text: String, _ x: Double, _ y: Double, anchor: String, size: Int = 12) -> String {
        String(format: #"<text x="%.1f" y="%.1f" text-anchor="%@" font-size="%d">"#, x, y, anchor, size)
            + escaped(text) + "</text>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
