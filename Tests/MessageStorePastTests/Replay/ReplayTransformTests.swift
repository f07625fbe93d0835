import MessageStoreProjections
import Testing
@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("A replay of what was not recorded", .timeLimit(.minutes(30)))
struct ReplayTransformTests {
    private struct Refused: Error {}

    private static func fill(_ place: TemporaryStore, seed: UInt64) throws -> MessageStore {
        let store = try place.open(account: RandomEvents.account)
        var random = RandomEvents(seed: seed)
        while try store.lastPosition().rawValue < 500 {
            try store.record(random.nextBatch(after: store.lastPosition()))
            place.time.move(byMilliseconds: 1000)
        }
        return store
    }

    /// What every name is used before by, so that leaving an event out renumbers none.
    private static let firstChanged = Position(250)

    /// Leaves out every second event of types that name nothing new, and changes texts, times and numbers of others.
    private static func change(_ recorded: RecordedEvent) -> [Event] {
        var event = recorded.event
        guard recorded.position >= firstChanged else { return [event] }
        switch event.payload {
        case is ConversationRead, is MessagesDeleted, is HistoryCleared, is ConversationPinned, is MessageDelivered:
            return recorded.position.rawValue.isMultiple(of: 2) && event.id == nil ? [] : [event]
        case let report as UnreadCountReported:
            event.payload = UnreadCountReported(
                report.count + 7, mentions: 1, upTo: report.upTo,
                at: report.time.map { _ in Timestamp(milliseconds: 1_234) })
        case var message as MessageReceived:
            message.content.text = message.content.text.map { $0 + "!" }
            if recorded.position.rawValue.isMultiple(of: 3) {
                message.sentTime = Timestamp(milliseconds: message.sentTime.milliseconds / 2)
            }
            event.payload = message
        default: break
        }
        return [event]
    }

    @Test(
        "I3: it has the digests of a store in whose log the events are others, forth and back",
        arguments: Seeds.first(3))
    func equalsRecorded(seed: UInt64) throws {
        let place = try TemporaryStore()
        let store = try Self.fill(place, seed: seed)
        let other = try TemporaryStore()
        let changed = try other.open(account: RandomEvents.account)
        // What is left out is an event there that changes nothing but the count of unknown ones.
        let events = try store.events(limit: .max).map { recorded in
            recorded.replacing(
                Self.change(recorded).first
                    ?? Event(
                        any: UnknownEvent(type: EventType(rawValue: 0xFEDC), schemaVersion: 1, fields: [], content: []),
                        in: recorded.event.conversation, origin: recorded.event.origin,
                        serverTime: recorded.event.serverTime))
        }
        try changed.appendRecorded(events)
        let leftOut = events.count { $0.event.type == EventType(rawValue: 0xFEDC) }
        #expect(leftOut > 3)
        var options = ReplayedViews.Options()
        options.limits.interval = 50
        options.rewriting = try store.rewriting(Self.change)
        let session = try store.replaySession(options)
        var words: [String] = []
        for position in [Position(500), Position(260), Position(400), Position(100), Position(499)] {
            var expected = try changed.digests(at: position)
            var found = try session.read(at: position) { try $0.snapshot.digests() }
            expected[.unknownEvents] = nil
            found[.unknownEvents] = nil
            #expect(found == expected, "position \(position), seed \(seed)")
            let shown = try session.read(at: position) { try Self.texts($0) }
            #expect(try shown == changed.replay(to: position) { try Self.texts($0) })
            words += shown
        }
        #expect(words.contains { $0.hasSuffix("!") })
        #expect(try store.digests() == store.digests(at: store.lastPosition()))
        try store.close()
        try changed.close()
    }

    private static func texts(_ views: borrowing Views) throws -> [String] {
        try views.conversations().elements.flatMap { conversation in
            try views.timeline(of: conversation.key, limit: 1000).elements.compactMap(\.content.text)
        }
    }

    @Test("d27: a message with a changed text came on the way on which it came")
    func way() throws {
        try withTemporaryStore { store throws in
            try store.record([Event(SessionStateChanged(.connected)), received("a", at: 10)])
            try store.record([received("b", at: 20)], closing: nil, .durable, isHandedOver: true)
            #expect(try store.page().isContiguous == false)
            let session = try store.replaySession { recorded in
                guard var message = recorded.event.payload as? MessageReceived else { return [recorded.event] }
                message.content.text = "other"
                var event = recorded.event
                event.payload = message
                return [event]
            }
            let page = try session.read(at: store.lastPosition()) { try $0.timeline(of: group, limit: 10) }
            #expect(page.elements.map(\.content.text) == ["other", "other"] && !page.isContiguous)
        }
    }

    private static func isTwo(_ position: Position) -> Bool { position.rawValue == 2 }

