import Foundation
import Testing
@testable import MessageStoreTestSupport

@Suite("README", .timeLimit(.minutes(30)))
struct ReadmeTests {
    @Test("The first sample does what it says")
    func sampleRuns() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(try await catchUp(in: directory.path) == ["friends: 1 unread, last: 好的"])
    }

    @Test("The first sample is the one that is compiled here")
    func sampleIsCompiled() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: here.appendingPathComponent("ReadmeSample.swift"), encoding: .utf8)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let sample = try #require(source.range(of: "func catchUp("))
        #expect(readme.contains("```swift\nimport MessageStore\n\n" + source[sample.lowerBound...] + "\n"))
    }
}
