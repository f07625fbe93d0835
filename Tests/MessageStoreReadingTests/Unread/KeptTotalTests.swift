import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I3, I5: totals of folders that are kept are those that the conversations make", .timeLimit(.minutes(30)))
struct KeptTotalTests {
    private static let conditions: [ConversationCondition] = [
        .all([]), .tagged("t1"), .kinds([.group]), .containsAny(["u1"]), .property(.unreadCount, .greater(1)),
        .property(.isMuted, .equal(true)), .not(.property(.isMuted, .equal(true))),
        .property(.isArchived, .equal(false)), .property(.memberCount, .less(3)), .attribute("k1", .greater(1)),
        .any([.attribute("k0", .lessOrEqual(2)), .attribute("k1", .exists)]),
        .name(.hasPrefix("n")), .containsAll(["stranger"]), .not(.containsAll(["u5"])),
    ]

    /// The sum over the conversations that a query finds without an index, by what each of them shows.
    private func totals(
        of condition: ConversationCondition, includesMuted: Bool, _ views: borrowing Views
    ) throws -> UnreadTotals {
        var (messages, mentions, everyone, conversations, badge) = (0, 0, 0, 0, 0)
        let query = ConversationQuery(.not(.not(condition)))
        for conversation in try views.conversations(matching: query, limit: 1000).elements {
            let unread = try views.unread(of: conversation.key)
            switch includesMuted ? .all : conversation.notificationLevel {
            case .all:
                messages += unread.messages
                badge += unread.messages == 0 && unread.isMarkedUnread ? 1 : unread.messages
                conversations += unread.messages > 0 || unread.isMarkedUnread ? 1 : 0
            case .mentionsOnly:
                messages += unread.mentions
                badge += unread.mentions
                conversations += unread.mentions > 0 ? 1 : 0
            default: continue
            }
            mentions += unread.mentions
            everyone += unread.everyoneMentions
        }
        return UnreadTotals(
            messages: messages, mentions: mentions, everyoneMentions: everyone, conversations: conversations,
            badge: badge)
    }

    private func check(_ views: borrowing Views, _ context: String, _ random: inout SplitMix64) throws {
        for condition in Self.conditions where random.chance(0.7) {
            for includesMuted in [false, true] {
                try Disagreement.check(
                    "totals of \(condition), \(includesMuted), at \(views.position), \(context)",
                    try views.unreadTotals(matching: condition, includesMuted: includesMuted),
                    try totals(of: condition, includesMuted: includesMuted, views))
            }
        }
    }

    @Test("whatever is recorded, taken back, flushed, rebuilt and redacted", arguments: Seeds.first(4))
    func anySchedule(seed: UInt64) throws {
        var (random, events) = (SplitMix64(seed: ~seed), RandomEvents(seed: seed, largestBatch: 6))
        let (place, faults) = (try TemporaryStore(), CommitFaults())
        let store = try place.open { configuration in
            faults.install(in: &configuration)
            configuration.durability.groupCommit.delay = .seconds(3600)
            if seed.isMultiple(of: 2) { configuration.bufferBytes = 8 << 10 }
        }
        for step in 1...150 {
            place.time.move(byMilliseconds: Int64(random.nextIndex(4_000)) - 1_000)
            let batch = events.nextBatch(after: try store.lastPosition())
            switch random.nextIndex(12) {
            case 0:
                faults.fail(next: 1)
                _ = try? store.record(batch)
                faults.fail(next: 0)
            case 1: try store.flush()
            case 2: try store.rebuild(random.chance(0.5) ? nil : [.unreadCounters])
            case 3:
                for id in ["g1", "g2"] {
                    let until = Timestamp(milliseconds: place.time.now.milliseconds + 1_000)
                    let level: NotificationLevel = random.chance(0.5) ? .nothing : .mentionsOnly
                    try store.record(Event(ConversationMuted(level, until: until), in: .group(id)))
                }
            default:
                do {
                    try store.record(batch, acknowledgement: random.chance(0.5) ? .visible : .durable)
                } catch let error as StoreError where error.code == .tokenReused {
                    // The first message of the token was lost with a commit that failed.
                }
            }
            if random.chance(0.8) { try store.read { try check($0, "seed \(seed), step \(step)", &random) } }
        }
        try store.close()
    }

