import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Places for reading", .timeLimit(.minutes(30)))
struct ReadingPlaceTests {
    private static let day: Int64 = 86_400_000
    private static let now: Int64 = 1_700_000_000_000
    private static let other = Origin.otherDevice

    private func withStore(_ body: (TemporaryStore, MessageStore) throws -> Void) throws {
        let place = try TemporaryStore()
        place.time.set(ms(Self.now))
        try place.withStore { store throws in try body(place, store) }
    }

    @Test("d51: a message from the far future no longer silences its conversation", arguments: [nil, "far"])
    func farFuture(named: ServerMessageID?) throws {
        try withStore { place, store throws in
            let far = Self.now + 365 * Self.day
            try store.record(received("m1", at: Self.now), received("far", at: far))
            #expect(try store.unread().messages == 2)
            try store.record(read(named.map { order(far, $0) }))
            #expect(try store.unread().messages == 0)
            #expect(try store.read { try $0.message(.server("far"), in: group)?.isRead } == true)
            #expect(try store.unread().readUpTo == order(Self.now, "m1"))
            try store.record(received("m2", at: Self.now + 1_000))
            #expect(try store.unread().messages == 1)
            #expect(try store.read { try $0.firstUnread(in: group)?.serverID } == "m2")
            try store.record(read(order(Self.now + 1_000, "m2")))
            #expect(try store.unread().messages == 0, "the message of the future stays read")
            #expect(try store.isConsistent())
        }
    }

    @Test(
        "d33, d51: other devices' markers of the future count as a day after their recording", arguments: [nil, "far"])
    func farMarker(named: ServerMessageID?) throws {
        try withStore { place, store throws in
            let far = Self.now + 365 * Self.day
            try store.record(received("m1", at: Self.now), received("far", at: far))
            try store.record(Event(ConversationRead(upTo: order(far, named)), in: group, origin: Self.other))
            #expect(try store.unread().messages == 0)
            place.time.set(ms(Self.now + 2 * Self.day))
            try store.record(received("a2", at: Self.now + Self.day), received("m3", at: Self.now + Self.day + 1))
            #expect(try store.unread().messages == 1)
            #expect(try store.isConsistent())
        }
    }

    @Test("d33, d51: receipts up to a time of the future count as a day after their recording")
    func farReceipt() throws {
        try withStore { place, store throws in
            let first = try #require(try store.record(queued("first")).position)
            try store.record(sent(LocalMessageID(first.rawValue), "a", at: Self.now))
            try store.record(readByPeer(.upTo(ms(Self.now + 23 * Self.day)), at: Self.now))
            #expect(try store.read { try $0.message(.server("a"), in: group)?.status } == .read)
            place.time.set(ms(Self.now + 3 * Self.day))
            let second = try #require(try store.record(queued("second")).position)
            try store.record(sent(LocalMessageID(second.rawValue), "b", at: Self.now + 3 * Self.day))
            #expect(try store.read { try $0.message(.server("b"), in: group)?.status } == .sent)
            #expect(try store.read { try $0.receipts(of: .server("b"), in: group).read } == [])
            #expect(try store.isConsistent())
        }
    }

    @Test(
        "d51: a read marker cut to seconds leaves nothing unread, whether its message is known or arrives later",
        arguments: [true, false])
    func cut(isKnown: Bool) throws {
        try withStore { _, store throws in
            let time = Self.now + 439
            let message = received("m1", at: time)
            let marker = Event(ConversationRead(upTo: order(Self.now, "m1")), in: group, origin: Self.other)
            try store.record(isKnown ? [message, marker] : [marker, message])
            #expect(try store.unread().messages == 0 && store.unread().readUpTo == order(time, "m1"))
            #expect(try store.read { try $0.message(.server("m1"), in: group)?.isRead } == true)
            try store.record(received("m2", at: time + 1))
            #expect(try store.unread().messages == 1)
            #expect(try store.isConsistent())
        }
    }

