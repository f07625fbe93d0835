import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A12, A13, A33, A34: the mark, a bubble, the badge and the session", .timeLimit(.minutes(30)))
struct ConversationScenarios {
    private let place: TemporaryStore
    private let store: MessageStore

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
    }

    @Test("A13: given a bubble, when it is pressed long, then its text can be copied, and forwarded to another chat")
    func longPress() throws {
        try store.record(received("a", at: 1, text: "你好"))
        let pressed = try #require(try store.message("a"))
        #expect(pressed.content.text == "你好")
        let forward = MessageSendQueued(
            content: pressed.content, context: MessageContext(forwardOf: pressed.serverID))
        let id = try store.send(forward, to: peer)
        let copy = try #require(try store.message(id))
        #expect(copy.conversation == peer && copy.isOutgoing && copy.status == .sending)
        #expect(copy.content == pressed.content && copy.context.forwardOf == "a")
        #expect(try store.texts() == ["你好"] && store.texts(of: peer) == ["你好"])
    }

    @Test("A33: given a badge, when messages come, are muted and are read, then it shows each total")
    func badge() async throws {
        var totals = store.observeUnreadTotals().makeAsyncIterator()
        #expect(try await totals.next()?.badge == 0)
        try await store.record([received("a", at: 1), received("b", at: 2), received("c", at: 3, in: peer)])
        #expect(try await totals.next()?.badge == 3)
        try await store.record(read())
        #expect(try await totals.next()?.badge == 1)
        try await store.record(muted(in: peer))
        #expect(try await totals.next()?.badge == 0)
        let withMuted = try await store.read { try $0.unreadTotals(includesMuted: true) }
        #expect(withMuted.badge == 1)
    }

    @Test("A34: given a session, when another device takes over, then the app learns why, and what it has stays")
    func kicked() throws {
        try store.record(received("a", at: 1), Event(SessionStateChanged(.connected)))
        try store.record(Event(SessionStateChanged(.kicked, code: 4111, text: "SESSION_CONFLICT")))
        let kick = Session(.kicked, code: 4111, text: "SESSION_CONFLICT")
        #expect(try store.read { try $0.session() } == kick)
        try store.close()
        try place.withStore { store throws in
            #expect(try store.read { try $0.session() } == kick, "a restart can offer to reconnect")
            try store.record(Event(SessionStateChanged(.connected)), received("b", at: 2))
            #expect(try store.read { try $0.session() }?.state == .connected)
            #expect(try store.texts() == ["a", "b"])
        }
    }
}
