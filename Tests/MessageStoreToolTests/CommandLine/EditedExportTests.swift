import Foundation
import Testing

@testable import MessageStoreTool

@Suite("An exported file that was edited", .tool, .timeLimit(.minutes(30)))
struct EditedExportTests {
    private let lines: [String]

    init() throws {
        let file = DebuggingGuide.root.appendingPathComponent("Docs/Debugging/garden.ndjson")
        lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { String($0) }
    }

    /// Imports the lines of events, with a trailer that has their digest and names no projections.
    private func importEvents(_ events: [String]) throws -> ToolRun {
        var digest = LineDigest()
        for event in events { digest.add(Array(event.utf8)) }
        let trailer = "{\"digest\":\"\(digest.text)\",\"events\":\(events.count)}"
        let text = ([lines[0]] + events + [trailer]).map { $0 + "\n" }.joined()
        let path = try place.logs.file(text.utf8, name: "edited.ndjson")
        return try place.run("import", path, "--format", "events")
    }

    /// The lines of events with a text in the place of another in the one line that has it.
    private func edited(_ text: String, _ other: String) throws -> [String] {
        var events = Array(lines.dropFirst().dropLast())
        let index = try #require(events.firstIndex { $0.contains(text) })
        events[index] = events[index].replacingOccurrences(of: text, with: other)
        return events
    }

    @Test("a longer text with as many bytes more, and a new digest, is imported")
    func longer() throws {
        var events = try edited("Frost tonight", "Frost tonight!!!")
        let index = try #require(events.firstIndex { $0.contains("Frost tonight") })
        let bytes = try #require(events[index].firstMatch(of: /"byteCount":(\d+)/))
        let count = try #require(Int(bytes.output.1))
        try importEvents(events).ended(1, saying: "\(count) bytes")
        events[index].replaceSubrange(bytes.range, with: "\"byteCount\":\(count + 3)")
        try importEvents(events).succeeded()
        let first = try place.run("log", "--from", "4", "--to", "4", "--fields", "text", "--text")
        #expect(first.lines == ["Frost tonight!!!"])
    }

    @Test("flags that do not agree with the payload are refused, and a list that is missing by its name")
    func flags() throws {
        try importEvents(
            edited(
                "\"countsUnread\":true,\"mentionsEveryone\":false,\"needsReceipt\":false,\"sender\":\"carla\"",
                "\"countsUnread\":false,\"mentionsEveryone\":false,\"needsReceipt\":false,\"sender\":\"carla\"")
        ).ended(1, saying: "flags")
        let missing = try importEvents(edited("\"kind\":\"kicked\",\"members\":[\"carla\"]", "\"kind\":\"kicked\""))
            .ended(1, saying: "payload.members")
        #expect(!missing.errors.contains("carla"))
    }
}
