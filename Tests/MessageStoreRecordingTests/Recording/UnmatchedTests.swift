import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d32: events that can hardly be meant", .store)
struct UnmatchedTests {
    /// Events that match nothing, and the same of messages that are there.
    private static let pairs: [(String, Event, Event)] = [
        ("MessageSent", sent(LocalMessageID(99), "s"), sent(LocalMessageID(2), "s")),
        ("MessageSendFailed", failed(LocalMessageID(1)), failed(LocalMessageID(2))),
        ("MessageSendRetried", retried(LocalMessageID(2), in: peer), retried(LocalMessageID(2))),
        ("MessageModified", modified("b", "edit", at: 9), modified("a", "edit", at: 9)),
        ("MessageRecalled", recalled("a", in: peer), recalled("a")),
        ("MessagesDeleted", deleted("b", "c"), deleted("b", "a")),
        ("MessageDelivered", delivered(.messages([.local(LocalMessageID(99))]), at: 9), delivered(.upTo(ms(1)), at: 9)),
        (
            "MessageReadByPeer", readByPeer(.messages([.server("b")]), at: 9),
            readByPeer(.messages([.server("a")]), at: 9)
        ),
    ]

    private static func sent(_ local: LocalMessageID, _ id: ServerMessageID) -> Event {
        .sent(local, as: id, in: group, at: ms(9))
    }

    @Test("d32: what matches nothing is reported, and what matches is not", arguments: pairs.indices, [false, true])
    func unmatched(index: Int, isOneBatch: Bool) throws {
        let (name, unmatched, matched) = Self.pairs[index]
        let lines = LoggedLines()
        let place = try TemporaryStore()
        let store = try place.open { $0.logger = lines.logger }
        let there = [received("a", at: 1), queued("q")]
        let transient = received("t", at: 2, policy: .transient)
        if isOneBatch {
            #expect(try store.record(there + [transient, unmatched, matched]).unmatched == [3])
        } else {
            #expect(try store.record(there).unmatched == [])
            #expect(try store.record([transient, unmatched]).unmatched == [1])
            #expect(try store.record([transient, matched]).unmatched == [])
        }
        #expect(lines.all.map(\.message) == ["events are about messages that the store does not have"])
        #expect(lines.all.first?.metadata == ["events": "1", "types": name])
        try store.close()
    }

    @Test("d32: a fact that was told first takes effect when its message arrives")
    func early() throws {
        #expect(try store.record([recalled("a")]).unmatched == [0])
        #expect(try store.record([received("a", at: 1)]).unmatched == [])
        #expect(try store.message("a")?.isRecalled == true)
    }

    @Test("d32: with many messages, too, whatever finds their ids")
    func manyMessages() throws {
        for start in [0, 3_000] {
            try store.record((start..<start + 3_000).map { received(ServerMessageID("m\($0)"), at: Int64($0 + 1)) })
        }
        #expect(try store.record((0..<50).map { recalled(ServerMessageID("m\($0 * 100)")) }).unmatched == [])
        let unknown = try store.record((0..<50).map { recalled(ServerMessageID("n\($0)")) }).unmatched
        #expect(unknown.count >= 49, "a filter may take an id for a known one, one in ten thousand times")
    }

    @Test(
        "d32: times in seconds are logged where the host accepts them, those in milliseconds are not",
        arguments: [(1_700_000_000, 1), (1_700_000_000_000, 0), (1, 0), (0, 0)] as [(Int64, Int)])
    func seconds(time: Int64, warnings: Int) throws {
        let lines = LoggedLines()
        let place = try TemporaryStore()
        let store = try place.open {
            $0.logger = lines.logger
            $0.sync.allowsTimesInSeconds = true
        }
        try store.record(received("a", at: time))
        #expect(lines.all.count == warnings)
        #expect(lines.all.allSatisfy { $0.message == "server times look like seconds; milliseconds are expected" })
        #expect(try store.message("a")?.time == ms(time))
        try store.close()
    }

    @Test(
        "d32: a time in seconds is refused, and nothing of its batch is recorded",
        arguments: [
            (978_307_199, true), (978_307_200, false), (99_999_999_999, false), (100_000_000_000, true), (1, true),
        ] as [(Int64, Bool)])
    func secondsRefused(time: Int64, isAccepted: Bool) throws {
        let batch = [received("a", at: 1), received("b", at: time)]
        if isAccepted {
            try store.record(batch)
        } else {
            expectError(.invalidTime) { try store.record(batch) }
        }
        #expect(try store.lastPosition().rawValue == (isAccepted ? 2 : 0))
    }

    @Test("d32: a place up to which something is read is judged as a time is, and as it is where seconds are accepted")
    func placesInSeconds() throws {
        func events(at time: Int64) -> [Event] {
            let place = MessageOrder(time: ms(time), id: "a")
            let bodies: [any EventPayload] = [
                ConversationRead(upTo: place), ThreadRead("a", upTo: place), UnreadCountReported(1, upTo: place),
                ConversationSummaryReceived(unread: .init(1, upTo: place)),
                ConversationSummaryReceived(readUpTo: place), ReadReceiptSent(.upTo(ms(time))),
                MessageDelivered(.upTo(ms(time)), to: "bob", at: ms(1)),
                MessageReadByPeer(.upTo(ms(time)), by: "bob", at: ms(1)),
            ]
            return bodies.map { Event(any: $0, in: group, origin: .live) }
        }
        try withTemporaryStore { store throws in
            for event in events(at: 1_700_000_000) {
                expectError(.invalidTime) { try store.record([received("a", at: 1), event]) }
            }
            #expect(try store.lastPosition() == .origin)
            try store.record(events(at: 1_700_000_000_000))
        }
        try withTemporaryStore({ $0.sync.allowsTimesInSeconds = true }) { store throws in
            try store.record(events(at: 1_700_000_000))
        }
    }
}
