import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Flips of conditions over a log", .timeLimit(.minutes(30)))
struct FlipScanTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private typealias Answer = (borrowing Views) throws -> Bool

    private static let (group, single) = (ConversationKey.group("g1"), ConversationKey.single("u1"))

    private static func fill(_ place: TemporaryStore, seed: UInt64) throws -> MessageStore {
        let store = try place.open(account: RandomEvents.account) { $0.sync.countsHistoryAsUnread = true }
        var random = RandomEvents(seed: seed)
        while try store.lastPosition().rawValue < TestSize.of(plain: 120, full: 350) {
            try store.record(random.nextBatch(after: store.lastPosition()))
            place.time.move(byMilliseconds: 1000)
        }
        return store
    }

    /// The unread messages that a look through the timeline shows.
    private static func shown(_ views: borrowing Views, _ key: ConversationKey) throws -> Int {
        let marker = try views.unread(of: key).readUpTo ?? MessageOrder(time: .unknown, id: "")
        let page = try views.timeline(of: key, .after(.order(marker)), limit: 1000)
        return page.elements.count {
            !$0.isOutgoing && !$0.isRecalled && $0.countsUnread && !$0.flags.contains(.read)
        }
    }

    /// Conditions, and what they ask in Swift.
    private static func conditions(_ store: MessageStore) throws -> [(text: String, answer: Answer)] {
        // One that no repeat or echo stands for: a condition asks those, too.
        let queued = try #require(
            try store.events(where: EventFilter(types: [.messageSendQueued])).first { event in
                try MessageNames("local:\(event.position.rawValue)", in: store, conversation: nil).locals.count == 1
            })
        let received = try #require(
            try store.events(where: EventFilter(types: [.messageReceived], conversation: group)).dropFirst(3).first)
        let id = try #require((received.event.payload as? MessageReceived)?.serverID)
        let own = LocalMessageID(queued.position.rawValue)
        return [
            ("badge >= 4", { try $0.unreadTotals().badge >= 4 }),
            ("unread(group:g1) > shown(group:g1)", { try $0.unread(of: group).messages > shown($0, group) }),
            ("shown(group:g1) == 2", { try shown($0, group) == 2 }),
            (
                "shown(u1) != 1 and not member(group:g1, u3)",
                { views in
                    let isMember = try views.members(in: group).elements.contains { $0.id == "u3" }
                    return try shown(views, single) != 1 && !isMember
                }
            ),
            ("exists(single:u1)", { try $0.conversation(single).map { !$0.isHidden } ?? false }),
            (
                "status(\(own)) == sent || status(\(own)) == read",
                { views in
                    guard let message = try views.message(own), !message.isRecalled else { return false }
                    return message.status == .sent || message.status == .read
                }
            ),
            ("exists(group:g1, \(id))", { try $0.message(.server(id), in: group) != nil }),
            ("status(group:g1, '\(id)') == recalled", { try $0.message(.server(id), in: group)?.isRecalled == true }),
        ]
    }

    @Test("they are those that a replay to every stop finds", arguments: Seeds.first(3), [false, true])
    func bruteForce(seed: UInt64, isEachEvent: Bool) throws {
        let store = try Self.fill(place, seed: seed)
        let events = try store.events(limit: .max)
        let last = try #require(events.last).position
        let ends = events.indices.filter {
            isEachEvent || $0 + 1 == events.count || events[$0 + 1].commit != events[$0].commit
        }.map { events[$0].position }
        let session = try store.replaySession()
        let conditions = try Self.conditions(store)
        let allAnswers = try ([.origin] + ends).map { stop in
            try store.replay(to: stop) { views in
                var answers: [Bool] = []
                for (_, answer) in conditions { answers.append(try answer(views)) }
                return answers
            }
        }
        var count = 0
        let middle = Position(last.rawValue / 3)...Position(last.rawValue * 2 / 3)
        for (index, text) in conditions.map(\.text).enumerated() {
            let answers = allAnswers.map { $0[index] }
            let expected = ends.indices.filter { answers[$0] != answers[$0 + 1] }
            let scan = FlipScan(
                session: session, condition: try Condition(text, in: store),
                stops: Stops(store: store, isEachEvent: isEachEvent))
            var found: [Flip] = []
            let (before, after) = try scan.forEachFlip(from: Position(1), through: last) { flip in
                found.append(flip)
                return true
            }
            #expect(found.map(\.position) == expected.map { ends[$0] }, "\(text), seed \(seed)")
            #expect(found.map(\.isTrue) == expected.map { answers[$0 + 1] }, "\(text), seed \(seed)")
            #expect(before == answers.first && after == answers.last, "\(text), seed \(seed)")
            count += found.count
            // A part of the log: what it finds are those of the part.
            var part: [Position] = []
            _ = try scan.forEachFlip(from: middle.lowerBound, through: middle.upperBound) { flip in
                part.append(flip.position)
                return true
            }
            let inside = found.map(\.position).filter { middle.contains($0) }
            #expect(part == inside, "\(text), seed \(seed)")
        }
        #expect(count >= TestSize.of(plain: 4, full: 8), "there were flips to find")
        try store.close()
    }

    @Test("more flips than are told in one go are all told, in order, until nobody wants more")
    func many() throws {
        let store = try place.open()
        let events = (0..<700).map { number in
            Event(ConversationMarkedUnread(number.isMultiple(of: 2)), in: Self.group)
        }
        for event in events { try store.record(event) }
        let scan = FlipScan(
            session: try store.replaySession(), condition: try Condition("badge == 1", in: store),
            stops: Stops(store: store, isEachEvent: false))
        var found: [UInt64] = []
        _ = try scan.forEachFlip(from: Position(1), through: Position(700)) { flip in
            found.append(flip.position.rawValue)
            #expect(flip.isTrue == !flip.position.rawValue.isMultiple(of: 2))
            return true
        }
        #expect(found == Array(1...700))
        found = []
        let (_, isTrue) = try scan.forEachFlip(from: Position(1), through: Position(700)) { flip in
            found.append(flip.position.rawValue)
            return found.count < 300
        }
        #expect(found == Array(1...300) && !isTrue)
        try store.close()
    }

    @Test("names are found wherever they were, also where they are gone at the end; others are errors at their place")
    func names() throws {
        let store = try place.open()
        let other = ConversationKey.group("h")
        let time = Timestamp(milliseconds: 5)
        for event in [
            .received("a", from: "bob", in: Self.group, at: time, content: .text("one")),
            .received("b", from: "bob", in: Self.group, at: time, content: .text("two")),
            .received("b", from: "bob", in: other, at: time, content: .text("three")),
            Event(MessagesDeleted([.server("a")]), in: Self.group),
            Event(ConversationDeleted(alsoMessages: true), in: other),
        ] as [Event] { try store.record(event) }
        for text in [
            "exists(a)", "exists(g1, a)", "exists(h)", "unread(group:h) > 0", "status(1) == none", "exists(h, b)",
        ] {
            #expect(throws: Never.self, "\(text)") { try Condition(text, in: store) }
        }
        for (text, character, words) in [
            ("unread(g2) > 0", 8, "no conversation g2"),
            ("badge > 1 or exists(zz)", 21, "no conversation or message zz"),
            ("exists(h, a)", 11, "no event is about"), ("status(h, 1) == none", 11, "no event is about"),
            ("status(b) == none", 8, "several conversations"), ("exists(b)", 8, "several conversations"),
            ("member(zz, bob)", 8, "no conversation zz"), ("status(5) == none", 8, "no event is about"),
        ] {
            let error = try #require(throws: ConditionError.self) { try Condition(text, in: store) }
            #expect(error.offset + 1 == character && error.message.contains(words), "\(text): \(error)")
        }
        try store.close()
    }
}
