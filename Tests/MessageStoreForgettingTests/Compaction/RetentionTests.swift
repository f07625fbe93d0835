import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("I16: retention", .timeLimit(.minutes(30)))
struct RetentionTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_000)
    private static let day: Int64 = 86_400_000

    /// One message a day up to now in each of two conversations; the last ten of the first are unread.
    private static func fill(_ store: MessageStore) throws {
        for (name, count) in [("a", 100), ("b", 30)] {
            let days = (0..<count).reversed()
            try store.record(
                days.map { received("\(name)\($0)", at: now.milliseconds - Int64($0) * day, in: .group(name)) })
        }
        try store.record(read(order(now.milliseconds - 10 * day, "a10"), in: .group("a")))
        try store.record(read(in: .group("b")))
    }

    private static func withStore(_ body: (MessageStore) throws -> Void) throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.now = { now } }
        try fill(store)
        try body(store)
        try store.close()
    }

    private static func counts(_ store: MessageStore) throws -> [Int] {
        try ["a", "b"].map { try store.page(of: .group($0)).elements.count }
    }

    private struct Sample: CustomTestStringConvertible {
        let policy: RetentionPolicy
        /// How many messages are left in both conversations.
        let left: [Int]
        let testDescription: String

        init(_ name: String, left: [Int], _ change: (inout RetentionPolicy) -> Void) {
            var policy = RetentionPolicy()
            change(&policy)
            (self.policy, self.left, testDescription) = (policy, left, name)
        }
    }

    @Test("messages go by age, by number, and by conversation; what is unread stays", arguments: samples)
    private func limits(_ sample: Sample) throws {
        try Self.withStore { store in
            let (unread, list) = (try ["a", "b"].map { try store.unread(.group($0)) }, try store.list())
            let planned = try store.retain(sample.policy, isDryRun: true)
            #expect(try Self.counts(store) == [100, 30], "nothing goes in a dry run")
            let report = try store.retain(sample.policy)
            #expect(report == planned && report.messageCount == 130 - sample.left.reduce(0, +))
            #expect(try Self.counts(store) == sample.left)
            #expect(try store.list() == list)
            if !sample.policy.includesUnread { #expect(try ["a", "b"].map { try store.unread(.group($0)) } == unread) }
            // The newest of those that go keeps its place, without words.
            let cut = sample.left.enumerated().reduce(0) { $0 + max([100, 30][$1.offset] - $1.element - 1, 0) }
            #expect(try store.compact().cutEvents == cut)
            #expect(try Self.counts(store) == sample.left && store.list() == list && store.isConsistent())
            if !sample.policy.includesUnread { #expect(try ["a", "b"].map { try store.unread(.group($0)) } == unread) }
            #expect(try store.retain(sample.policy).messageCount == 0)
        }
    }

    private static let samples = [
        Sample("by age", left: [21, 21]) { $0.standard.age = .seconds(20 * 86_400) },
        Sample("by number", left: [15, 15]) { $0.standard.messages = 15 },
        Sample("to the low-water mark", left: [25, 30]) {
            $0.standard.messages = 40
            $0.standard.lowWaterMark = 25
        },
        Sample("one conversation is spared", left: [100, 5]) {
            $0.standard.messages = 5
            $0.conversations[.group("a")] = .unlimited
        },
        Sample("unread messages stay", left: [10, 1]) { $0.standard.messages = 1 },
        Sample("unread messages go as well", left: [3, 3]) {
            $0.standard.messages = 3
            $0.includesUnread = true
        },
        Sample("by age and number", left: [11, 8]) {
            $0.standard = .init(age: .seconds(10 * 86_400), messages: 50)
            $0.conversations[.group("b")] = .init(age: .seconds(10 * 86_400), messages: 8)
        },
        Sample("nothing", left: [100, 30]) { $0.standard.age = .seconds(1_000_000_000_000) },
    ]

    @Test("a message without a time has no age, and goes with a later one; a clock at its end clears and does not trap")
    func times() throws {
        let clock = ManualTime(startingAt: Self.now)
        let place = try TemporaryStore()
        let store = try place.open { $0.now = { clock.now } }
        let unknown = Event.received("old", from: "bob", in: group, at: .unknown, content: .text("old"))
        try store.record([unknown, read(in: group)])
        var policy = RetentionPolicy()
        policy.standard.age = .seconds(86_400)
        #expect(try store.retain(policy).messageCount == 0)
        try store.record([received("new", at: Self.now.milliseconds), read(in: group)])
        clock.set(Timestamp(milliseconds: .max))
        policy.standard.age = .milliseconds(1)
        let end = try TemporaryStore()
        let late = try end.open { $0.now = { clock.now } }
        try late.record([unknown, received("new", at: Self.now.milliseconds), read(in: group)])
        #expect(try late.retain(policy).messageCount == 2)
        try late.close()
        try store.close()
    }

    @Test("d7: a message that arrives below what a policy cleared is not shown and not unread")
    func lateMessage() throws {
        try withTemporaryStore { store throws in
            let own = received("own", at: 40, from: "me", origin: .otherDevice)
            try store.record(received("m1", at: 10), read(order(10, "m1")), received("m2", at: 20), own)
            let clearing = HistoryCleared(upTo: order(40, "own"), erases: true, isRetention: true)
            try store.record(Event(clearing, in: group))
            try store.record(received("m3", at: 30))
            #expect(try store.unread().messages == 0)
            #expect(try store.read { try $0.firstUnread(in: group) } == nil)
            try store.record(received("m5", at: 50))
            #expect(try store.unread().messages == 1)
            #expect(try store.read { try $0.firstUnread(in: group)?.serverID } == "m5")
            #expect(try store.isConsistent())
        }
    }

    @Test("what a server's number counts stays as unread: as many of the newest messages up to its place")
    func reported() throws {
        try withTemporaryStore { store throws in
            try store.record((1...6).map { received(ServerMessageID("m\($0)"), at: Int64($0 * 10)) })
            try store.record(Event(HistoryGapFound(), in: group), read(order(10, "m1")))
            try store.record(Event(UnreadCountReported(3, upTo: order(70, "m7")), in: group))
            #expect(try store.unread().messages == 3)
            var policy = RetentionPolicy()
            policy.standard.messages = 1
            #expect(try store.retain(policy).keptAsUnread == 2)
            #expect(try store.texts().count == 3 && store.unread().messages == 3)
        }
    }

    @Test("of a policy that is applied every day, a compaction leaves the last event of each conversation")
    func daily() throws {
        let clock = ManualTime(startingAt: Self.now)
        let place = try TemporaryStore()
        let store = try place.open { $0.now = { clock.now } }
        try Self.fill(store)
        let users = HistoryCleared(upTo: order(Self.now.milliseconds - 95 * Self.day, "a95"), erases: true)
        try store.record(Event(users, in: .group("a")))
        var policy = RetentionPolicy()
        policy.standard.age = .seconds(20 * 86_400)
        for _ in 1...3 {
            clock.move(byMilliseconds: 2 * Self.day)
            store.confirmClock()
            #expect(try store.retain(policy).messages.count == 2)
        }
        let answers = try (Self.counts(store), store.list(), ["a", "b"].map { try store.unread(.group($0)) })
        #expect(try store.compact().cutEvents == 4 + 100 + 30 - answers.0.reduce(0, +) - 2)
        let left = try store.events(where: EventFilter(types: [.historyCleared]))
        #expect(left.map(\.event.conversation) == [.group("a"), .group("a"), .group("b")])
        #expect(left.first?.event.payload as? HistoryCleared == users)
        #expect(try answers == (Self.counts(store), store.list(), ["a", "b"].map { try store.unread(.group($0)) }))
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("a policy that contradicts itself, or names what is not there, is refused")
    func refused() throws {
        try Self.withStore { store in
            for limits: RetentionPolicy.Limits in [
                .init(age: .zero), .init(messages: 0), .init(lowWaterMark: 5), .init(messages: 5, lowWaterMark: 6),
                .init(messages: 5, lowWaterMark: 0),
            ] {
                var policy = RetentionPolicy()
                policy.conversations[.group("a")] = limits
                #expect(storeError { _ = try store.retain(policy) }?.code == .invalidArgument)
            }
            var policy = RetentionPolicy()
            policy.conversations[.group("nowhere")] = .init(messages: 1)
            #expect(storeError { _ = try store.retain(policy) }?.code == .notFound)
            let counts = try Self.counts(store)
            #expect(counts == [100, 30])
        }
    }
}
