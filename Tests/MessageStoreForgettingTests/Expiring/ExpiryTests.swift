import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("I12: disappearing messages", .timeLimit(.minutes(30)))
struct ExpiryTests {
    private static let minute = MessageTimer(seconds: 60)
    private static let minuteRead = MessageTimer(seconds: 60, runsFromReading: true)
    private let clock = ManualClock()
    private let place: TemporaryStore
    /// When the test begins.
    private let start: Int64

    init() throws {
        place = try TemporaryStore()
        start = place.time.now.milliseconds
    }

    /// The wall clock goes on with the other one.
    private func open() throws -> MessageStore {
        try place.open { $0.clock = clock }
    }

    private func pass(_ seconds: Int64) {
        place.time.move(byMilliseconds: seconds * 1000)
        clock.advance(by: .seconds(seconds))
    }

    /// A message that was sent some seconds after the start.
    private func message(
        _ id: ServerMessageID, _ seconds: Int64 = 0, _ timer: MessageTimer? = nil, from sender: UserID = "bob",
        in conversation: ConversationKey = group, flags: MessageFlags? = nil, origin: Origin = .live
    ) -> Event {
        var message = MessageReceived(
            serverID: id, sender: sender, sentTime: ms(start + seconds * 1000), content: .text("secret \(id)"))
        message.context.timer = timer
        message.flags = flags
        return Event(message, in: conversation, origin: origin)
    }

    private func timer(_ timer: MessageTimer, at seconds: Int64? = nil) -> Event {
        Event(ConversationTimerChanged(timer, at: seconds.map { ms(start + $0 * 1000) }), in: group)
    }

    /// When messages disappear, in seconds after the start.
    private func expiries(_ store: MessageStore) throws -> [String: Int64?] {
        let shown = try store.page().elements.map { message in
            (message.text?.dropFirst(7) ?? "", message.expires.map { ($0.milliseconds - start) / 1000 })
        }
        return Dictionary(uniqueKeysWithValues: shown.map { (String($0), $1) })
    }

    /// How often a message disappeared by itself, and where the words still are that it had.
    private func found(_ store: MessageStore) throws -> (expiries: Int, words: Int) {
        store.waitForExpiry()
        let events = try store.events(limit: .max).map(\.event.payload)
        return (
            events.count { ($0 as? MessagesDeleted)?.isExpiry == true }, events.count { "\($0)".contains("secret") }
        )
    }

    private func pending(_ store: MessageStore) throws -> Int { try store.read { try $0.pendingChanges().count } }

    @Test("a restored log is as it was, although the times of its messages have come; they go with the next append")
    func restored() throws {
        let store = try open()
        try store.record([message("gone", 0, Self.minute)])
        let events = try store.events()
        try store.close()
        pass(100)
        let other = try TemporaryStore()
        let copy = try other.open {
            $0.clock = clock
            $0.now = { [time = place.time] in time.now }
        }
        try copy.appendRecorded(events)
        #expect(try found(copy) == (0, 1) && copy.events() == events)
        try copy.record([message("next", 100)])
        #expect(try found(copy) == (1, 1))
        try copy.close()
    }

    @Test("time that passes while the store reads the clock makes no message stay longer", .timeLimit(.minutes(1)))
    func timePassesDuringLook() async throws {
        let store = try place.open { [clock, start] configuration in
            configuration.clock = clock
            configuration.now = {
                // Each reading takes a minute.
                defer { clock.advance(by: .seconds(60)) }
                return Timestamp(milliseconds: start + Int64(clock.now.offset / .milliseconds(1)))
            }
        }
        try await store.record([message("gone", 0, MessageTimer(seconds: 3000))])
        await clock.waitForSleeper(until: .seconds(3000))
        try await store.close()
    }

