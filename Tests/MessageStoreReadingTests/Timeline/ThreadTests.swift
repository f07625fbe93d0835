import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Replies by what they reply to: the expectations are those of d46 in `Docs/Requirements.md`.
@Suite("Threads")
struct ThreadTests {
    private func reply(
        _ id: ServerMessageID, to root: ServerMessageID, at time: Int64, from sender: UserID = "bob",
        in conversation: ConversationKey = group, policy: MessagePolicy = .standard
    ) -> Event {
        .received(
            id, from: sender, in: conversation, at: ms(time), content: .text(id.rawValue), policy: policy,
            context: MessageContext(replyTo: root), origin: .live)
    }

    private func ids(_ store: MessageStore, _ root: ServerMessageID, _ part: TimelinePart = .latest, limit: Int = 20)
        throws -> [ServerMessageID]
    {
        try store.read { try $0.replies(to: root, in: group, part, limit: limit) }.elements.compactMap(\.serverID)
    }

    private func thread(_ store: MessageStore, _ root: ServerMessageID) throws -> MessageThread? {
        try store.read { try $0.thread(of: root, in: group) }
    }

    @Test("d46, d51: a reply from the far future does not silence its thread", arguments: [nil, "far"])
    func farReply(named: ServerMessageID?) throws {
        let place = try TemporaryStore()
        let (now, day): (Int64, Int64) = (1_700_000_000_000, 86_400_000)
        place.time.set(ms(now))
        try place.withStore { store throws in
            let far = now + 365 * day
            try store.record(reply("a", to: "root", at: now), reply("far", to: "root", at: far))
            #expect(try thread(store, "root")?.unreadCount == 2)
            try store.record(Event(ThreadRead("root", upTo: named.map { order(far, $0) }), in: group))
            #expect(try thread(store, "root")?.unreadCount == 0)
            try store.record(reply("b", to: "root", at: now + 1))
            #expect(try thread(store, "root")?.unreadCount == 1)
            #expect(try store.isConsistent())
        }
    }

    @Test(
        "d46: replies are in the timeline's order, direct ones alone, page by page, whether their root is known or not")
    func replies() throws {
        try withTemporaryStore { store throws in
            try store.record(
                reply("c", to: "root", at: 30), reply("a", to: "root", at: 10), reply("b", to: "root", at: 20),
                reply("inner", to: "a", at: 40), reply("elsewhere", to: "root", at: 15, in: peer),
                received("other", at: 12))
            #expect(try thread(store, "root")?.rootMessage == nil)
            #expect(try thread(store, "a")?.replyCount == 1)
            try store.record(received("root", at: 1))
            #expect(try ids(store, "root") == ["a", "b", "c"])
            #expect(try thread(store, "root")?.rootMessage?.serverID == "root")
            let page = try store.read { try $0.replies(to: "root", in: group, limit: 2) }
            #expect(page.elements.map(\.serverID) == ["b", "c"] && page.hasOlder && !page.hasNewer)
            #expect(try ids(store, "root", .before(.message(.server("b")))) == ["a"])
            #expect(try ids(store, "root", .after(.message(.server("other"))), limit: 1) == ["b"])
            #expect(try ids(store, "none") == [] && thread(store, "none") == nil)
            #expect(throws: StoreError.self) { try ids(store, "root", limit: 0) }
            #expect(throws: StoreError.self) { try ids(store, "root", .before(.message(.server("none")))) }
        }
    }

    @Test("d46: threads sort in the order of their last replies, the latest first, page by page", .store)
    func list() throws {
        var random = SplitMix64(seed: 42)
        var expected: [ServerMessageID: Int64] = [:]
        for number in 0..<80 {
            let root = ServerMessageID("root\(random.nextIndex(12))")
            let time = Int64(100 + (number * 37) % 80)
            try store.record(reply("r\(number)", to: root, at: time))
            expected[root] = max(expected[root] ?? 0, time)
        }
        let roots = expected.sorted { $0.value > $1.value }.map(\.key)
        for limit in [1, 5, 1000] {
            let found = try store.read { views in
                try views.all(atMost: roots.count) { try $0.threads(in: group, after: $1, limit: limit) }
            }
            #expect(found.map(\.root) == roots)
            #expect(found.map(\.replyCount).reduce(0, +) == 80)
        }
        #expect(throws: StoreError.self) { try store.read { _ = try $0.threads(in: group, limit: 0) } }
        #expect(try store.read { try $0.threads(in: .group("unknown")).elements } == [])
    }

