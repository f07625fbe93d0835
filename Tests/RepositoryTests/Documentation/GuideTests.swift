import Foundation
import Testing

@Suite("The guide to extending the library")
struct GuideTests {
    @Test("the projection that it shows is that of the example, which takes at most 80 lines with its event")
    func projection() throws {
        let guide = try RepositoryText.text(of: RepositoryText.root.appendingPathComponent("Docs/Extending.md"))
        let example = try RepositoryText.text(
            of: RepositoryText.root.appendingPathComponent(
                "Docs/Examples/Sources/StarredMessages/StarredMessages.swift"))
        let start = try #require(example.range(of: "/// A number: in `times`"))
        #expect(guide.contains("```swift\n" + example[start.lowerBound...].trimmingCharacters(in: .newlines) + "\n```"))
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count <= 81)
    }
}
