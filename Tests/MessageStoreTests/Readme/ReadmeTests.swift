import Foundation
import Testing

@Suite("README", .timeLimit(.minutes(30)))
struct ReadmeTests {
    @Test("The first sample does what it says")
    func sampleRuns() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        #expect(try await readmeSample(directory: directory.path) == ["friends: 1 unread, last: 好的"])
    }

    @Test("The first sample is the one that is compiled here")
    func sampleIsCompiled() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: here.appendingPathComponent("ReadmeSample.swift"), encoding: .utf8)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let parts = source.components(separatedBy: "    // sample begins\n")
        let body = try #require(parts.last?.components(separatedBy: "    // sample ends\n").first)
        let sample = body.components(separatedBy: "\n").map { line in
            line.hasPrefix("    ") ? String(line.dropFirst(4)) : line
        }
        #expect(readme.contains(sample.joined(separator: "\n")))
    }
}