    @Test("d46: unread replies stand above the thread's marker and above the conversation's, which reads threads too")
    func unread() throws {
        try withTemporaryStore { store throws in
            try store.record(
                received("root", at: 1), reply("a", to: "root", at: 10), reply("b", to: "root", at: 20),
                reply("mine", to: "root", at: 25, from: "me"), reply("c", to: "root", at: 30),
                reply("quiet", to: "root", at: 35, policy: MessagePolicy(countsUnread: false)),
                reply("other", to: "a", at: 40))
            #expect(try thread(store, "root")?.unreadCount == 3)
            let before = try store.unread()
            try store.record(Event(ThreadRead("root", upTo: order(20, "b")), in: group))
            #expect(try thread(store, "root")?.unreadCount == 1)
            #expect(try thread(store, "root")?.readUpTo == order(20, "b"))
            #expect(try thread(store, "a")?.unreadCount == 1)
            // The marker never moves back, and the conversation stays as it is.
            try store.record(Event(ThreadRead("root", upTo: order(10, "a")), in: group))
            #expect(try thread(store, "root")?.unreadCount == 1)
            #expect(try store.unread() == before)
            // Without a place: all that is known of this thread.
            try store.record(Event(ThreadRead("root"), in: group))
            #expect(try thread(store, "root")?.unreadCount == 0)
            #expect(try thread(store, "root")?.readUpTo == order(35, "quiet"))
            try store.record(reply("d", to: "root", at: 36))
            #expect(try thread(store, "root")?.unreadCount == 1)
            try store.record(read(order(36, "d")))
            #expect(try thread(store, "root")?.unreadCount == 0 && thread(store, "a")?.unreadCount == 1)
        }
    }

    @Test(
        "d46: recalled, deleted, cleared and hidden replies are not counted; recalled ones stay among the replies",
        .store)
    func leaving() throws {
        try store.record(
            reply("cleared", to: "root", at: 10), reply("deleted", to: "root", at: 20),
            reply("stays", to: "root", at: 30), reply("hidden", to: "root", at: 40),
            reply("recalled", to: "root", at: 50))
        #expect(try thread(store, "root")?.lastReply.serverID == "recalled")
        try store.record(
            recalled("recalled"), deleted("deleted"), cleared(order(10, "cleared")),
            Event(MessageFiltered(.server("hidden"), verdict: .hide), in: group))
        #expect(try ids(store, "root") == ["stays", "recalled"])
        let left = try #require(try thread(store, "root"))
        #expect(left.replyCount == 1 && left.lastReply.serverID == "stays" && left.unreadCount == 1)
        #expect(try store.read { try $0.threads(in: group).elements } == [left])
        try store.record(Event(MessageFiltered(.server("hidden"), verdict: .keep), in: group))
        #expect(try thread(store, "root")?.lastReply.serverID == "hidden")
        try store.record(cleared())
        #expect(try thread(store, "root") == nil && store.read { try $0.threads(in: group).elements } == [])
    }

    @Test("d46: a reply that is sent stands last, and moves to its place with the acknowledgement", .store)
    func sending() throws {
        let local = try store.local(
            Event(MessageSendQueued(content: .text("mine"), context: MessageContext(replyTo: "root")), in: group))
        try store.record(reply("a", to: "root", at: 10), reply("b", to: "root", at: 30))
        #expect(try thread(store, "root")?.lastReply.id == local)
        try store.record(sent(local, "mine", at: 20))
        #expect(try ids(store, "root") == ["a", "mine", "b"])
        let acknowledged = try #require(try thread(store, "root"))
        #expect(acknowledged.replyCount == 3 && acknowledged.lastReply.serverID == "b")
        #expect(acknowledged.unreadCount == 2)
        #expect(try store.read { try $0.threads(in: group).elements } == [acknowledged])
    }

    @Test("I2, d46: the longest ids of a reply and of what it replies to are written, and read by another opening")
    func longestIDs() throws {
        let (root, id) = (String(repeating: "r", count: 255), String(repeating: "s", count: 255))
        let place = try TemporaryStore()
        let written = try place.open()
        try written.record(
            reply(ServerMessageID(id), to: ServerMessageID(root), at: 10),
            Event(ThreadRead(ServerMessageID(root), upTo: order(10, ServerMessageID(id))), in: group))
        try written.close()
        let store = try place.open()
        #expect(try ids(store, ServerMessageID(root)) == [ServerMessageID(id)])
        let thread = try #require(try thread(store, ServerMessageID(root)))
        #expect(thread.readUpTo == order(10, ServerMessageID(id)) && thread.unreadCount == 0)
        try store.close()
    }
}
