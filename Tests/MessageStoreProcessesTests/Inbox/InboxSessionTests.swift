import MessageStore
import MessageStoreSharing
import Testing
@testable import MessageStoreTestSupport

@Suite("d27: what an inbox hands over continues no stretch", .timeLimit(.minutes(30)))
struct InboxSessionTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    /// A store that looks into the inbox when it is asked to.
    private func open() throws -> MessageStore {
        let path = place.directory + "/inbox"
        return try place.open {
            $0.processes.inboxPath = path
            $0.clock = ManualClock()
        }
    }

    @Test("a message of an extension may have others before it until a sync completes", arguments: [false, true])
    func handedOver(isEnded: Bool) throws {
        var store = try open()
        try store.record([Event(SessionStateChanged(.connected)), received("m1", at: 1), received("m2", at: 2)])
        if isEnded { try store.record(Event(SessionStateChanged(.suspended))) }
        try store.close()
        try Inbox(at: place.directory + "/inbox", account: TemporaryStore.account, key: TemporaryStore.key).handOver([
            received("m9", at: 9)
        ])
        store = try open()
        try store.drainInbox()
        #expect(try store.texts() == ["m1", "m2", "m9"])
        #expect(try !store.page().isContiguous)
        try store.record([Event(SessionStateChanged(.connected)), received("m10", at: 10)])
        #expect(try !store.page().isContiguous && !store.page(limit: 2).isContiguous)
        let missed = (3...9).map { received(ServerMessageID("m\($0)"), at: Int64($0), origin: .offline) }
        try store.record(
            [Event(OfflineSyncStarted(), origin: .offline)] + missed + [Event(OfflineSyncCompleted(), origin: .offline)]
        )
        #expect(try store.page().isContiguous && !store.page().hasGapAfter)
        #expect(try store.isConsistent())
        try store.close()
    }
}
