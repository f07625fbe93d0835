import Foundation
import Testing

@Suite("The documents")
struct DocumentTests {
    private static let documents = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Docs"]

    private func text(_ path: String) throws -> String {
        try RepositoryText.text(of: RepositoryText.root.appendingPathComponent(path))
    }

    /// The cells of each row of the tables in a text, without their heads.
    private func rows(of text: some StringProtocol) -> [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }.map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private func code(in text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap { index, part in
            index.isMultiple(of: 2) ? nil : String(part)
        }
    }

    @Test("every link to a file of the repository leads there")
    func links() throws {
        for file in try Self.documents.flatMap(RepositoryText.files) where file.pathExtension == "md" {
            let links = try RepositoryText.text(of: file).matches(of: /\]\(([^)#\s]+)[^)]*\)/).map {
                String($0.output.1)
            }
            for link in links where !link.contains("://") {
                let target = file.deletingLastPathComponent().appendingPathComponent(link)
                #expect(FileManager.default.fileExists(atPath: target.path), "\(file.lastPathComponent): \(link)")
            }
        }
    }

    @Test("the README has at most 120 lines, a version of the changelog 60, and the map in CONTRIBUTING.md names files")
    func lengths() throws {
        #expect(try text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 121)
        for version in try text("CHANGELOG.md").components(separatedBy: "\n## ").dropFirst() {
            #expect(version.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
        }
        let names = code(in: try text("CONTRIBUTING.md")).filter { $0.wholeMatch(of: /\w[\w+]*\.(swift|md)/) != nil }
        let files = try ["Sources", "Docs"].flatMap(RepositoryText.files).map(\.lastPathComponent)
        #expect(names.count > 5)
        for name in names where name != "Type.swift" && !name.hasPrefix("Type+") {
            #expect(
                files.contains(name) || FileManager.default.fileExists(atPath: RepositoryText.root.path + "/" + name),
                "\(name)")
        }
    }

    @Test("the tool's version is the changelog's newest")
    func version() throws {
        let newest = try #require(try text("CHANGELOG.md").firstMatch(of: /\n## (\d+\.\d+\.\d+)/))
        let tool = try text("Sources/MessageStoreTool/MessageStoreCommand.swift")
            .firstMatch(of: /version: "([^"]+)"/)
        #expect(tool?.output.1 == newest.output.1)
    }

    @Test("the new names in the changelog's table exist")
    func renames() throws {
        let names = try RepositoryText.publicNames()
        let tables = try text("CHANGELOG.md").components(separatedBy: "### Breaking").dropFirst().compactMap {
            $0.components(separatedBy: "### Added").first
        }
        let new = tables.flatMap { rows(of: $0).dropFirst() }.flatMap { code(in: $0[1]) }.filter {
            $0.wholeMatch(of: /[\w.]+(\([\w:]*\))?/) != nil
        }
        #expect(new.count > 20)
        for name in new where !name.hasPrefix("messagestore") && name != "diff" && name != "watch" {
            #expect(names.contains(name), "\(name)")
        }
    }

    @Test(
        "the code that the guides show is compiled and run",
        arguments: [
            "Docs/Testing.md", "Docs/ChatScreen.md", "Docs/Concurrency.md", "Docs/Processes.md", "Docs/MovingIn.md",
            "Sources/MessageStore/MessageStore.docc/OfflineSync.md",
            "Sources/MessageStoreObservation/MessageStoreObservation.docc/ChatScreen.md",
        ])
    func guides(path: String) throws {
        let directories = ["Tests/MessageStoreTestKitTests/Guides", "Tests/MessageStoreMigrationTests"]
        let compiled = try directories.flatMap { try RepositoryText.files(in: $0) }.map(RepositoryText.text)
        let blocks = try text(path).components(separatedBy: "```swift\n").dropFirst().map { block in
            block.components(separatedBy: "\n```")[0]
        }
        let sources = compiled.map { unindented($0) }
        #expect(blocks.count > 1)
        for block in blocks where !block.hasPrefix(".testTarget") {
            let lines = unindented(block.hasSuffix("\n}") ? String(block.dropLast(2)) : block)
            #expect(sources.contains { $0.contains(lines) }, "\(block)")
        }
    }

    /// The lines without the spaces before them.
    private func unindented(_ text: String) -> String {
        text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.joined(separator: "\n")
    }

    @Test("the guide to errors has every code once")
    func errors() throws {
        let section = try #require(
            try text("Docs/Concurrency.md").components(separatedBy: "| code | what happened").last)
        let listed = rows(of: section.components(separatedBy: "\n## ")[0]).flatMap { code(in: $0[0]) }
        let declared = try text("Sources/MessageStoreLog/Log/StoreError.swift").matches(
            of: /static let (\w+) = Code\(/)
        #expect(listed.sorted() == declared.map { String($0.output.1) }.sorted())
    }
}
