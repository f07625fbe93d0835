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

private struct Pin: FieldGroup {
    var at: UInt64

    static let at = Field<UInt64>(1, "pinnedAt")

    init(at: UInt64) { self.at = at }
    init(from fields: inout some FieldDecoder) throws { at = try fields.decode(Self.at) }
    func encode(to fields: inout some FieldEncoder) throws { try fields.encode(at, for: Self.at) }
}

@Suite("The tool and hosts' projections", .enabled(if: ToolRun.executable != nil), .timeLimit(.minutes(30)))
struct HostProjectionCommandTests {
    private let place: ToolPlace

    init() throws {
        place = try ToolPlace()
        var configuration = MessageStore.Configuration()
        configuration.projections = [Pins()]
        let store = try MessageStore.open(place.store, account: "me", configuration: configuration)
        try store.record([Event(ConversationPinned(), in: .group("群")), Event(ConversationPinned(), in: .group("h"))])
        try store.close()
    }

    @Test("projections: one that a host registered is shown with its version and position")
    func projections() throws {
        let lines = try ToolRun(["projections", place.store]).lines
        let line = try #require(lines.first { $0.contains("com.example.pins") })
        #expect(line.split(separator: " ") == ["com.example.pins", "3", "unregistered", "2"])
        #expect(lines.contains { $0.hasPrefix("ConversationList ") && $0.contains("current") })
    }

    @Test("rows: of a host's table by its description, of the library's by the library's")
    func rows() throws {
        let pins = try ToolRun(["rows", place.store, "com.example.pins/pins"]).lines
        #expect(pins == ["conversation=group:h  pinnedAt=2", "conversation=group:群  pinnedAt=1"])
        let json = try ToolRun(["rows", place.store, "com.example.pins/pins", "--json", "--limit", "1"]).lines
        #expect(json == [#"{"key":{"conversation":"group:h"},"row":{"pinnedAt":"2"}}"#])
        let list = try ToolRun(["rows", place.store, "conversations"]).lines
        #expect(list.count == 2 && list[0].contains("isPinned"))
        let tables = try ToolRun(["rows", place.store]).lines
        #expect(tables.contains("com.example.pins/pins") && tables.contains("timeline"))
        #expect(try ToolRun(["rows", place.store, "none"]).exitCode == 2)
    }

    @Test("verify: says what it did not look at, and leaves it alone")
    func verify() throws {
        let run = try ToolRun(["verify", place.store])
        #expect(run.exitCode == 0)
        #expect(run.lines.contains { $0.contains("com.example.pins") && $0.contains("not verified") })
        var configuration = MessageStore.Configuration()
        configuration.projections = [Pins()]
        let store = try MessageStore.open(place.store, account: "me", configuration: configuration)
        #expect(try store.read { try $0.rows(of: Pins.table).elements.map(\.value.at) } == [2, 1])
        try store.close()
    }
}
