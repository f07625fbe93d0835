internal import Foundation

/// Writes reports: a JSON file, or a directory of JSON, Markdown and charts.
enum ReportFiles {
    static func report(_ sections: [Section]) -> BenchmarkReport {
        let arguments = CommandLine.arguments.dropFirst().joined(separator: " ")
        return BenchmarkReport(
            machine: .current, date: ISO8601DateFormatter().string(from: Date()),
            command: "swift run -c release --package-path Benchmarks MessageStoreBenchmarks \(arguments)",
            sections: sections)
    }

    static func writeJSON(_ report: some Encodable, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        try encoder.encode(report).write(to: URL(fileURLWithPath: path))
    }

    static func readJSON(_ path: String) throws -> BenchmarkReport {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return try decoder.decode(BenchmarkReport.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    static func write(_ report: BenchmarkReport, toDirectory path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try writeJSON(report, to: path + "/results.json")
        try Markdown.text(report).write(toFile: path + "/README.md", atomically: true, encoding: .utf8)
        for chart in report.sections.flatMap(\.charts) {
            try SVG.text(chart, footer: Markdown.measured(report)).write(
                toFile: "\(path)/\(chart.id).svg", atomically: true, encoding: .utf8)
        }
    }
}