    @Test("d51: a read marker whose time is later than that of its message covers no more than the message")
    func later() throws {
        try withStore { _, store throws in
            try store.record(Event(ConversationRead(upTo: order(Self.now + 500, "m1")), in: group, origin: Self.other))
            try store.record(received("m2", at: Self.now + 300))
            #expect(try store.unread().messages == 0, "as far as is known")
            try store.record(received("m1", at: Self.now + 100))
            #expect(try store.unread().messages == 1 && store.unread().readUpTo == order(Self.now + 100, "m1"))
            #expect(try store.isConsistent())
        }
    }

    @Test("d51: read markers and messages give one count in every order", arguments: Seeds.first(8))
    func permutations(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let times = (1...12).map { _ in Self.now + Int64(random.nextIndex(3_000)) }
        var events = times.enumerated().map { received(ServerMessageID("m\($0.offset)"), at: $0.element) }
        let marked = (0..<4).map { _ in random.nextIndex(16) }
        for number in marked {
            // Exact, cut to seconds or late; of the last four nothing is known.
            let time = number < 12 ? times[number] : Self.now + Int64(random.nextIndex(3_000))
            let told = [time, time / 1_000 * 1_000, time + 700][random.nextIndex(3)]
            let marker = ConversationRead(upTo: order(told, ServerMessageID("m\(number)")))
            events.append(Event(marker, in: group, origin: Self.other))
        }
        func place(_ marker: MessageOrder) -> MessageOrder {
            guard let id = marker.id, let number = Int(id.rawValue.dropFirst()), number < 12 else { return marker }
            return order(times[number], id)
        }
        let highest = events.compactMap { ($0.payload as? ConversationRead)?.upTo }.map(place).max()
        let expected = times.enumerated().filter {
            order($0.element, ServerMessageID("m\($0.offset)")) > highest ?? order(0)
        }.count
        for _ in 0..<3 {
            try withStore { _, store throws in
                try store.record(events.shuffled(using: &random))
                #expect(try store.unread().messages == expected, "seed \(seed)")
                #expect(try store.unread().readUpTo == highest, "seed \(seed)")
                #expect(try store.isConsistent())
            }
        }
    }

    @Test("d51: what is cleared at the read marker's time is not unread", arguments: [nil, order(100, "b")])
    func clearedAtMarker(upTo: MessageOrder?) throws {
        try withTemporaryStore { store throws in
            try store.record(received("b", at: 100), read(order(100, "b")), received("a", at: 100))
            #expect(try store.unread().messages == 1)
            try store.record(cleared(upTo))
            #expect(try store.unread().messages == 0)
            #expect(try store.read { try $0.firstUnread(in: group) } == nil)
        }
    }

    @Test("d51: what is recorded after a reading with the same time and a smaller id is unread, on this device alone")
    func sameTime() throws {
        try withStore { _, store throws in
            try store.record(received("m5", at: Self.now), read())
            try store.record(received("m3", at: Self.now), received("m4", at: Self.now), received("m7", at: Self.now))
            #expect(try store.unread().messages == 3)
            #expect(try store.read { try $0.firstUnread(in: group)?.serverID } == "m3")
            #expect(try store.read { try $0.message(.server("m4"), in: group)?.isRead } == false)
            let echo = ConversationSummaryReceived(readUpTo: order(Self.now, "m5"))
            try store.record(Event(echo, in: group, serverTime: ms(Self.now)))
            #expect(try store.unread().messages == 3, "a marker that does not move says nothing new")
            try store.record(read(order(Self.now, "m5")))
            #expect(try store.unread().messages == 1, "what was there at the next reading is read")
            try store.record(Event(ConversationRead(upTo: order(Self.now, "m7")), in: group, origin: Self.other))
            try store.record(received("m6", at: Self.now))
            #expect(try store.unread().messages == 0, "a marker of another device is a place and no more")
            #expect(try store.isConsistent())
        }
    }
}