    @Test("a timer runs from sending, at most a day after the recording, or from reading")
    func dueTimes() throws {
        let store = try open()
        try store.record(
            message("sent", -10, Self.minute), message("future", 3 * 86_400, Self.minute), message("none"),
            message("read", 1, Self.minuteRead), message("marked", 2, Self.minuteRead),
            message("known", 3, Self.minuteRead, flags: .read), message("own", 4, Self.minuteRead, from: "me"),
            message("unread", 9, Self.minuteRead))
        let queued = try store.local(
            .queued(.text("secret queued"), in: group, context: MessageContext(timer: Self.minuteRead)))
        var expected: [String: Int64?] = [
            "sent": 50, "future": 86_460, "none": nil, "read": nil, "marked": nil, "known": 60, "own": 64,
            "unread": nil, "queued": nil,
        ]
        #expect(try expiries(store) == expected)
        pass(5)
        try store.record(Event(MessageStatusFlagsSet([.server("marked")], flags: .read), in: group))
        expected["marked"] = 65
        #expect(try expiries(store) == expected)
        pass(5)
        try store.record(
            read(MessageOrder(time: ms(start + 4000), id: "own")), sent(queued, "queued", at: start + 9000))
        (expected["read"], expected["queued"]) = (70, 69)
        #expect(try expiries(store) == expected)
        pass(5)
        try store.record(message("late", 2, Self.minuteRead))
        expected["late"] = 75
        #expect(try expiries(store) == expected, "what comes below the read marker was read")
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("a conversation's timer is that of later messages without one, whatever is chosen after them")
    func conversationTimer() throws {
        let store = try open()
        try store.record(message("before"), timer(Self.minute, at: 5), message("after"))
        try store.record(timer(MessageTimer(seconds: 7), at: 4), message("late choice"))
        #expect(try store.read { try $0.timer(of: group) } == Self.minute)
        try store.record(
            message("own", 0, MessageTimer(seconds: 90)), message("stays", 0, .off),
            message("past", 4, origin: .history), message("missed", 5, origin: .history))
        try store.record(timer(Self.minuteRead, at: 6), message("unread"), timer(.off), message("last"))
        #expect(try store.read { try $0.timer(of: group) } == nil)
        let expected: [String: Int64?] = [
            "before": nil, "after": 60, "late choice": 60, "own": 90, "stays": nil, "past": nil, "missed": 65,
            "unread": nil, "last": nil,
        ]
        #expect(try expiries(store) == expected)
        try store.record(read())
        #expect(try expiries(store)["unread"] == 60)
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("X14: while the store is open, messages go when their time comes, and what they say with them, once")
    func whileOpen() async throws {
        let store = try open()
        try await store.record([
            message("a", 0, Self.minute), message("b", 1, Self.minute), message("stays"),
            message("elsewhere", 1, Self.minute, in: peer), modified("a", "secret edit", at: start + 1),
        ])
        await clock.waitForSleeper(until: .seconds(60))
        #expect(try found(store) == (0, 5))
        pass(60)
        try await store.wait { try found(store).expiries == 1 }
        #expect(try store.texts() == ["secret stays", "secret b"])
        #expect(try found(store) == (1, 3))
        #expect(try pending(store) == 0, "no server has to hear of it")
        await clock.waitForSleeper(until: .seconds(61))
        pass(1)
        try await store.wait { try found(store).expiries == 3 }
        #expect(try found(store).words == 1)

        place.time.move(byMilliseconds: -3_600_000)
        try await store.record(message("c", -3590, Self.minute))
        #expect(try found(store) == (3, 2))
        place.time.move(byMilliseconds: 3_600_000)
        #expect(
            try await store.record([message("a", 0, Self.minute), message("elsewhere", 1, in: peer)]).duplicates == 2)
        #expect(try found(store) == (4, 1), "the one that came meanwhile, and no other again")
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("what ended while the store was closed goes at the next opening for writing, once")
    func opening() throws {
        var store = try open()
        // More than one commit erases.
        try store.record((0..<4100).map { message("m\($0)", 0, Self.minute) } + [message("stays", 0, .off)])
        try store.close()
        pass(5 * 86_400)
        let reader = try place.openReadOnly()
        #expect(try found(reader) == (0, 4101))
        try reader.close()
        for _ in 1...2 {
            store = try open()
            #expect(try found(store) == (2, 1))
            #expect(try store.texts() == ["secret stays"])
            try store.close()
        }
    }

    @Test("killed before any of the commits of an opening, it goes at the next one, once")
    func killed() async throws {
        try place.withStore { try $0.record([message("a", 0, Self.minute), message("stays")]) }
        pass(60)
        var wasComplete = false
        for commit in 1...20 where !wasComplete {
            let copy = place.directory + "/copy-\(commit)"
            try FileManager.default.copyItem(atPath: place.path, toPath: copy)
            let now = place.time.now.milliseconds
            let result = await #expect(processExitsWith: .failure) {
                [copy = copy as String, commit = commit as Int, now = now as Int64] in
                try ExpiryTests.open(copy, at: now, killedBefore: commit)
            }
            wasComplete = result?.exitStatus == .exitCode(7)
            try check(copy)
            try FileManager.default.removeItem(atPath: copy)
        }
        #expect(wasComplete, "it was let through to its end")
    }

    private func check(_ path: String) throws {
        let store = try MessageStore.open(path, account: TemporaryStore.account, configuration: place.configuration)
        #expect(try found(store) == (1, 1))
        #expect(try store.isConsistent())
        try store.close()
    }

    private static func open(_ path: String, at now: Int64, killedBefore commit: Int) throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.now = { ms(now) }
        let commits = Locked(0)
        configuration.commitFault = {
            let isLast = commits.withLock { commits in
                commits += 1
                return commits == commit
            }
            if isLast { kill(getpid(), SIGKILL) }
        }
        _ = try MessageStore.open(path, account: TemporaryStore.account, configuration: configuration)
        exit(7)
    }

