import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d36: whom a chat of two is with", .store, .timeLimit(.minutes(30)))
struct PeerTests {
    private let chat = ConversationKey.single("c-1")

    private func members(_ members: [UserID], in key: ConversationKey) -> Event {
        Event(ConversationSnapshotReceived(ConversationFields(), members: members), in: key)
    }

    @Test("A6, d36: the other one of two members, else the user whose id the conversation has, never the account")
    func peers() throws {
        let cases: [(key: ConversationKey, members: [UserID], peer: UserID?)] = [
            (.single("bob"), [], "bob"), (.single("c-1"), ["me", "ann"], "ann"), (.single("c-2"), ["cid"], "cid"),
            (.single("dan"), ["me", "x", "y"], "dan"), (.single("eve"), ["me"], "eve"),
            (.single("me"), [], nil), (.single("me"), ["me", "fay"], "fay"), (.group("bob"), ["me", "bob"], nil),
            (.system("bob"), [], nil), (ConversationKey(.single, "gil", channel: "1"), [], "gil"),
        ]
        for (key, list, peer) in cases {
            try store.record(members(list, in: key))
            #expect(try store.conversation(key)?.peer == peer, "\(key) with \(list)")
        }
    }

    @Test("A6, C12, d36: the row shows the peer's name and picture, unless the conversation has its own")
    func row() throws {
        try withTemporaryStore { store throws in
            try store.record(members(["me", "bob"], in: chat), received("a", at: 1, in: chat))
            #expect(try store.conversation(chat)?.displayName == "bob")
            #expect(try store.conversation(chat)?.avatarURL == nil)
            try store.record(.profilesFetched([Profile(id: "bob", name: "Bob", avatarURL: "bob.png")]))
            let row = try #require(try store.read { try $0.conversations().elements.first })
            #expect(row.displayName == "Bob" && row.avatarURL == "bob.png" && row.name == nil)
            try store.record(.profilesFetched([Profile(id: "bob", name: "Robert", avatarURL: "")]))
            #expect(try store.conversation(chat)?.displayName == "Robert")
            #expect(try store.conversation(chat)?.avatarURL == nil)
            try store.record(Event(ConversationUpdated(.init(name: "Own", avatarURL: "own.png")), in: chat))
            #expect(try store.conversation(chat)?.displayName == "Own")
            #expect(try store.conversation(chat)?.avatarURL == "own.png")
            let after = try store.read { try $0.conversations() }
            #expect(try store.replay(to: try store.lastPosition()) { try $0.conversations() } == after)
        }
    }

    @Test("A6, d36: a picture that comes refreshes the observed row of its owner")
    func refresh() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await store.record([received("a", at: 1, in: peer), received("b", at: 2)])
        let list = Follower(store.observeConversations())
        #expect(try await list.next()?.elements.map(\.avatarURL) == [nil, nil])
        try await store.record(.profilesFetched([Profile(id: "bob", avatarURL: "bob.png")]))
        #expect(try await list.next()?.elements.map(\.avatarURL) == [nil, "bob.png"])
        try await store.close()
    }

    @Test("B6, d36: the chat with a user is found by its id or by its members; of several, the listed and latest one")
    func lookup() throws {
        func found(_ user: UserID) throws -> ConversationKey? {
            try store.read { try $0.conversation(withPeer: user)?.key }
        }
        try store.record(
            received("a", at: 1, in: .single("bob")), received("g", at: 9, in: .group("bob")),
            members(["me", "ann"], in: chat), members(["cid"], in: .single("c-2")))
        #expect(try found("bob") == .single("bob") && found("ann") == chat && found("cid") == .single("c-2"))
        #expect(try found("me") == nil && found("nobody") == nil && found("c-1") == nil)
        try store.record(received("b", at: 5, in: chat), members(["me", "bob"], in: chat))
        #expect(try found("bob") == chat && found("ann") == nil)
        try store.record(Event(ConversationDeleted(), in: chat))
        #expect(try found("bob") == .single("bob"))
        try store.record(Event(ConversationDeleted(), in: .single("bob")))
        #expect(try found("bob") == chat, "of two that are deleted, the latest")
    }
}
