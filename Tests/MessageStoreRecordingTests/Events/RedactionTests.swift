import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I9, I11: redaction and unknown events", .store)
struct RedactionTests {
    @Test(
        "I11: redaction removes the words for good and leaves views and digests as they are",
        arguments: [false, true])
    func redaction(isReopened: Bool) throws {
        let place = try TemporaryStore()
        var store = try place.open()
        try store.record(received("a", at: 1, text: "secret"), received("b", at: 2))
        if isReopened {
            try store.close()
            store = try place.open()
        }
        let digests = try store.digests()
        try store.redact(Position(1))
        try store.redact(Position(1))
        let message = try #require(try store.message("a"))
        #expect(message.isRedacted && message.content.text == nil)
        #expect(message.content.type == .text && message.sender == "bob" && message.time == ms(1))
        #expect(try store.events(to: Position(1)).first?.isRedacted == true)
        #expect(try store.unread().messages == 2)
        #expect(try store.digests() == digests)
        #expect(try store.digests(at: Position(2)) == digests)
        #expect(try store.isConsistent())
        #expect(try store.record([received("a", at: 1, text: "secret")]).duplicates == 1, "I4 holds for it")
        try store.close()
        try place.withStore { store throws in
            #expect(try store.digests() == digests)
            #expect(try store.message("a")?.content.text == nil)
        }
    }

    @Test("I11: the modifications of a redacted message are redacted with it, before or after it, and no others")
    func modifications() throws {
        try store.record(modified("a", "early secret", at: 3), received("a", at: 1), received("b", at: 2))
        try store.record(modified("a", "late secret", at: 9), modified("b", "kept", at: 5))
        try store.redact(Position(2))
        let message = try #require(try store.message("a"))
        #expect(message.isRedacted && message.content.text == nil)
        #expect(try store.message("b")?.content.text == "kept")
        #expect(try store.events().map(\.isRedacted) == [true, true, false, true, false])
    }

    @Test("I11, d12: a copy that came under the id of a second acknowledgement is redacted with its message")
    func copyOfSecondName() throws {
        try withTemporaryStore { store throws in
            func echo(_ id: ServerMessageID, at time: Int64, token: ClientToken? = nil) -> Event {
                received(id, at: time, from: TemporaryStore.account, text: "secret", token: token)
            }
            let local = try store.local(queued("secret", token: "t"))
            try store.record(echo("m1", at: 50, token: "t"))
            let copy = try #require(try store.record(echo("m2", at: 60)).position)
            try store.record(sent(local, "m2", at: 60))
            #expect(try store.page().elements.map(\.id) == [local])
            try store.redact(Position(local.rawValue))
            #expect(try store.events(from: copy, to: copy).map(\.isRedacted) == [true])
            #expect(try store.events().allSatisfy { !"\($0.event)".contains("secret") })
        }
    }

    @Test("I11: what holds no words, and what does not exist, is an error")
    func errors() throws {
        try store.record(pinned())
        expectError(.invalidArgument) { try store.redact(Position(1)) }
        expectError(.notFound) { try store.redact(Position(2)) }
        expectError(.notFound) { try store.redact(.origin) }
    }

    @Test("I9: unknown events are kept byte for byte, counted and passed over", arguments: [group, nil])
    func unknownEvents(conversation: ConversationKey?) throws {
        let type = EventType(rawValue: 0x8001)
        let unknown = UnknownEvent(type: type, schemaVersion: 7, content: [0, 255, 1])
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(received("a", at: 1), Event(any: unknown, in: conversation))
            try store.record(Event(any: unknown, in: conversation))
        }
        try place.withStore { store throws in
            #expect(try store.read { try ViewDiagnostics.unknownEventCounts(in: $0) } == [type: 2])
            let events = try store.events(where: EventFilter(types: [type]))
            #expect(events.map { AnyHashable($0.event.payload) } == [unknown, unknown])
            #expect(events.first?.event.conversation == conversation)
            #expect(try store.texts() == ["a"])
            #expect(try store.isConsistent())
        }
    }
}
