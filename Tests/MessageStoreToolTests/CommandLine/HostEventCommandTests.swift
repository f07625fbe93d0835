import ArgumentParser
import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

/// A host's event that the tool has no code for.
private struct NotePinned: ConversationPayload, DeclaredFields {
    var message: MessageReference
    var by: UserID?
    var readers: [UserID]
    var note: String?

    static let declaration = EventDeclaration("com.example.note-pinned", scope: .conversation)
    static let fieldList = FieldList(
        Self.init, FieldOf(3, "message", \Self.message), EnvelopeFieldOf(.optionalActor, "by", \Self.by),
        FieldOf(5, "readers", \Self.readers), ContentFieldOf(1, "note", \Self.note))
}

@Suite("The tool and hosts' events", .tool, .timeLimit(.minutes(30)))
struct HostEventCommandTests {
    private let configuration: MessageStore.Configuration

    init() throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.events = [NotePinned.self]
        self.configuration = configuration
        let pinned = NotePinned(message: .server("s1"), by: "bob", readers: ["al", "cy"], note: "晚上")
        try place.record([Event(ConversationPinned(), in: .group("g")), Event(pinned, in: .group("g"), id: "e1")]) {
            $0 = configuration
        }
    }

    @Test(
        "log: name and fields are those that the host declared, in words, as JSON and by --fields; words are shown on demand"
    )
    func log() throws {
        let options = [[], ["--text"]]
        let lines = try options.map {
            try ToolRun(["log", place.store, "--type", "com.example.note-pinned"] + $0).lines
        }
        for (lines, note) in [(lines[0], "(6 bytes)"), (lines[1], "晚上")] {
            #expect(lines.count == 1)
            #expect(
                lines.first?.hasSuffix(
                    "  com.example.note-pinned  group:g  commit=1  id=e1  by=bob  message=s1  readers=al, cy  note=\(note)"
                )
                    == true, "\(lines)")
        }
        let last = try #require(try place.run("log", "--json", "--text").objects().last)
        let described = ["type": "com.example.note-pinned", "by": "bob", "message": "s1", "readers": "al cy"]
        #expect(last["described"] as? [String: String] == described.merging(["note": "晚上"]) { $1 })
        let hidden = try #require(try place.run("log", "--json").objects().last)
        #expect(hidden["described"] as? [String: String] == described)
        let rows = try place.run("log", "--fields", "position,by,note", "--text").lines
        #expect(rows == ["1  -  -", "2  bob  晚上"])
        let object = try #require(try place.run("log", "--json", "--fields", "readers,position").objects().last)
        #expect(object["readers"] as? String == "al cy" && object["position"] as? Int == 2 && object.count == 2)
    }

    @Test("log --json: what it prints restores the same store, with the host's code and without")
    func json() throws {
        let lines = try place.run("log", "--json", "--text").lines
        // The content as the log has it: field 1, 6 bytes, "晚上".
        let words = "CgbmmZrkuIo="
        #expect(lines.last?.contains(words) == true)
        #expect(try place.run("log", "--json").output.contains(words) == false)
        for events in [[NotePinned.self], []] as [[any EventPayload.Type]] {
            let copy = try ToolPlace()
            try copy.write({ $0.events = events }) { store in
                let decoder = JSONDecoder()
                decoder.userInfo[.eventTypes] = store.eventTypes
                var rest = lines[...]
                try store.appendRecorded {
                    try rest.popFirst().map { try decoder.decode(RecordedEvent.self, from: Data($0.utf8)) }
                }
            }
            // Without the host's code the copy does not describe the host's events.
            let copied = try copy.run("log", "--json", "--text").lines
            #expect(copied == (events.isEmpty ? lines.map(Self.undescribed) : lines))
            #expect(try copy.digests() == place.digests())
        }
    }

    private static func undescribed(_ line: String) -> String {
        line.replacing(#/"described":{[^}]*},/#, with: "")
    }

    @Test(
        "a tool that a host builds opens stores with the host's types; stats and verify of another say that it cannot fold them"
    )
    func hostsTool() throws {
        let arguments = try StoreArguments.parse([place.store])
        for open in [arguments.openReadOnly, arguments.openForWriting] {
            let store = try MessageStoreCommand.$configuration.withValue(configuration, operation: open)
            #expect(try store.events(from: Position(2)).first?.event.payload is NotePinned)
            try store.close()
        }
        let line = try place.run("stats").lines.first { $0.contains("note-pinned") }
        #expect(line?.hasPrefix("events of com.example.note-pinned, registered by a host") == true)
        let counts = try place.run("stats", "--json").object()["unknownEvents"] as? [String: Int]
        #expect(counts == ["com.example.note-pinned": 1])
        try place.run("verify").succeeded()
    }

    @Test("--edit sets the fields of a host's event where the tool has the host's types, and else says why it cannot")
    func edit() throws {
        let store = try MessageStore.openReadOnly(place.store, configuration: configuration)
        var edit = try EventEdit(Position(2), in: store)
        for word in ["by=al", "readers=cy,dee", "note=a = b", "message=server:s2", "device=phone"] {
            try edit.set(word)
        }
        let expected = NotePinned(message: .server("s2"), by: "al", readers: ["cy", "dee"], note: "a = b")
        #expect(edit.event == Event(expected, in: .group("g"), id: "e1", device: "phone"))
        #expect(throws: ToolError.self) { try edit.set("nothing=1") }
        try place.run("replay", "--edit", "2", "by=al").ended(
            2, saying: "com.example.note-pinned", "built with the host's types")
        try place.run("replay", "--edit", "2", "device=phone").succeeded()
    }
}
