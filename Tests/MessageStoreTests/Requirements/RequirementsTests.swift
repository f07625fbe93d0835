import Testing

@Suite("Docs/Requirements.md says what is there")
struct RequirementsTests {
    @Test("every requirement and decision has one row, in order")
    func rows() throws {
        #expect(try RepositoryText.requirementRows().map(\.item) == RequirementItem.all)
    }

    @Test("no cell is empty; what is out of scope has a reason, and the data that serves it or none")
    func cells() throws {
        for row in try RepositoryText.requirementRows() {
            #expect(!row.asks.isEmpty && !row.answer.isEmpty && !row.tests.isEmpty, "\(row.item)")
            let isAnswered = !row.declarations.isEmpty
            #expect(isAnswered != row.needsNothing, "\(row.item) names its API, or that none is needed")
            let isShown = !row.suites.isEmpty || !row.testNames.isEmpty
            #expect(isShown == isAnswered, "\(row.item) names a test for its API")
        }
    }

    @Test("every name of the API is declared, and public")
    func declarations() throws {
        let names = try RepositoryText.publicNames()
        for row in try RepositoryText.requirementRows() {
            let missing = row.declarations.filter { !names.contains($0) }
            #expect(missing == [], "\(row.item)")
        }
    }

    @Test("every test that is named exists, once")
    func namedTests() throws {
        let names = try RepositoryText.testNames(in: "Tests")
        for row in try RepositoryText.requirementRows() {
            for beginning in row.testNames {
                let count = names.count { $0.hasPrefix(beginning) }
                #expect(count == 1, "\(row.item): \(beginning)")
            }
        }
    }

    @Test(
        "every item that a suite of scenarios is said to show has a test there",
        arguments: [
            "ChatKitScenarios", "LeanCloudScenarios", "NIMKitScenarios", "RongCloudScenarios", "SpiderScenarios",
        ])
    func scenarios(suite: String) throws {
        let rows = try RepositoryText.requirementRows().filter { $0.suites.contains(suite) }
        #expect(!rows.isEmpty)
        let shown = try RepositoryText.testNames(in: "Tests/MessageStoreTests/" + suite)
            .reduce(into: Set<RequirementItem>()) { $0.formUnion(RequirementItem.items(ofTest: $1)) }
        #expect(rows.map(\.item).filter { !shown.contains($0) } == [])
    }

    @Test("no other suite is named")
    func suites() throws {
        let suites = Set(try RepositoryText.requirementRows().flatMap(\.suites))
        #expect(suites.allSatisfy { $0.hasSuffix("Scenarios") } && suites.count == 5)
    }
}
