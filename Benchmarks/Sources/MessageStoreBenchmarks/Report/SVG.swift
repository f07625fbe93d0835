internal import Foundation

/// Charts as SVG files: lines over a number axis, or bars with labels.
enum SVG {
    /// - Parameter footer: Where and when the numbers were measured.
    static func text(_ chart: Chart, footer: String) -> String {
        let layout = ChartLayout(chart, footer: footer)
        let plot = layout.plot
        let values = chart.series.flatMap(\.points)
        let y = AxisScale(values.map(\.y), isLogarithmic: chart.y.isLogarithmic, from: plot.bottom, to: plot.top)
        var parts = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(Int(layout.width)) \#(Int(layout.height))" "#
                + #"font-family="sans-serif" font-size="12">"#,
            #"<rect width="100%" height="100%" fill="white"/>"#,
            #"<text transform="translate(18 \#((plot.top + plot.bottom) / 2)) rotate(-90)" text-anchor="middle">"#
                + escaped(chart.y.label) + "</text>",
        ]
        for (index, line) in layout.title.enumerated() {
            parts.append(label(line, layout.width / 2, 24 + Double(index) * 20, anchor: "middle", size: 15))
        }
        for tick in y.ticks {
            parts.append(line(plot.left, y.place(tick), plot.right, y.place(tick), "#e3e2e0"))
            parts.append(label(Markdown.number(tick), plot.left - 6, y.place(tick) + 4, anchor: "end"))
        }
        switch chart.kind {
        case .line: parts += lines(chart, layout, y)
        case .bar: parts += bars(chart, layout, y)
        }
        parts.append(line(plot.left, plot.bottom, plot.right, plot.bottom, "#37352f"))
        parts += below(chart, layout)
        return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private static func lines(_ chart: Chart, _ layout: ChartLayout, _ y: AxisScale) -> [String] {
        let plot = layout.plot
        let xs = chart.series.flatMap(\.points).map(\.x)
        let x = AxisScale(xs, isLogarithmic: chart.x.isLogarithmic, from: plot.left, to: plot.right, isTight: true)
        var parts: [String] = []
        let ticks = Set(xs).count <= 10 ? Array(Set(xs)).sorted() : x.ticks
        var end = -Double.infinity
        for tick in ticks {
            let half = TextWidth.of(Markdown.number(tick)) / 2
            guard x.place(tick) - half > end else { continue }
            end = x.place(tick) + half + 6
            parts.append(label(Markdown.number(tick), x.place(tick), plot.bottom + 18, anchor: "middle"))
        }
        for (index, series) in chart.series.enumerated() {
            let colour = chart.colour(of: index)
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

    private static func bars(_ chart: Chart, _ layout: ChartLayout, _ y: AxisScale) -> [String] {
        let (plot, room) = (layout.plot, layout.room)
        var parts: [String] = []
        let bar = room * Chart.barShare / Double(max(chart.series.count, 1))
        for (index, series) in chart.series.enumerated() {
            for (group, point) in series.points.enumerated() where point.y.isFinite {
                let left = plot.left + room * (Double(group) + (1 - Chart.barShare) / 2) + bar * Double(index)
                let top = y.place(point.y)
                parts.append(
                    String(
                        format: #"<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" "#, left, top, bar * 0.94,
                        plot.bottom - top) + #"fill="\#(chart.colour(of: index, point))"/>"#)
                parts.append(label(Markdown.number(point.y), left + bar * 0.47, top - 4, anchor: "middle", size: 10))
            }
        }
        for (group, lines) in layout.groups.enumerated() {
            for (index, line) in lines.enumerated() {
                let bottom = plot.bottom + 18 + Double(index) * ChartLayout.lineHeight
                parts.append(label(line, plot.left + room * (Double(group) + 0.5), bottom, anchor: "middle"))
            }
        }
        return parts
    }

    /// The label of the axis, the legend, and the footer at the end.
    private static func below(_ chart: Chart, _ layout: ChartLayout) -> [String] {
        var parts: [String] = []
        var bottom = layout.height - 8
        for line in layout.footer.reversed() {
            parts.append(label(line, 16, bottom, anchor: "start", size: 10, colour: "#787774"))
            bottom -= ChartLayout.lineHeight
        }
        bottom -= 4
        for row in layout.legend.reversed() {
            for item in row {
                parts.append(
                    String(format: #"<rect x="%.1f" y="%.1f" width="12" height="12" "#, item.left, bottom - 10)
                        + #"fill="\#(chart.colour(of: item.series))"/>"#)
                parts.append(label(chart.series[item.series].name, item.left + 18, bottom, anchor: "start"))
            }
            bottom -= 20
        }
        guard !chart.x.label.isEmpty else { return parts }
        return parts + [label(chart.x.label, (layout.plot.left + layout.plot.right) / 2, bottom, anchor: "middle")]
    }

    private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ colour: String) -> String {
        String(format: #"<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%@"/>"#, x1, y1, x2, y2, colour)
    }

    private static func label(
        _ text: String, _ x: Double, _ y: Double, anchor: String, size: Int = 12, colour: String = "#37352f"
    ) -> String {
        String(
            format: #"<text x="%.1f" y="%.1f" text-anchor="%@" font-size="%d" fill="%@">"#, x, y, anchor, size, colour)
            + escaped(text) + "</text>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
    }
}
