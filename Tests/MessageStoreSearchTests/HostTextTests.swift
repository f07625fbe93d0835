import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import Testing

/// A host's event with a text.
struct NoteWritten: ConversationPayload, DeclaredFields {
    var title: String?
    static let declaration = EventDeclaration("com.example.note-written", scope: .conversation)
    static let title = ContentFieldOf(1, "title", \Self.title)
    static let fieldList = FieldList(Self.init, title)

    init(title: String?) { self.title = title }
}

@Suite("Search of hosts' events", .timeLimit(.minutes(30)))
struct HostTextTests {
    @Test("a host's event is found by its text, and not once it was redacted", arguments: [false, true])
    func found(isIndexed: Bool) throws {
        let chat = try SearchStore { configuration in
            configuration.events = [NoteWritten.self]
            configuration.laggingProjections = [SearchIndex(hostTexts: [HostText(NoteWritten.self) { $0.title }])]
        }
        try chat.store.record(Event(NoteWritten(title: "buy green tea"), in: SearchStore.chat))
        try chat.receive("tea is ready")
        if isIndexed { try chat.index() }
        let hits = try chat.hits(SearchQuery("tea"))
        #expect(hits.map(\.text) == ["tea is ready", "buy green tea"])
        #expect(hits.map { $0.message == nil } == [false, true])
        #expect(hits[1].highlights.map { hits[1].text[$0] } == ["tea"])
        try chat.store.redact(Position(1))
        for _ in 0..<2 {
            #expect(try chat.texts("tea") == ["tea is ready"])
            try chat.index()
        }
        try chat.store.close()
    }

    @Test("another version of a rule makes the index again")
    func version() {
        let rule = { (version: UInt32) in
            SearchIndex(hostTexts: [HostText(NoteWritten.self, version: version) { $0.title }]).version
        }
        #expect(rule(1) == rule(1))
        #expect(Set([rule(1), rule(2), SearchIndex().version]).count == 3)
    }
}
