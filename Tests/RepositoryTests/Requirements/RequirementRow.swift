import Foundation

/// A row of the tables in `Docs/Requirements.md`.
struct RequirementRow {
    let item: RequirementItem
    /// What is asked or decided.
    let asks: String
    /// How far it is answered: as it stands in the table, nil for a decision.
    let state: String?
    /// The cell that names the API.
    let answer: String
    /// The cell that names tests.
    let tests: String

    /// nil for a line that is no row.
    init?(_ line: Substring) {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard cells.count > 1, let item = RequirementItem(cells[1]) else { return nil }
        // Decisions have no state.
        let hasState = item.document != "d"
        guard cells.count == (hasState ? 7 : 6) else { return nil }
        (self.item, asks, state) = (item, cells[2], hasState ? cells[3] : nil)
        (answer, tests) = (cells[cells.count - 3], cells[cells.count - 2])
    }

    /// The names that the answer claims to be declared.
    var declarations: [String] { Self.parts(of: answer, between: "`") }

    /// The suites of scenarios that show it.
    var suites: [String] { Self.parts(of: tests, between: "`") }

    /// The beginnings of the names of other tests that show it.
    var testNames: [String] { Self.parts(of: tests, between: "\"") }

    /// What the row says is missing, with who can do without; nil where it says nothing.
    var missing: String? {
        let parts = answer.components(separatedBy: "Missing: ")
        return parts.count > 1 ? parts.dropFirst().joined() : nil
    }

    /// Whether the row says that a screen or a network is needed.
    var isOutOfScope: Bool { answer.hasPrefix("out of scope: ") }

    /// Whether the row says why nothing answers, and that nothing is needed.
    var needsNothing: Bool { isOutOfScope && answer.hasSuffix("; none needed") }

    private static func parts(of cell: String, between mark: Character) -> [String] {
        let parts = cell.split(separator: mark, omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
    }
}
