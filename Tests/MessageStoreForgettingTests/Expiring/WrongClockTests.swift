import Foundation
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

/// A clock that was wrong once: what is recorded after it is right again is as if it had never been wrong.
@Suite("I21: a clock that was wrong", .timeLimit(.minutes(30)))
final class WrongClockTests {
    /// 2026-09-21.
    private static let start: Int64 = 1_790_000_000_000
    /// What the clock showed at one event, in seconds after the start: right, ahead, slow.
    static let shown: [Int64] = [1, 3_600, 2 * 86_400, 2_280_908_800, -3_600, -1_790_000_000]
    private static let (x, y, i, j, n) = (
        ConversationKey.group("x"), ConversationKey.group("y"), ConversationKey.group("i"), ConversationKey.group("j"),
        ConversationKey.group("n")
    )

    private let place: TemporaryStore
    private let clock = ManualClock()
    private var store: MessageStore

    init() throws {
        place = try TemporaryStore()
        place.time.set(ms(Self.start))
        store = try place.open { [clock] in $0.clock = clock }
        try got("x0", in: Self.x, 0)
    }

    private func at(_ seconds: Int64) -> Timestamp { ms(Self.start + seconds * 1000) }
    private func show(_ seconds: Int64) { place.time.set(at(seconds)) }

    private func got(
        _ id: ServerMessageID, in key: ConversationKey, _ seconds: Int64, origin: Origin = .live
    ) throws {
        try store.record([received(id, at: Self.start + seconds * 1000, in: key, origin: origin)])
    }

    /// Records an event while the clock is wrong, and goes on ten seconds after the start.
    private func begin(_ seconds: Int64) throws {
        show(seconds)
        try got("x1", in: Self.x, 1)
        show(10)
        try restart()
    }

    private func restart() throws {
        try store.close()
        store = try place.open { [clock] in $0.clock = clock }
    }

    private func pass(_ seconds: Int64) {
        place.time.move(byMilliseconds: seconds * 1000)
        clock.advance(by: .seconds(seconds))
        store.expireNow()
    }

