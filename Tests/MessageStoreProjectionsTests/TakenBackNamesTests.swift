import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I7: names that are taken back while a read shows them", .timeLimit(.minutes(30)))
struct TakenBackNamesTests {
    /// What is recorded after `a` and `b` were taken back: nothing, others with their numbers, or the same in another order.
    private static let next = [[], ["c", "d"], ["b", "a"], ["c", "a"]]

    @Test("every conversation that a list shows is found by its name, and shows its own message", arguments: next)
    func olderRead(next: [String]) throws {
        let fixture = try AdmissionFixture()
        let views = fixture.views
        try fixture.append([received(in: "known")])
        let admitted = try fixture.admit([received(in: "a"), received(in: "b")])
        fixture.log.stage(admitted.prepared)
        let before = Views(try views.snapshot())
        #expect(fixture.log.unstage(admitted.prepared))
        views.rewind()
        if !next.isEmpty {
            fixture.log.stage(try fixture.admit(next.map { received(in: $0) }).prepared)
            try views.foldNew()
        }
        let after = Views(try views.snapshot())
        try check(before, ["known", "a", "b"])
        try check(after, ["known"] + next)
    }

    private func check(_ views: borrowing Views, _ ids: [String]) throws {
        let shown = try views.conversations().elements
        #expect(shown.map(\.key.id).sorted() == ids.sorted())
        for id in ["known", "a", "b", "c", "d"] {
            let key: ConversationKey? = ids.contains(id) ? .group(id) : nil
            let message: ServerMessageID? = ids.contains(id) ? ServerMessageID("in \(id)") : nil
            let found = try views.assembledConversation(.group(id))
            #expect(found?.key == key)
            #expect(found?.lastMessage?.conversation == key)
            #expect(found?.lastMessage?.serverID == message)
        }
    }

    private func received(in id: String) -> Event {
        AdmissionFixture.received(ServerMessageID("in \(id)"), in: id)
    }
}
