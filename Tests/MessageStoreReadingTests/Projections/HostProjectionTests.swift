import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A host's projection", .timeLimit(.minutes(30)))
struct HostProjectionTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private func open(_ stars: Stars = Stars(), bufferBytes: Int = 40 << 20) throws -> MessageStore {
        try place.open {
            $0.projections = [stars]
            $0.bufferBytes = bufferBytes
        }
    }

    /// Stars and messages of a few conversations in random order.
    private static func events(seed: UInt64, count: Int) -> [Event] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { index in
            let id = ServerMessageID("m\(random.nextIndex(20))")
            let key = ConversationKey.group("g\(random.nextIndex(3))")
            let user = UserID("u\(random.nextIndex(4))")
            return switch random.nextIndex(4) {
            case 0: received(ServerMessageID("r\(index)"), at: Int64(index), in: key)
            case 1: unstarred(id, at: Int64(index), by: user, in: key)
            default: starred(id, at: Int64(index), by: user, in: key)
            }
        }
    }

    /// What the projection must show, by going through the events: ids newest first, and the count of each conversation.
    private static func expected(_ events: [Event]) -> (ids: [String], counts: [ConversationKey: UInt64]) {
        var stars: [ConversationKey: [String: Int64]] = [:]
        for event in events {
            guard let key = event.conversation else { continue }
            switch event.payload {
            case let added as ReactionAdded:
                guard case .server(let id) = added.message, stars[key]?[id.rawValue] == nil else { continue }
                stars[key, default: [:]][id.rawValue] = added.time.milliseconds
            case let removed as ReactionRemoved:
                guard case .server(let id) = removed.message else { continue }
                stars[key]?[id.rawValue] = nil
            default: continue
            }
        }
        let all = stars.values.flatMap { $0 }.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
        return (all.map(\.key), stars.mapValues { UInt64($0.count) })
    }

    @Test("is kept up to date, survives reopening, and answers at every position of the past", arguments: 1...4)
    func equalsModel(seed: UInt64) throws {
        let events = Self.events(seed: seed, count: 120)
        var random = SplitMix64(seed: seed)
        var store = try open(bufferBytes: 16 << 10)
        var recorded = 0
        while recorded < events.count {
            let next = min(events.count, recorded + 1 + random.nextIndex(12))
            try store.record(Array(events[recorded..<next]))
            recorded = next
            let expected = Self.expected(Array(events[..<recorded]))
            try store.read { views in
                let shown1 = try views.starred()
                #expect(shown1 == expected.ids, "seed \(seed), \(recorded) events")
                for (key, count) in expected.counts {
                    let shown2 = try views.starCount(of: key)
                    #expect(shown2 == count)
                }
            }
            if random.nextIndex(4) == 0 {
                try store.close()
                store = try open(bufferBytes: 16 << 10)
            }
        }
        #expect(try store.verify().isConsistent)
        for position in stride(from: 0, through: events.count, by: 17) {
            let expected = Self.expected(Array(events[..<position]))
            let past = try store.replay(to: Position(UInt64(position))) { try $0.starred() }
            #expect(past == expected.ids, "seed \(seed), position \(position)")
        }
        try store.close()
    }

    @Test("I12: has the same digest in whatever batches, rebuilt or not", arguments: 1...3)
    func sameDigest(seed: UInt64) throws {
        let events = Self.events(seed: seed, count: 200)
        var digests: Set<UInt64> = []
        for size in [1, 7, 200] {
            let place = try TemporaryStore()
            let store = try place.open { $0.projections = [Stars()] }
            for first in stride(from: 0, to: events.count, by: size) {
                try store.record(Array(events[first..<min(first + size, events.count)]))
            }
            digests.insert(try #require(try store.digests()[Stars.id]))
            try store.rebuild([Stars.id])
            digests.insert(try #require(try store.digests()[Stars.id]))
            #expect(try store.verify().isConsistent)
            try store.close()
        }
        #expect(digests.count == 1)
    }

    @Test("is observed")
    func live() async throws {
        let store = try open()
        let shown = Follower(store.observe { try $0.starred() })
        #expect(try await shown.next() == [])
        try await store.record(starred("a", at: 1))
        #expect(try await shown.next() == ["a"])
        try await store.record(starred("b", at: 2))
        #expect(try await shown.next() == ["b", "a"])
        try await store.close()
    }

    @Test("rows that are not what the log says are found by verify, and mended by a rebuild of it alone")
    func verified() throws {
        var store = try open()
        try store.record([starred("a", at: 1), received("m", at: 2)])
        try store.close()
        // Another fold of the same version made other rows.
        store = try place.open { $0.projections = [OtherStars()] }
        try store.record(starred("b", at: 3))
        let report = try store.verify()
        #expect(report.isConsistent == false)
        #expect(Set(report.differences.map(\.projection)) == [Stars.id])
        #expect(report.differences.allSatisfy { $0.table.hasPrefix("com.example.stars/") })
        try store.rebuild([Stars.id])
        #expect(try store.verify().isConsistent)
        try store.close()
    }

    @Test("pages through its rows, by prefix and in both directions")
    func paging() throws {
        let store = try open()
        try store.record((1...9).map { starred(ServerMessageID("m\($0)"), at: Int64($0)) })
        try store.record(starred("other", at: 5, in: peer))
        try store.read { views in
            let first = try views.rows(of: Stars.messages, where: group, limit: 4)
            let second = try views.rows(of: Stars.messages, where: group, after: first.next, limit: 5)
            let rows = first.elements + second.elements
            #expect(rows.map(\.key.1) == (1...9).map { ServerMessageID("m\($0)") })
            #expect(rows.allSatisfy { $0.key.0 == group } && second.next == nil)
            let back = try views.rows(
                of: Stars.messages, where: group, order: .descending, after: first.next, limit: 100
            ).elements
            #expect(back.map(\.key.1) == (1...3).reversed().map { ServerMessageID("m\($0)") })
            #expect(try views.rows(of: Stars.messages, where: ConversationKey.group("none")).elements.isEmpty)
            let one = try views.rows(of: Stars.messages, where: group, ServerMessageID("m2")).elements
            #expect(one.map(\.key.1) == ["m2"])
            #expect(throws: StoreError.self) { try views.rows(of: Stars.messages, where: "m1") }
            #expect(throws: StoreError.self) { try views.rows(of: Stars.messages, where: group, "m1", "m1") }
            #expect(throws: StoreError.self) {
                let peers = try Stars.messages.cursor(after: (peer, "m1"))
                _ = try views.rows(of: Stars.messages, where: group, after: peers)
            }
            #expect(throws: StoreError.self) { try views.rows(of: Stars.messages, limit: 1001) }
        }
        try store.close()
    }

    @Test("reads what the projections that it declares have at the event, whatever the batches", arguments: [1, 3, 50])
    func readsOthers(size: Int) throws {
        let store = try place.open { $0.projections = [BusyLists()] }
        let events = (0..<50).map { received(ServerMessageID("m\($0)"), at: Int64($0 + 1), in: .group("g\($0 % 4)")) }
        for first in stride(from: 0, to: events.count, by: size) {
            try store.record(Array(events[first..<min(first + size, events.count)]))
        }
        let seen = try store.read { try $0.rows(of: BusyLists.table, limit: 1000).elements }.map(\.value.count)
        // After each message: as many conversations as had one, and as many unread as messages.
        let expected = (1...50).map { (count: Int) -> UInt64 in UInt64(min(count, 4) * 1000 + count) }
        #expect(seen == expected)
        // Rebuilt, it has what it reads and nothing else.
        try store.rebuild([BusyLists.table.projection])
        #expect(
            try store.read { try $0.rows(of: BusyLists.table, limit: 1000).elements }.map(\.value.count) == expected)
        #expect(try store.verify().isConsistent)
        try store.close()
    }
}

/// The same tables and version as ``Stars``, and other rows.
private struct OtherStars: Projection {
    var declaration: ProjectionDeclaration { Stars().declaration }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        try rows.put(StarCount(count: 77), in: Stars.counts, at: group)
    }
}

/// How many conversations and unread messages there were at each message.
private struct BusyLists: Projection {
    static let table = ProjectionTable<StarCount, Position>("com.example.busy", "seen", key: "position")

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            "com.example.busy", version: 1, handles: [.messageReceived],
            reads: [
                .conversationList, .unreadCounters, .messages, .timeline, .members, .profiles, .teams, .contacts,
                .syncState,
            ],
            tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        let (lists, unread) = try rows.read { views in
            (try views.conversations().elements.count, try views.unreadTotals().messages)
        }
        try rows.put(
            StarCount(count: UInt64(lists * 1000 + unread)), in: Self.table, at: event.position)
    }
}