    @Test("whatever a condition depends on changes its total")
    func dependencies() throws {
        try withTemporaryStore { store throws in
            let attributes = ConversationFields(name: "new", attributes: Array(#"{"level": 2}"#.utf8))
            let changes: [(ConversationCondition, Event)] = [
                // The first one alone changes the conversation's row, which is outdated then.
                (.containsAny(["eve"]), Event(MembersAdded(["eve"], kind: .joined), in: group)),
                (.containsAny(["zoe"]), Event(MembersAdded(["zoe"], kind: .joined), in: group)),
                (.property(.memberCount, .less(4)), Event(MembersRemoved(["zoe"], kind: .left), in: group)),
                (.tagged("t"), Event(ConversationTagged(add: ["t"]), in: group)),
                (.attribute("level", .greater(1)), Event(ConversationUpdated(attributes), in: group)),
                (.name(.hasPrefix("newer")), Event(ConversationUpdated(ConversationFields(name: "newer")), in: group)),
                (.property(.isArchived, .equal(true)), archived()),
                (.property(.isMuted, .equal(true)), muted()),
                (.property(.unreadCount, .greater(1)), received("b", at: 20)),
                (.property(.activity, .greater(25)), received("c", at: 30)),
            ]
            try store.record(created("Name", members: ["me", "bob"]), received("a", at: 10))
            func totals() throws -> [Int] {
                try store.read { views in
                    try changes.map { try views.unreadTotals(matching: $0.0, includesMuted: true).messages }
                }
            }
            for (index, change) in changes.enumerated() {
                let before = try totals()[index]
                try store.record(change.1)
                let after = try totals()[index]
                #expect(before == 0 && after > 0, "\(change.0)")
            }
        }
    }

    @Test("conditions whose strings look the same and have other bytes have sums of their own")
    func spelling() throws {
        try withTemporaryStore { store throws in
            let (one, other) = ("caf\u{e9}", "cafe\u{301}")
            try store.record(received("a", at: 10), Event(ConversationTagged(add: [one]), in: group))
            let conditions: [(ConversationCondition) -> ConversationCondition] = [
                { $0 }, { .not(.not($0)) }, { .all([.kinds([.group]), $0]) },
            ]
            for nested in conditions {
                #expect(try store.read { try $0.unreadTotals(matching: nested(.tagged(one))).messages } == 1)
                #expect(try store.read { try $0.unreadTotals(matching: nested(.tagged(other))).messages } == 0)
                for condition in [ValueCondition.equal(.string(one)), .hasPrefix(one)] {
                    let name = ConversationCondition.name(condition)
                    #expect(try store.read { try $0.unreadTotals(matching: nested(name)).messages } == 0)
                }
            }
            try store.record([Event(ConversationUpdated(ConversationFields(name: other)), in: group)])
            #expect(try store.read { try $0.unreadTotals(matching: .name(.hasPrefix(one))).messages } == 0)
            #expect(try store.read { try $0.unreadTotals(matching: .name(.hasPrefix(other))).messages } == 1)
        }
    }

    @Test("a read of the past, or more changes than are remembered, leave no wrong sum")
    func manyChanges() throws {
        try withTemporaryStore { store throws in
            let condition = ConversationCondition.attribute("level", .greaterOrEqual(0))
            func total() throws -> Int { try store.read { try $0.unreadTotals(matching: condition).messages } }
            let fields = ConversationFields(attributes: Array(#"{"level": 1}"#.utf8))
            let keys = (0..<1100).map { ConversationKey.group("g\($0)") }
            try store.record(keys.map { Event(ConversationCreated(fields), in: $0) })
            #expect(try total() == 0)
            try store.record(keys.enumerated().map { received("a\($0)", at: 1, in: $1) })
            #expect(try total() == 1100)
            try store.record(keys.prefix(3).map { received("b\($0.id)", at: 2, in: $0) })
            #expect(try total() == 1103)
            let last = try store.lastPosition()
            try store.record(read(order(2, "bg0"), in: keys[0]))
            #expect(try total() == 1101)
            #expect(try store.replay(to: last) { try $0.unreadTotals(matching: condition).messages } == 1103)
            #expect(try total() == 1101)
        }
    }
}
