import MessageStore
import MessageStoreSharing
import MessageStoreTestKit
import Testing

// Docs/Processes.md shows the code of this file; a test compares them.

@Suite("Docs/Processes.md: the code that it shows", .timeLimit(.minutes(30)))
struct ProcessesGuide {
    private let place: TemporaryStore
    private let group = ConversationKey.group("g1")
    private var shared: String { place.directory }
    private var path: String { place.path }

    init() throws { place = try TemporaryStore() }

    @Test("what an extension hands over is recorded, the lens is there, and the store can be suspended")
    func handOver() async throws {
        let inbox = Inbox(at: shared + "/inbox", account: "alice")
        try inbox.handOver([.received("m1", from: "bob", in: .group("g1"), at: .now, content: .text("hello"))])

        var configuration = place.configuration
        configuration.processes.lens = LensConfiguration(path: shared + "/lens")

        configuration.processes.inboxPath = shared + "/inbox"
        let store = try await MessageStore.open(path, account: "alice", configuration: configuration)

        try await store.drainInbox()
        try await store.suspend()  // before the system suspends the process
        try await store.resume()  // when it is back
        #expect(try await store.read { try $0.unreadTotals().badge } == 1)
        try await store.close()
        #expect(try Lens(at: shared + "/lens").badge == 1)
    }

    @Test("a pool opens the stores that are used")
    func pool() async throws {
        let (directory, message) = (
            place.directory, Event.received("m1", from: "bob", in: group, at: .now, content: .text("hello"))
        )
        let pool = AccountPool(AccountStores(at: directory), openStores: 350)
        try await pool.withStore("alice") { store in try store.record(message) }
        let lease = try await pool.lease("bob")  // stays open, for live queries
        #expect(try lease.store.lastPosition() == .origin)
    }
}

/// What an extension does with a push.
struct PushNotification {
    let shared: String

    /// The text to show, nil for none; and the badge.
    func handle(_ push: Event, _ id: ServerMessageID, in group: ConversationKey) throws -> (shows: Bool, badge: Int) {
        let inbox = Inbox(at: shared + "/inbox", account: "alice")
        let wasWaiting = try inbox.hasWaiting(id, in: group)
        try inbox.handOver([push])
        let waiting = try inbox.waiting()
        let lens = try Lens(at: shared + "/lens")  // after the inbox
        let isNew = !wasWaiting && !lens.hasRecent(id, in: group)
        let shows = isNew && lens.conversation(group)?.isMuted(at: .now) != true
        let badge = lens.badge(adding: waiting, at: .now)
        return (shows, badge)
    }
}

extension ProcessesGuide {
    @Test("three pushes while the app is closed count one each, and the same push is not new again")
    func badge() async throws {
        var configuration = place.configuration
        (configuration.processes.inboxPath, configuration.processes.lens) = (
            shared + "/inbox", LensConfiguration(path: shared + "/lens")
        )
        let store = try await MessageStore.open(path, account: "alice", configuration: configuration)
        try await store.record((1...94).map { push("m\($0)") })
        try await store.close()
        let extensions = PushNotification(shared: shared)
        let told = try ["p1", "p2", "p3", "p3"].map { try extensions.handle(push($0), ServerMessageID($0), in: group) }
        #expect(told.map(\.badge) == [95, 96, 97, 97])
        #expect(told.map(\.shows) == [true, true, true, false])
        let again = try await MessageStore.open(path, account: "alice", configuration: configuration)
        try await again.drainInbox()
        #expect(try await again.read { try $0.unreadTotals().badge } == 97)
        try await again.close()
        let last = try extensions.handle(push("p3"), "p3", in: group)
        #expect(last.badge == 97 && !last.shows)
    }

    private func push(_ id: String) -> Event {
        .received(ServerMessageID(id), from: "bob", in: group, at: .now, content: .text(id))
    }
}
