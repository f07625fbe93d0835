/// A row of the tables in `Docs/Requirements.md`.
struct RequirementRow {
    let item: RequirementItem
    /// What is asked or decided.
    let asks: String
    /// The cell that names the API.
    let answer: String
    /// The cell that names tests.
    let tests: String

    /// nil for a line that is no row.
    init?(_ line: Substring) {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard cells.count == 6, let item = RequirementItem(cells[1]) else { return nil }
        (self.item, asks, answer, tests) = (item, cells[2], cells[3], cells[4])
    }

    /// The names that the answer claims to be declared.
    var declarations: [String] { Self.parts(of: answer, between: "`") }

    /// The suites of scenarios that show it.
    var suites: [String] { Self.parts(of: tests, between: "`") }

    /// The beginnings of the names of other tests that show it.
    var testNames: [String] { Self.parts(of: tests, between: "\"") }

    /// Whether the row says that nothing answers yet, and why.
    var isOpen: Bool { answer.hasPrefix("open: ") && declarations.isEmpty && tests == "–" }

    /// Whether the row says why nothing answers, and what serves instead.
    var needsNothing: Bool { answer.hasPrefix("out of scope: ") && answer.hasSuffix("; none needed") }

    private static func parts(of cell: String, between mark: Character) -> [String] {
        let parts = cell.split(separator: mark, omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
    }
}
