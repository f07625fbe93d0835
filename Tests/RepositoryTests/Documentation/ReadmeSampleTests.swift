import Foundation
import Testing

@Suite(
    "README.md: the first sample",
    .enabled(if: SnippetCompiler.compiler != nil, "swiftc is not on the path"),
    .enabled(if: SnippetCompiler.modules != nil, "the built modules are not beside the tests"),
    .timeLimit(.minutes(30)))
struct ReadmeSampleTests {
    @Test("pasted into main.swift it compiles, without warnings")
    func compiles() throws {
        let readme = try RepositoryText.text(of: RepositoryText.root.appendingPathComponent("README.md"))
        let sample = try #require(readme.components(separatedBy: "```swift\n").dropFirst().first)
        let source = try #require(sample.components(separatedBy: "```").first)
        #expect(source.hasPrefix("import MessageStore\n"))
        #expect(try SnippetCompiler.diagnostics(of: source, in: "main.swift") == [])
    }
}
