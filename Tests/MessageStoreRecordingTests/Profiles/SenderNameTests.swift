import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("C2, C10: names of senders")
struct SenderNameTests {
    private let room = ConversationKey(.chatRoom, "room")

    private func message(_ profile: SenderProfile?, in conversation: ConversationKey) -> Event {
        let body = MessageReceived(
            serverID: "s", sender: "bob", sentTime: ms(1), content: .text("hi"), senderProfile: profile)
        return Event(body, in: conversation, origin: .live)
    }

    private func name(_ store: MessageStore, in conversation: ConversationKey) throws -> String {
        try store.read { views throws in
            let message = try #require(try views.message(.server("s"), in: conversation))
            return try views.senderName(of: message)
        }
    }

    private func nickname(_ name: String, in conversation: ConversationKey) -> Event {
        Event(MemberInfoChanged("bob", nickname: name), in: conversation)
    }

    @Test(
        "C2: the nickname goes before the profile, that before the name that came with the message, that before the id")
    func order() throws {
        try withTemporaryStore { store throws in
            try store.record(message(nil, in: peer), message(SenderProfile(name: "Then"), in: group))
            #expect(try name(store, in: peer) == "bob")
            #expect(try name(store, in: group) == "Then")
            try store.record(profiles([("bob", "Now")]))
            #expect(try name(store, in: group) == "Now")
            try store.record(nickname("Nick", in: group))
            #expect(try name(store, in: group) == "Nick")
        }
    }

    @Test("C10: in a chat room the name that came with the message goes first, unless it is empty")
    func chatRoom() throws {
        try withTemporaryStore { store throws in
            try store.record(
                profiles([("bob", "Now")]), nickname("Nick", in: room),
                message(SenderProfile(name: "Then", avatarURL: "u"), in: room))
            #expect(try name(store, in: room) == "Then")
            let shown = try #require(try store.message("s", in: room))
            #expect(shown.senderProfile == SenderProfile(name: "Then", avatarURL: "u"))
        }
        try withTemporaryStore { store throws in
            try store.record(profiles([("bob", "Now")]), message(SenderProfile(name: ""), in: room))
            #expect(try name(store, in: room) == "Now")
        }
    }

    @Test("I11: a redacted message does not tell what its sender was called")
    func redacted() throws {
        try withTemporaryStore { store throws in
            let local = try store.local(message(SenderProfile(name: "Then"), in: group))
            try store.redact(Position(local.rawValue))
            #expect(try store.message(local)?.senderProfile == nil)
            #expect(try name(store, in: group) == "bob")
        }
    }
}
