import Testing

@Suite("Docs/Invariants.md says what is there")
struct InvariantsTests {
    @Test("every invariant has one row, in order, and no cell is empty; a test's invariants stand before its colon")
    func rows() throws {
        let rows = try RepositoryText.invariantRows()
        #expect(rows.map(\.number) == Array(1...22))
        for row in rows {
            #expect(!row.promise.isEmpty && !row.keptBy.isEmpty, "I\(row.number)")
            #expect(row.titles.isEmpty != row.isKept, "I\(row.number) names tests, or says that it is not yet kept")
        }
        #expect(InvariantRow.numbers(ofTest: "A1, I3, I5–I7: and I9: not these") == [3, 5, 6, 7])
        #expect(InvariantRow.numbers(ofTest: "I1 and no colon").isEmpty)
        #expect(InvariantRow.numbers(ofTest: "").isEmpty)
    }

    @Test("every suite or test that is named exists")
    func namedTests() throws {
        let suites = Set(try RepositoryText.suiteNames(in: "Tests"))
        let tests = try RepositoryText.testNames(in: "Tests")
        for row in try RepositoryText.invariantRows() {
            for title in row.titles {
                let exists = suites.contains(title) || tests.contains { $0.hasPrefix(title) }
                #expect(exists, "I\(row.number): \(title)")
            }
        }
    }

    @Test("an invariant is cited by the name of a test exactly where the document says that it is kept")
    func citations() throws {
        let names = try RepositoryText.testNames(in: "Tests") + RepositoryText.suiteNames(in: "Tests")
        let cited = names.reduce(into: Set<Int>()) { $0.formUnion(InvariantRow.numbers(ofTest: $1)) }
        let kept = try RepositoryText.invariantRows().filter(\.isKept).map(\.number)
        #expect(cited.sorted() == kept)
    }
}
