internal import Foundation

/// A report as Markdown.
enum Markdown {
    static func text(_ report: BenchmarkReport) -> String {
        let versions = report.machine.versions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        var parts = ["# Benchmarks"]
        let verdicts = report.sections.compactMap(\.verdict)
        if !verdicts.isEmpty { parts.append(verdicts.map { "- " + $0 }.joined(separator: "\n")) }
        parts += ["`\(report.command)`", measured(report) + ".", versions.joined(separator: "; ") + "."]
        parts += report.sections.map { text($0) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Where and when.
    static func measured(_ report: BenchmarkReport) -> String {
        let machine = report.machine
        let memory = String(format: "%.1f GB", Double(machine.memoryBytes) / 1e9)
        return "\(report.date), \(machine.cores) × \(machine.processor), \(memory), \(machine.system)"
    }

    static func text(_ section: Section) -> String {
        var parts = ["## \(section.title)"]
        if !section.notes.isEmpty { parts.append(section.notes.joined(separator: "\n")) }
        parts += section.tables.map { text($0) }
        parts += section.charts.map { "![\($0.title)](\($0.id).svg)" }
        return parts.joined(separator: "\n\n")
    }

    private static func text(_ table: Table) -> String {
        var lines = table.title.map { ["**\($0)**", ""] } ?? []
        lines.append("| " + table.columns.joined(separator: " | ") + " |")
        lines.append("|" + String(repeating: " --- |", count: table.columns.count))
        lines += table.rows.map { "| " + $0.map { text($0) }.joined(separator: " | ") + " |" }
        return lines.joined(separator: "\n")
    }

    /// Four digits that count, thousands apart.
    private static func text(_ cell: Cell) -> String {
        switch cell {
        case .text(let text): text
        case .none: "–"
        case .number(let value): value.isFinite ? number(value) : "–"
        }
    }

    static func number(_ value: Double) -> String {
        let size = abs(value)
        if value == value.rounded() || size >= 1000 { return grouped(value) }
        return String(format: size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 0.1 ? "%.2f" : "%.4f", value)
    }

    private static func grouped(_ value: Double) -> String {
        var digits = String(format: "%.0f", abs(value))
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (value < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
    }
}
