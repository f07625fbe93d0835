import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import Testing

@Suite("Search after values were erased", .timeLimit(.minutes(30)))
struct ErasedValueTests {
    /// What is erased, and how.
    enum Way: CaseIterable { case conversation, modification, hostEvent, userOfHostEvent }

    @Test("no file has the words of what was erased, once a compaction says so", arguments: Way.allCases)
    func erased(way: Way) throws {
        let chat = try SearchStore { configuration in
            configuration.events = [NoteSigned.self]
            configuration.laggingProjections = [SearchIndex(hostTexts: [HostText(NoteSigned.self) { $0.text }])]
        }
        let (store, rest) = (chat.store, "another text")
        try chat.receive(rest, in: .group("other"))
        let isMessage = way == .conversation || way == .modification
        let secret = isMessage ? FileHunt.secret : "plain"
        let message = try chat.receive(way == .modification ? "plain" : secret, id: "m")
        let edit = try store.record(
            .modified(
                .server("m"), content: .text(way == .modification ? FileHunt.secret : "plain again"),
                in: SearchStore.chat, at: Timestamp(milliseconds: 9), origin: .live)
        ).position
        let note = try store.record(
            Event(NoteSigned(by: "ann", text: isMessage ? "plain" : FileHunt.secret), in: SearchStore.chat)
        ).position
        try chat.index()
        #expect(
            try (FileHunt.count(in: FileHunt.indexFolder(in: chat.place.path)) > 0) == (TemporaryStore.key == nil))
        switch way {
        case .conversation: try store.erase(.conversations([SearchStore.chat]))
        case .modification: try store.erase(.events([#require(edit)]))
        case .hostEvent: try store.erase(.events([#require(note)]))
        case .userOfHostEvent: try store.erase(.users(["ann"]))
        }
        #expect(try store.compact().isErasureComplete)
        #expect(try FileHunt.counts(in: chat.place.path) == [:])
        #expect(try chat.texts(FileHunt.pair) == [])
        #expect(try chat.texts("another") == [rest])
        try chat.index()
        #expect(try FileHunt.counts(in: chat.place.path) == [:])
        _ = message
        try store.close()
    }

    @Test("what an erasure left of a message is found after the next erasure as well")
    func twice() throws {
        let chat = try SearchStore()
        try chat.receive("first", id: "m")
        let edits = try ["second", "third"].enumerated().map { index, text in
            try #require(
                try chat.store.record(
                    .modified(
                        .server("m"), content: .text(text), in: SearchStore.chat,
                        at: Timestamp(milliseconds: 100 + Int64(index)), origin: .live)
                ).position)
        }
        let other = try chat.receive("other", id: "n")
        try chat.index()
        try chat.store.redact(edits[0])
        try chat.index()
        try chat.store.redact(Position(other.rawValue))
        try chat.index()
        #expect(try chat.texts("third") == ["third"])
        try chat.store.compact()
        #expect(try chat.texts("third") == ["third"])
        #expect(try chat.texts("other") == [])
        try chat.store.close()
    }

    @Test("a compaction by a process that does not know the index leaves none of it")
    func unknown() throws {
        let chat = try SearchStore()
        try chat.receive("text")
        try chat.index()
        try chat.store.close()
        let plain = try chat.place.open()
        try plain.compact()
        try plain.close()
        #expect(try FileHunt.counts(in: chat.place.path + "/lagging") == [:])
    }
}

/// A host's event of a user, with a text.
struct NoteSigned: ConversationPayload, DeclaredFields {
    var user: UserID
    var text: String?
    static let declaration = EventDeclaration("com.example.note-signed", scope: .conversation)
    static let user = EnvelopeFieldOf(.actor, "user", \Self.user)
    static let text = ContentFieldOf(1, "text", \Self.text)
    static let fieldList = FieldList(Self.init, user, text)

    init(by user: UserID, text: String?) { (self.user, self.text) = (user, text) }
}
