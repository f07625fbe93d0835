import Foundation
import MessageStore
import MessageStoreSharing
import Testing
@testable import MessageStoreTestSupport

@Suite("What waits in an inbox, and the badge with it", .timeLimit(.minutes(30)))
struct WaitingTests {
    private let place: TemporaryStore
    private var inbox: Inbox {
        Inbox(at: place.directory + "/inbox", account: TemporaryStore.account, key: TemporaryStore.key)
    }
    private var lens: Lens { get throws { try Lens(at: place.directory + "/lens", key: TemporaryStore.key) } }

    init() throws { place = try TemporaryStore() }

    private func open() throws -> MessageStore {
        try place.open {
            $0.processes.inboxPath = inbox.path
            $0.processes.lens = LensConfiguration(path: place.directory + "/lens")
            $0.clock = ManualClock()
        }
    }

    @Test("messages are counted by conversation, each once, and known by their ids and tokens")
    func counts() throws {
        #expect(try inbox.waiting().messageCounts.isEmpty)
        #expect(try !inbox.hasWaiting("a", in: group))
        try inbox.handOver([received("a", at: 1), received("a", at: 1, in: .group("其他"))])
        try inbox.handOver([.draftChanged("x", in: group)])
        try inbox.handOver([received("b", at: 2, from: TemporaryStore.account), received("a", at: 1)])
        try inbox.handOver([received("t1", at: 3, token: "t"), received("t2", at: 3, token: "t")])
        let waiting = try inbox.waiting()
        #expect(waiting.messageCounts == [group: 3, .group("其他"): 1])
        #expect(waiting.hasMessage("a", in: group) && waiting.hasMessage("b", in: group))
        #expect(!waiting.hasMessage("b", in: .group("其他")) && !waiting.hasMessage("c", in: group))
        #expect(try inbox.hasWaiting("t2", in: group))
        let store = try open()
        try store.drainInbox()
        #expect(try inbox.waiting().messageCounts.isEmpty)
        try store.close()
    }

    @Test("a file that is damaged or of somebody else counts for nothing")
    func unreadable() throws {
        try Inbox(at: inbox.path, account: "eve", key: TemporaryStore.key).handOver([received("e", at: 1)])
        try inbox.handOver([received("a", at: 1)])
        for name in try FileManager.default.contentsOfDirectory(atPath: inbox.path + "/new") {
            let file = inbox.path + "/new/" + name
            try FileManager.default.copyItem(atPath: file, toPath: file + "x")
            try "half".write(toFile: inbox.path + "/new/0" + name.dropFirst(), atomically: false, encoding: .utf8)
        }
        try inbox.handOver([received("b", at: 2)])
        let counts = try inbox.waiting().messageCounts
        #expect(counts[group] ?? 0 >= 1)
        #expect(try !inbox.hasWaiting("e", in: group))
        #expect(try inbox.hasWaiting("b", in: group))
    }

    @Test("a kill between recording and the next lens loses nothing: what leaves the inbox is in the lens")
    func noGap() throws {
        let store = try open()
        for number in 1...5 {
            let id = ServerMessageID("m\(number)")
            try inbox.handOver([received(id, at: Int64(number))])
            try store.drainInbox()
            #expect(try inbox.waiting().messageCounts.isEmpty)
            #expect(try lens.hasRecent(id, in: group))
            #expect(try lens.badge == number)
        }
        try store.close()
    }

    @Test("a mute that ends changes the badge at its time, which the lens names")
    func muteEnds() throws {
        let store = try open()
        let end = Timestamp(milliseconds: place.time.now.milliseconds + 60_000)
        try store.record([received("a", at: 1), received("b", at: 2), .muted(until: end, in: group)])
        try store.close()
        try inbox.handOver([received("c", at: 3)])
        let (lens, waiting) = (try lens, try inbox.waiting())
        #expect(lens.badge(adding: waiting, at: place.time.now) == 0)
        #expect(lens.nextChange(after: place.time.now) == end)
        #expect(lens.badge(adding: waiting, at: end) == 3)
        #expect(lens.nextChange(after: end) == nil)
        place.time.move(byMilliseconds: 60_000)
        let again = try open()
        try again.drainInbox()
        #expect(try again.read { try $0.unreadTotals().badge } == 3)
        try again.close()
    }

