import Foundation
import Testing

@Suite("The walk of a received message in Docs/Architecture.md")
struct WalkTests {
    /// The files of the table, in its order.
    private func files() throws -> [String] {
        let text = try RepositoryText.text(of: RepositoryText.root.appendingPathComponent("Docs/Architecture.md"))
        let section = try #require(text.components(separatedBy: "### The walk of a received message\n").last)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n").filter { $0.hasPrefix("|") }
        return rows.flatMap { row in row.split(separator: "`").map(String.init).filter { $0.hasSuffix(".swift") } }
    }

    @Test("every file exists, and none has a part in a fourth step")
    func existence() throws {
        let sources = try RepositoryText.swiftFiles(in: "Sources").map(\.path)
        let files = try self.files()
        #expect(files.count > 40)
        for file in files { #expect(sources.contains { $0.hasSuffix("/" + file) }, "\(file)") }
        let entries = Dictionary(grouping: files) { $0 }.mapValues(\.count)
        #expect(entries.filter { $0.value > 3 }.isEmpty)
    }
}
