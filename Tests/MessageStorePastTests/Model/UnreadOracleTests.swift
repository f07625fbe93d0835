import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Store against the rules of unread messages")
struct UnreadOracleTests {
    @Test("I5, d5–d9, d29–d33: counts, list and badge are what the rules say of the raw log", arguments: Seeds.first(4))
    func agrees(seed: UInt64) throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            if seed % 3 == 0 { place.time.set(ms(1_000_000)) }
            var events = RandomEvents(seed: seed, largestBatch: 8, futureChance: seed % 3 == 0 ? 0.05 : 0)
            var random = SplitMix64(seed: ~seed)
            var calls: [Position] = []
            var placements: UnreadOracle.Placements = [:]
            var (last, wrongBy) = (Position(0), Int64(0))
            while last < Position(300 + seed % 4 * 100) {
                place.time.move(byMilliseconds: Int64(random.nextIndex(4_000)) - 500)
                if seed % 3 == 0, random.chance(0.02) { place.time.move(byMilliseconds: 86_400_000) }
                if wrongBy != 0 || random.chance(0.05) {
                    // The clock shows a wrong time for one call.
                    let hours: [Int64] = [1, -1, 24 * 400, -24 * 400]
                    let wrong = wrongBy == 0 ? hours[random.nextIndex(hours.count)] * 3_600_000 : 0
                    let next = max(wrong, -(place.time.now.milliseconds - wrongBy))
                    place.time.move(byMilliseconds: next - wrongBy)
                    wrongBy = next
                }
                var batch = events.nextBatch(after: last)
                if random.chance(0.25) { batch.append(Self.seldom(&random, at: place.time.now)) }
                if calls.count % 25 == 20 {
                    // What comes until the next comparison brings some of them back.
                    batch += RandomEvents.conversations.filter { _ in random.chance(0.4) }
                        .map { Event(ConversationDeleted(), in: $0) }
                }
                guard !batch.isEmpty else { continue }
                calls.append(Position(last.rawValue + 1))
                last = try store.record(batch).lastPosition
                for key in RandomEvents.conversations {
                    let unread = try store.unread(key)
                    guard unread.report == nil else { continue }
                    placements[key, default: []].append((last, unread.readUpTo))
                }
                if calls.count.isMultiple(of: 25) { try compare(store, calls, placements, at: place.time.now) }
            }
            try compare(store, calls, placements, at: place.time.now)
        }
    }

    @Test("d31: where no calls are named, each event was a call of its own: history above what was there counts")
    func withoutCalls() throws {
        try TemporaryStore().withStore { store throws in
            try store.record([received("a", at: 1), received("b", at: 2, origin: .history)])
            let log = try store.events(limit: .max)
            let alone = UnreadOracle(account: store.account, log: log, calls: [])
            #expect(alone.unread(of: group) == UnreadOracle.Unread(messages: 2))
            let together = UnreadOracle(account: store.account, log: log, calls: [Position(1)])
            #expect(together.unread(of: group) == UnreadOracle.Unread(messages: 1))
            let late = UnreadOracle(account: store.account, log: log, calls: [Position(2)])
            #expect(late.unread(of: group) == UnreadOracle.Unread(messages: 2))
        }
    }

    /// What the stream of random events seldom brings, and what makes most of it when it does.
    private static func seldom(_ random: inout SplitMix64, at time: Timestamp) -> Event {
        let key = RandomEvents.conversations[random.nextIndex(RandomEvents.conversations.count)]
        if random.chance(0.3) {
            let until = ms(time.milliseconds + Int64(random.nextIndex(60_000)))
            return Event(ConversationMuted(random.chance(0.5) ? .mentionsOnly : .nothing, until: until), in: key)
        }
        return random.chance(0.5)
            ? .unreadCountReported(UInt32(1 + random.nextIndex(9)), in: key) : Event(ConversationRead(), in: key)
    }

    private func compare(
        _ store: MessageStore, _ calls: [Position], _ placements: UnreadOracle.Placements, at moment: Timestamp
    ) throws {
        let oracle = UnreadOracle(
            account: RandomEvents.account, log: try store.events(limit: .max), calls: calls, placements: placements)
        try store.read { views in
            for key in RandomEvents.conversations {
                let count = try views.unread(of: key)
                if count.report == nil {
                    let page = try views.timeline(of: key, limit: 1000)
                    let unread = page.elements.filter { $0.isRead == false && $0.countsUnread && !$0.isRecalled }
                    #expect(count.messages == unread.count, "B15: the rows of \(key) at \(views.position)")
                    let first = try views.firstUnread(in: key)?.id
                    let shown = try ViewDiagnostics.shownUnread(of: key, in: views)
                    #expect(first == unread.first?.id && shown == unread.count, "B15: \(key) at \(views.position)")
                    let mentions = try views.unreadMentions(in: key, limit: 1000).elements.count
                    #expect(mentions == count.mentions, "B15: the mentions of \(key) at \(views.position)")
                }
                let unread = UnreadOracle.Unread(
                    messages: count.messages, mentions: count.mentions,
                    everyoneMentions: count.everyoneMentions, isMarked: count.isMarkedUnread)
                #expect(unread == oracle.unread(of: key), "\(key) at \(views.position)")
            }
            let list = try views.conversations(archived: .included, limit: 100).elements.map(\.key)
            for key in RandomEvents.conversations {
                guard let isListed = oracle.isListed(key) else { continue }
                #expect(list.contains(key) == isListed, "\(key) at \(views.position)")
            }
            let placed = oracle.list
            let groups = list.compactMap { key in placed.firstIndex { $0.contains(key) } }
            #expect(groups == groups.sorted(), "\(list) against \(placed) at \(views.position)")
            let ordinary = try views.conversations(limit: 100).elements.map(\.key)
            #expect(ordinary == list.filter { !oracle.isArchived($0) }, "the archive at \(views.position)")
            for archived in ArchivedConversations.allCases {
                let badge = try views.unreadTotals(archived: archived).badge
                #expect(
                    badge == oracle.badge(archived: archived, at: moment),
                    "badge, archive \(archived), at \(views.position)")
            }
        }
    }
}
