import Foundation
import Testing

@Suite("Docs/Requirements.md says what is there")
struct RequirementsTests {
    @Test("every requirement and decision has one row, in order, with no empty cell; what is out of scope has a reason")
    func rows() throws {
        #expect(try RepositoryText.requirementRows().map(\.item) == RequirementItem.all)
        for row in try RepositoryText.requirementRows() {
            #expect(!row.asks.isEmpty && !row.answer.isEmpty && !row.tests.isEmpty, "\(row.item)")
            let isAnswered = !row.declarations.isEmpty
            #expect(isAnswered != row.needsNothing, "\(row.item) names its API, or that none is needed")
            let isShown = !row.suites.isEmpty || !row.testNames.isEmpty
            #expect(isShown == isAnswered, "\(row.item) names a test for its API")
        }
    }

    @Test("every row has one of three states, which its answer bears out; a partial one says what is missing")
    func states() throws {
        for row in try RepositoryText.requirementRows() where row.item.document != "d" {
            #expect(["real", "partial", "out of scope"].contains(row.state), "\(row.item)")
            #expect((row.state == "out of scope") == row.isOutOfScope, "\(row.item)")
            #expect((row.state == "partial") == (row.missing != nil), "\(row.item)")
            guard let missing = row.missing else { continue }
            #expect(!missing.hasPrefix("A user") && missing.contains(" user "), "\(row.item) says what, and for whom")
        }
    }

    @Test("the counts of the introduction are those of the tables")
    func counts() throws {
        let rows = try RepositoryText.requirementRows().filter { $0.item.document != "d" }
        let groups = [
            ("A", "A"), ("B", "B"), ("C", "C"), ("D", "D"), ("E", "E"), ("A–E", "ABCDE"), ("X", "X"), ("all", "ABCDEX"),
        ]
        let expected = groups.map { name, documents in
            let states = rows.filter { documents.contains($0.item.document) }.map(\.state)
            let counts = ["real", "partial", "out of scope"].map { state in states.count { $0 == state } }
            return "| \(name) | " + ([states.count] + counts).map(String.init).joined(separator: " | ") + " |"
        }
        let page = try RepositoryText.text(of: RepositoryText.root.appendingPathComponent("Docs/Requirements.md"))
        let lines = page.split(separator: "\n").map(String.init)
        let header = try #require(lines.firstIndex(of: "| document | items | real | partial | out of scope |"))
        #expect(Array(lines[header...].dropFirst(2).prefix(groups.count)) == expected)
    }

    @Test("every name of the API is declared, and public")
    func declarations() throws {
        let names = try RepositoryText.publicNames()
        for row in try RepositoryText.requirementRows() {
            let missing = row.declarations.filter { !names.contains($0) }
            #expect(missing == [], "\(row.item)")
        }
    }

    @Test("every test that is named exists, once, and no other suite of scenarios")
    func namedTests() throws {
        let names = try RepositoryText.testNames(in: "Tests")
        for row in try RepositoryText.requirementRows() {
            for beginning in row.testNames {
                let count = names.count { $0.hasPrefix(beginning) }
                #expect(count == 1, "\(row.item): \(beginning)")
            }
        }
        let suites = Set(try RepositoryText.requirementRows().flatMap(\.suites))
        #expect(suites.allSatisfy { $0.hasSuffix("Scenarios") } && suites.count == 5)
    }

    @Test(
        "a suite of scenarios shows the items whose rows name it, and no other of its document",
        arguments: [
            ("ChatKitScenarios", "A"), ("LeanCloudScenarios", "B"), ("NIMKitScenarios", "C"),
            ("RongCloudScenarios", "D"), ("SpiderScenarios", "E"),
        ] as [(String, Character)])
    func scenarios(suite: String, document: Character) throws {
        let named = try RepositoryText.requirementRows().filter { $0.suites.contains(suite) }.map(\.item)
        let shown = try RepositoryText.testNames(in: "Tests/MessageStoreRecordingTests/" + suite)
            .reduce(into: Set<RequirementItem>()) { $0.formUnion(RequirementItem.items(ofTest: $1)) }
        #expect(!named.isEmpty)
        #expect(named.filter { !shown.contains($0) } == [], "without a test in \(suite)")
        let unnamed = shown.filter { $0.document == document }.subtracting(named)
        #expect(unnamed.isEmpty, "rows that do not name \(suite)")
    }
}