    @Test("a clock that jumps ahead by more than a day ends no message until the host confirms it")
    func jump() async throws {
        let store = try open()
        try await store.record([message("a", 0, Self.minute), message("b", 0, MessageTimer(seconds: 200_000))])
        await clock.waitForSleeper(until: .seconds(60))
        place.time.move(byMilliseconds: 86_400_001)
        let jump = ClockJump(expected: ms(start), shown: ms(start + 86_400_001))
        #expect(store.clockJump == jump)
        try await store.record(message("c"))
        #expect(try found(store).expiries == 0)
        place.time.move(byMilliseconds: -1)
        #expect(store.clockJump == nil, "a day alone is no jump")
        place.time.move(byMilliseconds: 86_400_000)
        pass(60)
        try await store.record(message("d"))
        #expect(try found(store).expiries == 0)
        store.confirmClock()
        #expect(store.clockJump == nil)
        #expect(try found(store) == (1, 3))
        try await store.close()
    }

    @Test("a message that is only hidden goes with its time; one that was erased, or repeats another, has none")
    func hidden() throws {
        let store = try open()
        try store.record(
            message("hidden", 0, Self.minute), message("erased", 0, Self.minute), message("cleared", -5, Self.minute),
            message("repeat", 0, Self.minute))
        try store.record(
            deleted("hidden"), Event(MessagesDeleted([.server("erased")], erases: true), in: group),
            Event(HistoryCleared(upTo: MessageOrder(time: ms(start - 5000)), erases: true), in: group),
            Event(
                MessageDuplicateSuppressed(serverID: "repeat", duplicateOf: LocalMessageID(1), rule: .content),
                in: group))
        #expect(try found(store).words == 2)
        pass(60)
        try store.record(message("last"))
        #expect(try found(store) == (1, 1))
        let expired = try store.events().compactMap { $0.event.payload as? MessagesDeleted }.first { $0.isExpiry }
        #expect(expired?.messages == [.local(LocalMessageID(1))])
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("leaving a chat room for good reads it: messages that nobody had read go with their time, for good")
    func purged() throws {
        let store = try open()
        let room = ConversationKey.chatRoom("room")
        let messages = [
            message("unread", 0, Self.minuteRead, in: room), message("future", 3 * 86_400, Self.minuteRead, in: room),
        ]
        try store.record(messages)
        pass(100)
        try store.record(Event(ChatRoomLeft(at: place.time.now), in: room))
        #expect(try found(store) == (0, 2))
        pass(60)
        try store.record(message("last"))
        #expect(try found(store) == (1, 1))
        try store.record(messages)
        #expect(try found(store) == (1, 1) && store.texts(of: room).isEmpty)
        #expect(try store.isConsistent())
        try store.close()
    }
}
