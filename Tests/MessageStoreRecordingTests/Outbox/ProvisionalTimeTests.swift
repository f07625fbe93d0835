import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("X13, E21, d39: acknowledgements without the server's time", .timeLimit(.minutes(30)))
struct ProvisionalTimeTests {
    /// A store whose clock stands at 1 s, with a message that is sent and another's before and behind it.
    private func withSent(_ body: (MessageStore, LocalMessageID) throws -> Void) throws {
        try withTemporaryStore({ $0.now = { ms(1_000) } }) { store throws in
            try store.record(received("early", at: 900))
            let mine = try store.local(queued("mine", token: "t"))
            try store.record(received("late", at: 2_000))
            #expect(try store.texts() == ["early", "late", "mine"])
            try store.record(.sent(mine, as: "m", in: group))
            try body(store, mine)
        }
    }

    private func copy(at time: Int64, _ id: ServerMessageID = "m", origin: Origin = .live) -> Event {
        received(id, at: time, from: "me", text: "mine", token: "t", origin: origin)
    }

    private func snapshots(_ store: MessageStore) throws -> Int {
        try store.events(where: EventFilter(types: [.messageSnapshotReceived])).count
    }

    @Test("d39: an unknown time is none", .store)
    func unknownTime() throws {
        let mine = try store.local(queued("mine"))
        try store.record(Event(MessageSent(message: mine, serverID: "m", sentTime: .unknown), in: group))
        #expect(try store.message(mine)?.isTimeProvisional == true)
        try store.record(received("m", at: 7, from: TemporaryStore.account))
        #expect(try store.message(mine)?.time == ms(7))
    }

    @Test("X13, E21, d39: the message is sent, stands at the time of its queueing, and its time stays provisional")
    func place() throws {
        try withSent { store, mine in
            #expect(try store.texts() == ["early", "mine", "late"])
            let message = try #require(try store.message("m"))
            #expect(message.id == mine && message.status == .sent && message.serverID == "m")
            #expect(message.time == ms(1_000) && message.isTimeProvisional && message.order == nil)
            #expect(try store.outbox() == [])
        }
    }

    @Test(
        "X13, d39: a copy reports the time and moves the message, once; the same copy again records nothing",
        arguments: [.live, .history] as [Origin])
    func corrected(origin: Origin) throws {
        try withSent { store, mine in
            try store.record(copy(at: 0, origin: origin))
            #expect(try snapshots(store) == 0, "a copy without a time tells nothing")
            for _ in 0..<2 {
                try store.record(copy(at: 3_000, origin: origin))
                let message = try #require(try store.message(mine))
                #expect(message.time == ms(3_000) && !message.isTimeProvisional)
                #expect(message.order == order(3_000, "m"))
                #expect(try store.texts() == ["early", "late", "mine"])
                #expect(try snapshots(store) == 1)
            }
            try store.record(copy(at: 4_000))
            #expect(try store.message(mine)?.time == ms(3_000), "what is known is not changed")
            #expect(try store.page().elements.count == 3)
        }
    }

    @Test("d39: acknowledgement and copies in one batch correct the time once", .store)
    func oneBatch() throws {
        let mine = try store.local(queued("mine", token: "t"))
        try store.record([.sent(mine, as: "m", in: group), copy(at: 7), copy(at: 7)])
        #expect(try store.message(mine)?.time == ms(7) && snapshots(store) == 1)
    }

    @Test("d39: a time that came before the acknowledgement is taken with it", .store)
    func timeFirst() throws {
        let first = try store.local(queued("first"))
        let second = try store.local(queued("second"))
        try store.record([
            received("a", at: 7, from: "me"),
            Event(MessageSnapshotReceived(.server("b"), sentTime: ms(8)), in: group, origin: .history),
            .sent(first, as: "a", in: group), .sent(second, as: "b", in: group),
        ])
        #expect(try store.message(first)?.time == ms(7) && store.message(first)?.isTimeProvisional == false)
        #expect(try store.message(second)?.time == ms(8) && store.message(second)?.isTimeProvisional == false)
        #expect(try store.texts() == ["first", "second"])
    }

    @Test(
        "d39: a clock that is ahead neither reads nor clears what is still to come, nor holds the conversation at the top"
    )
    func clockAhead() throws {
        try withTemporaryStore({ $0.now = { ms(1_000_000) } }) { store throws in
            try store.record(received("a", at: 10), received("b", at: 20, in: peer))
            let mine = try store.local(queued("mine"))
            try store.record(.sent(mine, as: "m", in: group))
            try store.record(read(), cleared())
            try store.record(received("c", at: 30))
            #expect(try store.unread().messages == 1)
            #expect(try store.texts() == ["c", "mine"], "not cleared: no marker is raised to it")
            try store.record(
                Event(MessageSnapshotReceived(.server("m"), sentTime: ms(15)), in: group, origin: .history))
            #expect(try store.texts() == ["mine", "c"])
            #expect(try store.conversation()?.activity == ms(30))
        }
    }

    @Test("d39: receipts up to a time cover it once its time is known")
    func receipts() throws {
        try withSent { store, mine in
            try store.record(readByPeer(.upTo(ms(5_000)), at: 5_000))
            #expect(try store.message(mine)?.status == .sent)
            try store.record(copy(at: 3_000))
            #expect(try store.message(mine)?.status == .read)
        }
    }
}