    @Test("a lens of an earlier version is read, and counts as it did")
    func earlierLens() throws {
        let conversation = Lens.Conversation(
            key: group, displayName: "g", unreadMessages: 2, readUpTo: MessageOrder(time: ms(5), id: "e"))
        let lens = Lens(account: "me", position: Position(1), badge: 2, conversations: [conversation])
        var json = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(lens)) as? [String: Any])
        var rows = try #require(json["conversations"] as? [[String: Any]])
        for name in ["unreadMentions", "isMarkedUnread", "countsAbove"] { rows[0][name] = nil }
        json["conversations"] = rows
        let old = try JSONDecoder().decode(Lens.self, from: JSONSerialization.data(withJSONObject: json))
        #expect(old == lens)
        try inbox.handOver([received("a", at: 4), received("z", at: 6)])
        #expect(try old.badge(adding: inbox.waiting(), at: .now) == 3)
    }

    /// Messages of others, in conversations that the lens has, not below the read place, in any order, each twice, and
    /// the badge by the lens and by the store.
    @Test("the badge of the lens with what waits is that of the store once it is open", arguments: 0..<40)
    func badges(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let keys: [ConversationKey] = [.group("g0"), .group("g1"), .single("bob"), .system("s")]
        let store = try open()
        var number = 0
        func message(_ key: ConversationKey, at time: Int64) -> Event {
            number += 1
            let mentions: [UserID] = random.chance(0.3) ? [TemporaryStore.account] : []
            return received(
                ServerMessageID("m\(random.nextIndex(10))-\(number)"), at: time,
                from: random.chance(0.1) ? TemporaryStore.account : random.chance(0.5) ? "bob" : "eve", in: key,
                policy: random.chance(0.1) ? .uncounted : .standard, mentions: mentions)
        }
        try store.record(keys.map { message($0, at: 10) })
        for _ in 0..<random.nextIndex(40) {
            let key = keys[random.nextIndex(keys.count)]
            let time = Int64(random.nextIndex(30))
            let place = MessageOrder(time: ms(time))
            try store.record(setting(of: key, at: time, place, &random) ?? message(key, at: time))
            if random.chance(0.2) { self.place.time.move(byMilliseconds: 20_000) }
        }
        try store.close()
        let before = try lens
        var handed: [Event] = []
        for _ in 0..<random.nextIndex(12) {
            let key = keys[random.nextIndex(keys.count)]
            guard let listed = before.conversation(key) else { continue }
            let lowest = listed.readUpTo?.time.milliseconds ?? 0
            handed.append(message(key, at: lowest + 1 + Int64(random.nextIndex(20))))
        }
        handed += handed + handed.suffix(2)
        for index in handed.indices { handed.swapAt(index, random.nextIndex(handed.count)) }
        for event in handed { try inbox.handOver([event]) }
        place.time.move(byMilliseconds: Int64(random.nextIndex(100_000)))
        let badge = try before.badge(adding: inbox.waiting(), at: place.time.now)
        let next = before.nextChange(after: place.time.now)
        let again = try open()
        try again.drainInbox()
        #expect(try again.read { try $0.unreadTotals().badge } == badge, "seed \(seed)")
        #expect(try lens.badge(adding: inbox.waiting(), at: place.time.now) == badge, "seed \(seed)")
        if let next {
            place.time.move(byMilliseconds: next.milliseconds - place.time.now.milliseconds)
            let then = try lens.badge(adding: inbox.waiting(), at: next)
            #expect(try again.read { try $0.unreadTotals().badge } == then, "seed \(seed)")
        }
        try again.close()
    }

    /// What else changes counts, marks and mutes.
    private func setting(
        of key: ConversationKey, at time: Int64, _ place: MessageOrder, _ random: inout SplitMix64
    ) -> Event? {
        let end = Timestamp(milliseconds: self.place.time.now.milliseconds + 50_000)
        return switch random.nextIndex(12) {
        case 0: .read(upTo: place, in: key)
        case 1: .markedUnread(true, in: key)
        case 2: .unreadCountReported(UInt32(random.nextIndex(4)), upTo: random.chance(0.5) ? place : nil, in: key)
        case 3: Event(ConversationMuted(random.chance(0.7), until: random.chance(0.5) ? end : nil), in: key)
        case 4: Event(ConversationMuted(.mentionsOnly, until: random.chance(0.5) ? end : nil), in: key)
        case 5: Event(HistoryGapFound(before: place), in: key)
        case 6: Event(ConversationDeleted(alsoMessages: random.chance(0.5)), in: key)
        default: nil
        }
    }
}
