import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

/// A host's projection that the tool has no code for: which conversations were pinned, and when.
private struct Pins: Projection {
    static let table = ProjectionTable<Pin, ConversationKey>("com.example.pins", "pins", key: "conversation")

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration("com.example.pins", version: 3, handles: [.conversationPinned], tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard let conversation = try event.conversation else { return }
        try rows.put(Pin(at: event.position.rawValue), in: Self.table, at: conversation)
    }
}

private struct Pin: DeclaredFields {
    var at: UInt64

    static let fieldList = FieldList(Self.init, FieldOf(1, "pinnedAt", \Self.at))
}

@Suite("The tool and hosts' projections", .tool, .timeLimit(.minutes(30)))
struct HostProjectionCommandTests {
    init() throws {
        try place.record([
            Event(ConversationPinned(), in: .group("群")), Event(ConversationPinned(), in: .group("h")),
        ]) { $0.projections = [Pins()] }
    }

    @Test("a host's projection: its version and position, its rows by its description, and what verify did not look at")
    func projections() throws {
        let lines = try place.run("projections").lines
        let line = try #require(lines.first { $0.contains("com.example.pins") })
        #expect(line.split(separator: " ") == ["com.example.pins", "3", "unregistered", "2"])
        #expect(lines.contains { $0.hasPrefix("ConversationList ") && $0.contains("current") })
        let pins = try place.run("rows", "com.example.pins/pins").lines
        #expect(pins == ["conversation=group:h  pinnedAt=2", "conversation=group:群  pinnedAt=1"])
        let json = try place.run("rows", "com.example.pins/pins", "--json", "--limit", "1").lines
        #expect(json == [#"{"key":{"conversation":"group:h"},"row":{"pinnedAt":"2"}}"#])
        let list = try place.run("rows", "conversations").lines
        #expect(list.count == 2 && list[0].contains("isPinned"))
        let tables = try place.run("rows").lines
        #expect(tables.contains("com.example.pins/pins") && tables.contains("timeline"))
        let verified = try place.run("verify").succeeded()
        #expect(verified.lines.contains { $0.contains("com.example.pins") && $0.contains("not verified") })
        let positions = try place.write({ $0.projections = [Pins()] }) { store in
            try store.read { try $0.rows(of: Pins.table).elements.map(\.value.at) }
        }
        #expect(positions == [2, 1])
    }
}
