/// A row of the tables in `Docs/Invariants.md`.
struct InvariantRow {
    let number: Int
    let promise: String
    let keptBy: String
    /// The cell that names suites and tests, each in quotation marks; "not yet" where the code does not keep the promise.
    let tests: String

    /// nil for a line that is no row.
    init?(_ line: Substring) {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
            String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard cells.count == 6, cells[1].hasPrefix("I"), let number = Int(cells[1].dropFirst()) else { return nil }
        (self.number, promise, keptBy, tests) = (number, cells[2], cells[3], cells[4])
    }

    var isKept: Bool { tests != "not yet" }

    /// The titles of suites, or the beginnings of the names of tests.
    var titles: [String] {
        let parts = tests.split(separator: "\"", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
    }

    /// The invariants before the colon of a test's name: "I1, d5, I3–I4: …".
    static func numbers(ofTest name: String) -> Set<Int> {
        guard let list = name.split(separator: ":", omittingEmptySubsequences: false).dropLast().first else {
            return []
        }
        return Set(
            list.split(separator: ",").flatMap { part -> ClosedRange<Int> in
                let ends = part.split(separator: "–").compactMap { end in
                    let end = end.filter { $0 != " " }
                    return end.hasPrefix("I") ? Int(end.dropFirst()) : nil
                }
                guard let first = ends.first, let last = ends.last, first <= last else { return 0...0 }
                return first...last
            }
        ).subtracting([0])
    }
}
