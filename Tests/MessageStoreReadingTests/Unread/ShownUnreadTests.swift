import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d7: how many unread messages the timeline shows", .timeLimit(.minutes(30)))
struct ShownUnreadTests {
    private static let key = ConversationKey.group("g")

    private static func place(_ number: Int64) -> MessageOrder {
        MessageOrder(time: Timestamp(milliseconds: number), id: ServerMessageID("m\(number)"))
    }

    private static func message(_ number: Int64) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: key, at: Timestamp(milliseconds: number), content: .text("")
        )
    }

    private static func report(_ count: UInt32, upTo number: Int64, at time: Int64) -> Event {
        Event(
            UnreadCountReported(count, upTo: place(number), at: Timestamp(milliseconds: time)), in: key)
    }

    @Test("the server's count takes the place of those below it, and changes nothing of what is shown")
    func report() throws {
        let steps: [(event: Event, unread: Int, shown: Int)] = [
            (Self.message(1), 1, 1), (Self.message(2), 2, 2), (Self.message(4), 3, 3),
            // Up to the second message the server counts nine.
            (Self.report(9, upTo: 2, at: 5), 10, 3),
            (Self.message(6), 11, 4), (Event(MessageRecalled(.server("m2")), in: Self.key), 11, 3),
            (Event(MessageRecalled(.server("m6")), in: Self.key), 10, 2),
            (Event(MessageStatusFlagsSet([.server("m1")], flags: .read), in: Self.key), 10, 1),
            // A marker below the report's place leaves the report in force.
            (.read(upTo: Self.place(1), in: Self.key), 10, 1), (.read(upTo: Self.place(2), in: Self.key), 1, 1),
            (Event(ConversationRead(), in: Self.key), 0, 0),
        ]
        try withTemporaryStore { store throws in
            for (index, step) in steps.enumerated() {
                try store.record(step.event)
                try store.read { views throws in
                    #expect(try views.unread(of: Self.key).messages == step.unread, "step \(index)")
                    #expect(try ViewDiagnostics.shownUnread(of: Self.key, in: views) == step.shown, "step \(index)")
                    #expect(try ViewDiagnostics.shownUnread(of: .group("nobody"), in: views) == 0)
                }
            }
        }
    }

    @Test("it is what a look through the timeline counts, after every commit", arguments: Seeds.first(2))
    func timeline(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try place.open(account: RandomEvents.account)
        var random = RandomEvents(seed: seed)
        var model = StoreModel(account: RandomEvents.account)
        var differing = 0
        let types = Set<ContentType>(["x/card", .text, .image, .tip, .video])
        while try store.lastPosition().rawValue < TestSize.of(plain: 500, full: 1_500) {
            let batch = try random.nextBatch(after: store.lastPosition())
            try store.record(batch)
            model.record(batch, at: place.time.now)
            try store.read { views throws in
                for key in RandomEvents.conversations {
                    let unread = try views.unread(of: key)
                    let expected = model.unreadCount(of: key, types: types)
                    #expect(
                        try ViewDiagnostics.shownUnread(of: key, in: views) == expected,
                        "\(key) at \(views.position), seed \(seed)")
                    if expected != unread.messages { differing += 1 }
                }
            }
        }
        #expect(differing > 0, "the server's count was in force somewhere")
        try store.close()
    }
}