    @Test("events may be added, and may name what the log never did")
    func added() throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        try store.record([received("a", at: 10), muted(false), received("b", at: 20)])
        let session = try store.replaySession { recorded in
            guard Self.isTwo(recorded.position) else { return [recorded.event] }
            let other = ConversationKey.group("another")
            return [
                received("new", at: 15, from: "somebody", in: other, text: "hello"),
                Event(
                    UnreadCountReported(5, upTo: order(15, "new"), at: ms(15)), in: other, origin: .live),
            ]
        }
        try session.read(at: Position(3)) { views throws in
            #expect(try views.unread(of: .group("another")).messages == 5)
            #expect(try views.unreadTotals().messages == 7)
            let message = try #require(try views.message(LocalMessageID(2)))
            #expect(message.sender == "somebody" && message.content.text == "hello" && message.id.rawValue == 2)
            #expect(try views.conversations().elements.map(\.key) == [group, .group("another")])
        }
        #expect(try session.read(at: Position(1)) { try $0.unreadTotals().messages } == 1)
        // The log gives its numbers to other names meanwhile.
        let last = try store.record([received("c", at: 30, from: "third", in: .group("third"))]).lastPosition
        try session.read(at: last) { views throws in
            #expect(try views.unread(of: .group("another")).messages == 5)
            #expect(try views.unread(of: .group("third")).messages == 1)
        }
        let (changes, _) = try session.changes(from: Position(1), to: Position(2))
        #expect(changes.contains { $0.keyParts?.contains { $0.value.contains("another") } == true })
        #expect(try store.unread(.group("another")) == .none)
        try store.close()
    }

    @Test("X3: of events that share a position each one stands between the messages, in their order")
    func sharedPosition() throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        try store.record([received("a", at: 10), muted(false), received("b", at: 20), Self.joined("late", at: 15)])
        let session = try store.replaySession { recorded in
            guard Self.isTwo(recorded.position) else { return [recorded.event] }
            return [
                Self.joined("u1", at: 12), Self.joined("u2", at: 12), Self.joined("elsewhere", at: 12, in: peer),
                Self.joined("early", at: 5), Self.joined("u3", at: 12),
            ]
        }
        try session.read(at: Position(4)) { views throws in
            let page = try views.timeline(of: group)
            let all = try Self.users(views.timelineEvents(on: page, in: group))
            #expect(all == ["early", "u1", "u2", "u3", "late"])
            let newest = try Self.users(views.timelineEvents(on: page, in: group, limit: 2))
            #expect(newest == ["u3", "late"], "of more than the limit the newest")
            let others = try views.timelineEvents(on: views.timeline(of: peer), in: peer)
            #expect(others.count == 1)
        }
        // What clears a history takes the events before it along, at its own position, too.
        let cleared = try store.replaySession { recorded in
            guard Self.isTwo(recorded.position) else { return [recorded.event] }
            return [Self.joined("gone", at: 12), Event(HistoryCleared(), in: group), Self.joined("stays", at: 12)]
        }
        try cleared.read(at: Position(4)) { views throws in
            let left = try Self.users(views.timelineEvents(on: views.timeline(of: group), in: group))
            #expect(left == ["stays", "late"])
        }
        try store.close()
    }

    private static func users(_ events: [TimelineEvent]) -> [UserID] {
        events.compactMap { ($0.event.payload as? MembersAdded)?.members.first }
    }

    private static func joined(_ user: UserID, at time: Int64, in conversation: ConversationKey = group) -> Event {
        .membersAdded([user], to: conversation, at: ms(time))
    }

    @Test("rows that differ are reported against what was recorded, and against nothing else")
    func differences() throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        try store.record([received("a", at: 10), received("b", at: 20)])
        let recorded = try store.replaySession()
        let without = try store.replaySession { Self.isTwo($0.position) ? [] : [$0.event] }
        let (rows, count) = try without.differences(from: recorded, at: Position(2))
        #expect(rows.count == count)
        let unread = try #require(rows.first { $0.table == "unread" })
        #expect(unread.parts?.contains { $0.name == "count" && $0.first == "2" && $0.second == "1" } == true)
        #expect(try without.differences(from: recorded, at: Position(1)).count == 0)
        #expect(try recorded.differences(from: recorded, at: Position(2)).count == 0)
        expectError(.invalidArgument) { _ = try recorded.differences(from: without, at: Position(2)) }
        expectError(.invalidArgument) { _ = try without.differences(from: recorded, at: Position(3)) }
        let otherPlace = try TemporaryStore()
        let other = try otherPlace.open(account: "me")
        expectError(.invalidArgument) { _ = try without.differences(from: other.replaySession(), at: .origin) }
        try other.close()
        try store.close()
    }

    @Test("what breaks a rule is refused with its position, and the session goes on before it")
    func refused() throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        try store.record([received("a", at: 10), received("b", at: 20), received("c", at: 30)])
        let transforms: [MessageStore.EventTransform] = [
            { Self.isTwo($0.position) ? [$0.event, received("d", at: 40)] : [$0.event] },
            { Self.isTwo($0.position) ? [received("", at: 1)] : [$0.event] },
        ]
        for transform in transforms {
            let session = try store.replaySession(transform: transform)
            let error = #expect(throws: StoreError.self) { try session.read(at: Position(3)) { _ in } }
            #expect(error?.code == .invalidArgument && error?.position == Position(2))
            #expect(try session.read(at: Position(1)) { try $0.unreadTotals().messages } == 1)
        }
        let session = try store.replaySession { _ in throw Refused() }
        #expect(throws: Refused.self) { try session.read(at: Position(3)) { _ in } }
        try store.close()
    }

    @Test("a redacted event stays redacted where only its fields are others")
    func redacted() throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        try store.record([received("a", at: 10, text: "secret")])
        try store.redact(Position(1))
        let session = try store.replaySession { recorded in
            guard var message = recorded.event.payload as? MessageReceived else { return [recorded.event] }
            message.policy = .uncounted
            var event = recorded.event
            event.payload = message
            return [event]
        }
        let position = try store.lastPosition()
        try session.read(at: position) { views throws in
            #expect(try views.unreadTotals().messages == 0)
            #expect(try #require(try views.message(LocalMessageID(1))).isRedacted)
        }
        try store.close()
    }
}
