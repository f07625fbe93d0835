import MessageStore
import MessageStoreMigration
import MessageStoreTestKit
import Testing

@Suite("Migration", .timeLimit(.minutes(30)))
struct MigrationTests {
    private struct Interrupted: Error {}

    static let kinds: [OldRows] = [
        .withReadPlaces(500), .withUnreadCounts(500), .withUnreadCounts(500, shuffledBy: 7),
    ]

    @Test("counts, last message and unread are those of the rows; a second run adds nothing", arguments: kinds)
    func same(old: OldRows) throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let report = try store.migrate(old.rows)
        #expect(report.isComplete, "\(report.differences)")
        let facts = try store.facts(of: old.facts.keys)
        #expect(facts == old.facts)
        #expect(report.rows == old.rows.count && report.conversations.count == old.facts.count)
        let position = try store.lastPosition()
        #expect(report.events == Int(position.rawValue))
        let again = try store.migrate(old.rows)
        let after = try store.lastPosition()
        #expect(again.events == 0 && again.isComplete && after == position, "\(again.differences)")
        let outbox = try store.read { try $0.outbox() + $0.pendingChanges().map { _ in throw Interrupted() } }
        #expect(outbox.isEmpty)
    }

    @Test("the first unread message is the one of the rows", arguments: kinds)
    func firstUnread(old: OldRows) throws {
        let place = try TemporaryStore()
        let store = try place.open()
        _ = try store.migrate(old.rows)
        for (key, fact) in old.facts where fact.unread > 0 {
            let (first, basis) = try store.read { (try $0.firstUnread(in: key), try $0.unread(of: key).report) }
            let incoming = old.rows.compactMap { row -> OldMessage? in
                guard case .message(let message) = row, message.conversation == key, message.sender != "me",
                    !message.isRecalled
                else { return nil }
                return message
            }.sorted { $0.serverID ?? "" < $1.serverID ?? "" }
            #expect(first?.serverID == incoming.suffix(fact.unread).first?.serverID)
            #expect(basis == nil)
        }
    }

    @Test("the badge is never above what is unread, at no commit and in no live query", arguments: kinds)
    func badge(old: OldRows) async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let unread = old.facts.values.reduce(0) { $0 + $1.unread }
        let watching = Task {
            var badges: [Int] = []
            do { for try await totals in store.observeUnreadTotals() { badges.append(totals.badge) } } catch {}
            return badges
        }
        var badges: [Int] = []
        var rest = old.rows.makeIterator()
        _ = try store.migrate(packageSize: 1, progress: { _ in badges.append(try store.badge) }) { rest.next() }
        #expect(badges.max() == unread && badges.last == unread)
        let isRising = zip(badges, badges.dropFirst()).allSatisfy { $0 <= $1 }
        #expect(isRising)
        try await store.close()
        let seen = await watching.value
        #expect(seen.allSatisfy { $0 <= unread })
    }

    @Test("a run that ends at any row, and one more, make the store of a run that did not end", arguments: kinds)
    func resumed(old: OldRows) throws {
        let whole = try TemporaryStore()
        let store = try whole.open()
        let report = try store.migrate(old.rows, packageSize: 50)
        let digests = try store.digests()
        for end in stride(from: 3, to: old.rows.count, by: 61) {
            let place = try TemporaryStore()
            for _ in 1...2 {
                let broken = try place.open()
                var rest = old.rows[..<end].makeIterator()
                #expect(throws: Interrupted.self) {
                    try broken.migrate(packageSize: 50) {
                        guard let row = rest.next() else { throw Interrupted() }
                        return row
                    }
                }
                try broken.close()
            }
            let resumed = try place.open()
            let second = try resumed.migrate(old.rows, packageSize: 50)
            #expect(second.conversations == report.conversations)
            let same = try resumed.digests() == digests
            #expect(same, "interrupted at row \(end)")
        }
    }

    @Test("the asynchronous form does the same, and a throw of the progress ends it")
    func asynchronous() async throws {
        let old = OldRows.withUnreadCounts(200)
        let place = try TemporaryStore()
        let store = try place.open()
        await #expect(throws: Interrupted.self) {
            try await store.migrate(old.rows, packageSize: 50, progress: { _ in throw Interrupted() })
        }
        let report = try await store.migrate(old.rows)
        #expect(report.isComplete)
        let facts = try store.facts(of: old.facts.keys)
        #expect(facts == old.facts)
    }
}

extension MessageStore {
    var badge: Int { get throws { try read { try $0.unreadTotals().badge } } }
}
