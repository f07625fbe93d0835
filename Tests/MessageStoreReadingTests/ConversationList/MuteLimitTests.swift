import MessageStore
@_spi(Storage) import MessageStoreLog
import Testing
@testable import MessageStoreTestSupport

@Suite("d43: muted until, and mentions only", .timeLimit(.minutes(30)))
struct MuteLimitTests {
    private let place: TemporaryStore
    private let store: MessageStore
    private let other = ConversationKey.group("other")

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
    }

    /// A time of the store's clock.
    private func after(_ milliseconds: Int64) -> Timestamp { ms(place.time.now.milliseconds + milliseconds) }

    private func mute(
        _ level: NotificationLevel, until: Timestamp? = nil, at time: Timestamp? = nil, in key: ConversationKey = group
    ) throws {
        try store.record(Event(ConversationMuted(level, until: until, at: time), in: key))
    }

    private func found(_ condition: ConversationCondition) throws -> [ConversationKey] {
        try store.read { try $0.conversations(matching: ConversationQuery(condition)) }.elements.map(\.key)
    }

    @Test(
        "d43: a limit that passes ends the muting without an event",
        arguments: [NotificationLevel.nothing, .mentionsOnly])
    func limit(level: NotificationLevel) throws {
        try store.record(received("a", at: 1), received("b", at: 2, mentions: ["me"]), received("c", at: 3, in: other))
        let until = after(1000)
        try mute(level, until: until)
        let muted = level == .nothing ? 1 : 2
        #expect(try store.totals().badge == muted)
        #expect(try store.conversation()?.notificationLevel == level)
        #expect(try store.conversation()?.mutedUntil == until)
        place.time.move(byMilliseconds: 999)
        #expect(try store.totals().badge == muted)
        #expect(try found(.property(.isMuted, .equal(true))) == (level == .nothing ? [group] : []))
        place.time.move(byMilliseconds: 1)
        #expect(try store.totals().badge == 3)
        #expect(try store.totals(kinds: [.single]).badge == 0)
        #expect(try store.conversation()?.notificationLevel == .all)
        #expect(try store.conversation()?.mutedUntil == nil)
        #expect(try store.list() == [other, group])
        #expect(try found(.property(.isMuted, .equal(true))).isEmpty)
        place.time.move(byMilliseconds: -1)
        #expect(try store.totals().badge == muted, "the time of the read decides, and nothing else")
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("d43: a conversation of which mentions alone notify counts with its mentions")
    func mentionsOnly() throws {
        try store.record(received("a", at: 1), received("b", at: 2, mentions: ["me"]), received("c", at: 3, in: other))
        try mute(.mentionsOnly)
        try store.record(markedUnread())
        #expect(try store.totals() == UnreadTotals(messages: 2, mentions: 1, conversations: 2))
        #expect(try store.totals(includesMuted: true).messages == 3)
        #expect(try store.conversation()?.isMuted == false)
        try store.record(read(order(2, "b")), markedUnread())
        #expect(try store.totals().badge == 1, "the mark alone does not count")
        #expect(try store.totals().conversations == 1)
        try store.record(received("d", at: 4))
        try mute(.mentionsOnly, in: other)
        #expect(try store.totals() == UnreadTotals())
        try mute(.all)
        #expect(try store.totals().badge == 1)
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("d43: a later choice replaces level and limit; of two with one time the later in the log holds")
    func choices() throws {
        try store.record(received("a", at: 1))
        try mute(.nothing, until: after(500), at: ms(20))
        try mute(.all, at: ms(10))
        #expect(try store.totals().badge == 0)
        try mute(.mentionsOnly, until: after(900), at: ms(20))
        #expect(try store.conversation()?.notificationLevel == .mentionsOnly)
        try mute(.nothing, at: ms(30))
        place.time.move(byMilliseconds: 5000)
        #expect(try store.totals().badge == 0, "for good")
        try mute(.nothing, until: after(-1))
        #expect(try store.totals().badge == 1, "over when it was recorded")
        try mute(.nothing, until: .latest)
        #expect(try store.totals().badge == 0)
        try store.record(Event(ConversationSummaryReceived(isMuted: false), in: group, origin: .live))
        #expect(try store.totals().badge == 1)
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("d43: at a position of the past the recorded time of its event decides")
    func past() throws {
        try store.record(received("a", at: 1))
        try mute(.nothing, until: after(1000))
        let muted = try store.lastPosition()
        place.time.move(byMilliseconds: 2000)
        let later = try #require(try store.record(received("b", at: 2, in: other)).position)
        #expect(try store.replay(to: muted) { try $0.unreadTotals().badge } == 0)
        #expect(try store.replay(to: later) { try $0.unreadTotals().badge } == 2)
        let session = try store.replaySession()
        #expect(try session.read(at: muted) { try $0.conversation(group)?.isMuted } == true)
        #expect(try session.read(at: later) { try $0.conversation(group)?.isMuted } == false)
        try store.close()
    }

    @Test("d43: records of earlier versions and of later ones: muted is nothing")
    func records() {
        #expect(ConversationMuted.level(isMuted: true, stored: nil) == .nothing)
        #expect(ConversationMuted.level(isMuted: false, stored: nil) == .all)
        #expect(ConversationMuted.level(isMuted: true, stored: 1) == .mentionsOnly)
        #expect(ConversationMuted.level(isMuted: true, stored: 9) == .nothing)
        #expect(ConversationMuted() == ConversationMuted(.nothing))
        #expect(ConversationMuted(false) == ConversationMuted(.all))
    }

    @Test("d43: observed totals and lists follow a limit that passes, at its time", arguments: [false, true])
    func observed(isThrottled: Bool) async throws {
        let clock = ManualClock()
        let place = try TemporaryStore()
        let store = try place.open { $0.clock = clock }
        let until = ms(place.time.now.milliseconds + 2000)
        let muted = Event(ConversationMuted(.nothing, until: until), in: group)
        try await store.record([received("a", at: 1), muted])
        let policy: RefreshPolicy = isThrottled ? .throttled(.seconds(60)) : .perPackage
        let badges = Follower(store.observeUnreadTotals(policy: policy))
        let lists = Follower(store.observeConversations(policy: policy))
        #expect(try await badges.next()?.badge == 0)
        #expect(try await lists.next()?.elements.map(\.isMuted) == [true])
        await clock.waitForSleeper(until: .seconds(2))
        place.time.move(byMilliseconds: 2000)
        clock.advance(by: .seconds(2))
        #expect(try await badges.next()?.badge == 1)
        #expect(try await lists.next()?.elements.map(\.isMuted) == [false])
        try await store.close()
    }
}