    /// Incremental, rebuilt and replayed views agree, and so does a copy that is restored from the events.
    private func finish() throws {
        #expect(try store.isConsistent())
        let (digests, events) = (try store.digests(), try store.events(limit: .max))
        try store.close()
        let other = try TemporaryStore()
        try other.withStore { copy throws in
            try copy.appendRecorded(events)
            #expect(try copy.digests() == digests)
            #expect(try copy.events(limit: .max) == events)
            #expect(try copy.lastPosition(recordedBy: at(10)) == events.last { $0.clockTime <= at(10) }?.position)
        }
        try place.withStore { store throws in #expect(try store.digests() == digests) }
        #expect(try MessageStore.check(place.path, configuration: .ofTests).isSound)
    }

    @Test("I21: an invitation and a number alone have the time of their recording", arguments: shown)
    func invitations(seconds: Int64) throws {
        try begin(seconds)
        try store.record([Event(SelfInvited(by: "eve"), in: Self.i)])
        show(15)
        try store.record([.unreadCountReported(3, in: Self.n)])
        show(20)
        try got("j1", in: Self.j, 20)
        #expect(try store.list() == [Self.j, Self.n, Self.i, Self.x])
        try got("i1", in: Self.i, 30)
        #expect(try store.list() == [Self.i, Self.j, Self.n, Self.x])
        try finish()
    }

    @Test("I21: an own message has the time of its queueing", arguments: shown)
    func ownMessages(seconds: Int64) throws {
        try begin(seconds)
        show(30)
        let mine = try store.local(queued("hello", in: Self.x))
        try store.record([.sent(mine, as: "s1", in: Self.x)])
        let other = try store.local(queued("later", in: Self.y))
        try store.record([failed(other, in: Self.y)])
        #expect(try store.message(other)?.time == at(30) && store.message(other)?.recordedTime == at(30))
        show(60)
        try got("x2", in: Self.x, 60)
        #expect(try store.texts(of: Self.x) == ["x0", "x1", "hello", "x2"])
        #expect(try store.conversation(Self.x)?.lastMessage?.text == "x2")
        #expect(try store.list() == [Self.x, Self.y])
        try store.record([retried(other, in: Self.y), .sent(other, as: "s1", in: Self.y, at: at(70))])
        try got("j1", in: Self.j, 80)
        #expect(try store.list() == [Self.j, Self.y, Self.x])
        try finish()
    }

    @Test("I21: a timer begins when the message was sent or read", arguments: shown)
    func timers(seconds: Int64) throws {
        try begin(seconds)
        try store.record([Event(ConversationTimerChanged(MessageTimer(seconds: 30)), in: group)])
        let mine = try store.local(queued("secret"))
        try store.record([.sent(mine, as: "t1", in: group)])
        #expect(try store.message(mine)?.expires == at(40))
        let read = Event(
            ConversationTimerChanged(MessageTimer(seconds: 30, runsFromReading: true)), in: Self.y)
        try store.record([read])
        try got("y1", in: Self.y, 9)
        try store.record([Event(ConversationRead(), in: Self.y)])
        #expect(try store.message("y1", in: Self.y)?.expires == at(40))
        pass(29)
        #expect(try store.texts() == ["secret"])
        pass(1)
        #expect(try store.texts() == [] && store.texts(of: Self.y) == [])
        try finish()
    }

    @Test("I21: a draft has the time at which it was written", arguments: shown)
    func drafts(seconds: Int64) throws {
        try begin(seconds)
        show(30)
        try store.record([.draftChanged("half a", in: Self.y)])
        try got("j1", in: Self.j, 60)
        #expect(try store.conversation(Self.y)?.draftTime == at(30))
        #expect(try store.list() == [Self.j, Self.y, Self.x])
        try finish()
    }

    @Test("I21: positions and ranges by time are those of what the clock showed", arguments: shown)
    func positions(seconds: Int64) throws {
        try begin(seconds)
        show(100)
        try got("y1", in: Self.y, 100)
        show(200)
        try got("j1", in: Self.j, 200)
        #expect(try store.lastPosition(recordedBy: at(150)) == Position(3))
        #expect(try store.replay(to: Position(3)) { try $0.conversations().elements.map(\.key) } == [Self.y, Self.x])
        #expect(try store.lastPosition(recordedBy: at(5)) == (seconds > 5 ? Position(1) : Position(2)))
        let filter = EventFilter(recordedTime: at(50)...at(250))
        #expect(try store.events(where: filter).map(\.position) == [Position(3), Position(4)])
        // What waits to be committed counts as well.
        show(40)
        try store.record([received("late", at: 1)], acknowledgement: .visible)
        #expect(try store.lastPosition(recordedBy: at(45)) == Position(5))
        try store.close()
        let salvaged = place.directory + "/salvaged"
        _ = try MessageStore.salvage(place.path, to: salvaged)
        let found = try MessageStore.open(salvaged, account: store.account, configuration: place.configuration)
        #expect(try found.lastPosition(recordedBy: at(45)) == Position(5))
        #expect(try found.lastPosition(recordedBy: at(5)) == (seconds > 5 ? Position(1) : Position(2)))
        try found.close()
        store = try place.open { [clock] in $0.clock = clock }
        try finish()
    }

    @Test(
        "I21: a clock that is a year slow and a clock set to 1970 sink nothing",
        arguments: [-31_536_000, -1_790_000_000])
    func sinksNothing(seconds: Int64) throws {
        try got("j1", in: Self.j, 100)
        show(seconds)
        try store.record([Event(SelfInvited(by: "eve"), in: Self.i)])
        try store.record([.unreadCountReported(3, in: Self.n)])
        let mine = try store.local(queued("hello", in: Self.x))
        try store.record([.sent(mine, as: "s1", in: Self.x)])
        #expect(try store.texts(of: Self.x) == ["x0", "hello"])
        #expect(try Set(store.list().prefix(4)) == [Self.i, Self.j, Self.n, Self.x])
        #expect(try store.conversation(Self.i)?.activity == at(100))
        try got("y1", in: Self.y, 200)
        try store.record([.draftChanged("half a", in: group)])
        #expect(try store.conversation()?.draftTime == at(200))
        #expect(try store.list().first == Self.y || store.list().first == group)
        try finish()
    }

    @Test(
        "I21: a slow clock reads nothing, and keeps nobody from reading",
        arguments: [-31_536_000, -1_790_000_000])
    func readsNothing(seconds: Int64) throws {
        try got("x1", in: Self.x, 100)
        show(seconds)
        try store.record([Event(ConversationRead(upTo: order(Self.start + 100_000, "x1")), in: Self.x)])
        #expect(try store.unread(Self.x).messages == 0)
        try got("x2", in: Self.x, 200)
        try got("x3", in: Self.x, 300)
        #expect(try store.unread(Self.x).messages == 2)
        try store.record([Event(ConversationRead(), in: Self.x)])
        #expect(try store.unread(Self.x).messages == 0 && store.unread(Self.x).readUpTo?.time == at(300))
        let mine = try store.local(queued("hello", in: Self.x))
        try store.record([.sent(mine, as: "s1", in: Self.x, at: at(310))])
        try store.record([readByPeer(.upTo(at(310)), at: Self.start + 320_000, in: Self.x)])
        #expect(try store.message(mine)?.status == .read)
        show(400)
        try got("x4", in: Self.x, 400)
        #expect(try store.unread(Self.x).messages == 1)
        try finish()
    }

    @Test("I21: a slow clock lets nothing expire early", arguments: [-3_600, -31_536_000, -1_790_000_000])
    func expiresNothing(seconds: Int64) throws {
        try got("before", in: group, 90)
        show(95)
        try store.record([Event(SyncCursorAdvanced(name: "c", value: [1]))])
        show(seconds)
        let mine = try store.local(queued("secret"))
        try store.record([Event(ConversationTimerChanged(MessageTimer(seconds: 30)), in: group)])
        let other = try store.local(queued("other"))
        try store.record([.sent(mine, as: "t0", in: group), .sent(other, as: "t1", in: group)])
        // What was sent before the timer was chosen stays.
        try got("older", in: group, 80, origin: .history)
        #expect(try store.message(other)?.expires == at(120))
        #expect(try store.message("older")?.expires == nil)
        show(100)
        pass(0)
        #expect(try store.texts().contains("other"))
        pass(20)
        #expect(try Set(store.texts()) == ["older", "before", "secret"])
        try finish()
    }

    @Test("I21: where no server ever said a time, a clock that fell to 1970 goes by what it showed before")
    func withoutServers() throws {
        let (place, clock) = (try TemporaryStore(), ManualClock())
        place.time.set(at(0))
        let store = try place.open { $0.clock = clock }
        let first = try store.local(queued("first"))
        place.time.set(ms(0))
        try store.record([Event(ConversationTimerChanged(MessageTimer(seconds: 30)), in: group)])
        let mine = try store.local(queued("secret"))
        try store.record([.sent(mine, as: "t1", in: group)])
        #expect(try store.message(mine)?.expires == at(30))
        try store.record([failed(first)])
        #expect(try store.conversation()?.activity == at(0))
        try store.close()
    }

    @Test("I21: a slow clock erases nothing before its time")
    func erasesNothing() throws {
        let place = try TemporaryStore()
        place.time.set(at(0))
        let clock = ManualClock()
        let store = try place.open { ($0.clock, $0.privacy.removedContent) = (clock, .erase(after: .seconds(3_600))) }
        try store.record([received("a", at: Self.start, text: "secret")])
        place.time.set(ms(0))
        try store.record([recalled("a")])
        place.time.set(at(10))
        try store.close()
        let again = try place.open { ($0.clock, $0.privacy.removedContent) = (clock, .erase(after: .seconds(3_600))) }
        #expect(try again.events().contains { "\($0.event)".contains("secret") })
        try again.close()
    }

    @Test("d2, d51: a message dated far ahead moves its conversation a day ahead at most")
    func future() throws {
        try got("x1", in: Self.x, 31_536_000)
        #expect(try store.conversation(Self.x)?.activity == at(86_400))
        try store.record([.unreadCountReported(1, upTo: order(Self.start + 31_536_000_000, "x1"), in: Self.x)])
        try store.record(
            [Event(ConversationSummaryReceived(activity: at(31_536_000)), in: Self.y)])
        #expect(try store.conversation(Self.x)?.activity == at(86_400))
        #expect(try store.conversation(Self.y)?.activity == at(86_400))
        show(86_500)
        try got("j1", in: Self.j, 86_500)
        #expect(try store.list().first == Self.j)
        try got("x2", in: Self.x, 86_600)
        #expect(try store.list().first == Self.x && store.conversation(Self.x)?.lastMessage?.text == "x1")
        try finish()
    }

    @Test("I21: a message from the future does not make a right clock a slow one")
    func futureIsNoClock() throws {
        try begin(3_600)
        try got("x2", in: Self.x, 31_536_000)
        try got("y1", in: Self.y, 10)
        let events = try store.events()
        #expect(events.map(\.event.correctedTime) == [nil, nil, at(10), at(10)])
        #expect(events.map(\.clockTime) == [at(0), at(3_600), at(10), at(10)])
        #expect(events.map(\.recordedTime) == [at(0), at(3_600), at(3_600), at(3_600)])
        try finish()
    }
}
