import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Written from LeanCloud's realtime document: conversations and members.
@Suite("LeanCloud: conversations and members", .store, .timeLimit(.minutes(30)))
struct LeanCloudConversationTests {
    @Test("X2, X5: a fresh store with summaries alone lists the conversations in their order, with their counts")
    func summariesAlone() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            // The device's clock is years behind the server's.
            place.time.set(ms(1))
            for number in [3, 1, 4, 2] as [Int64] {
                let summary = ConversationSummaryReceived(
                    activity: ms(number * 1_000), unread: .init(UInt32(number)), isMuted: number == 2)
                let time = number == 4 ? nil : ms(9_000)
                try store.record(Event(summary, in: .group("c\(number)"), origin: .live, serverTime: time))
            }
            #expect(try store.list().map(\.id) == ["c4", "c3", "c2", "c1"])
            for number in 1...4 { #expect(try store.unread(.group("c\(number)")).messages == number) }
            #expect(try store.totals().badge == 8, "one is muted")
        }
    }

    @Test("B23: a notice of what the account did itself lists the conversation, and no message is delivered")
    func ownInvitation() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let heard = store.deliveries()
        try await store.record(
            Event(SelfInvited(by: store.account), in: group, origin: .live, serverTime: ms(5)))
        let notices = try await store.events(where: EventFilter(types: [.selfInvited])).compactMap {
            $0.event.payload as? SelfInvited
        }
        #expect(notices.map(\.actor) == [store.account], "kept, and recognised by its actor")
        #expect(try store.conversation()?.activity == ms(5))
        #expect(try store.unread().messages == 0 && store.members().map(\.id) == ["me"])
        try await store.close()
        var count = 0
        for await _ in heard { count += 1 }
        #expect(count == 0)
    }

    @Test("B23: it moves no conversation that is there, by this device's clock or the server's")
    func ownInvitationMovesNothing() throws {
        try store.record(received("a", at: 1), received("b", at: 2, in: peer))
        try store.record(
            Event(SelfInvited(by: store.account), in: group),
            Event(SelfInvited(by: store.account), in: group, serverTime: ms(9)))
        #expect(try store.list() == [peer, group])
        #expect(try store.conversation()?.activity == ms(1))
        try store.record(Event(SelfInvited(by: "Tom"), in: group, serverTime: ms(9)))
        #expect(try store.list() == [group, peer])
    }

    @Test("B38: a new member sees what was said before; the kicked keeps what it has")
    func history() throws {
        try store.record(Event(SelfInvited(by: "Tom"), in: group, serverTime: ms(100)))
        try store.record(received("old", at: 1, origin: .history), received("new", at: 200))
        try store.record(Event(SelfKicked(by: "Tom"), in: group))
        #expect(try store.texts() == ["old", "new"])
    }
}
