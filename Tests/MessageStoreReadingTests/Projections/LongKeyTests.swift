import MessageStore
import MessageStoreModel
import Testing
@testable import MessageStoreTestSupport

/// A host's projection whose keys are ids: who starred which message.
private struct Starred: Projection {
    typealias Key = (ConversationKey, ServerMessageID, UserID)
    static let id: ProjectionID = "com.example.starred"
    static let table = ProjectionTable<StarCount, Key>(id, "starred", key: "conversation", "message", "user")

    struct Unwanted: Error {}

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: 1, handles: [.reactionAdded, .reactionRemoved], failurePolicy: .skip, tables: Self.table)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard let conversation = try event.conversation, let user = try event.actor,
            case .server(let message) = try event[ReactionAdded.message]
        else { return }
        let key = (conversation, message, user)
        if event.type == .reactionAdded {
            let count = try rows.row(of: Self.table, at: key)?.count ?? 0
            try rows.put(StarCount(count: count + 1), in: Self.table, at: key)
        } else {
            try rows.remove(from: Self.table, at: key)
        }
        // What the event changed is taken back.
        if try event[ReactionAdded.key] == "unwanted" { throw Unwanted() }
    }
}

@Suite("A host's table with long keys", .timeLimit(.minutes(30)))
struct LongKeyTests {
    private let place: TemporaryStore

    init() throws { place = try TemporaryStore() }

    private static func open(_ place: TemporaryStore) throws -> MessageStore {
        try place.open {
            $0.projections = [Starred()]
            $0.bufferBytes = 16 << 10
        }
    }

    private struct Row: Equatable {
        let (conversation, message, user): (ConversationKey, ServerMessageID, UserID)
        var count: UInt64

        /// By which rows are ordered.
        var order: [[UInt8]] {
            [
                [conversation.kind.rawValue], Array(conversation.id.utf8), Array(message.rawValue.utf8),
                Array(user.rawValue.utf8),
            ]
        }
    }

    /// Ids of all lengths, of which many have the same first bytes.
    private static func ids(_ letter: String) -> [String] {
        let long = String(repeating: letter, count: 250)
        return [letter, letter + "\0", long, long + "a", long + "a\0", long + "ab", long + "\u{7F}", long + "é"]
            + [String(repeating: "\0", count: 255), String(repeating: letter, count: 130)]
    }

    private static let (conversations, messages, users) = (ids("g"), ids("i"), ids("u"))

    private static func event(_ random: inout SplitMix64, _ index: Int) -> Event {
        func one(_ ids: [String]) -> String { ids[random.nextIndex(ids.count)] }
        let conversation = ConversationKey.group(random.chance(0.5) ? conversations[2] : one(conversations))
        let message = MessageReference.server(ServerMessageID(one(messages)))
        let (user, time) = (UserID(one(users)), ms(Int64(index)))
        let key = random.chance(0.1) ? "unwanted" : "⭐"
        return random.chance(0.7)
            ? Event(ReactionAdded(message, key: key, by: user, at: time), in: conversation)
            : Event(ReactionRemoved(message, key: key, by: user, at: time), in: conversation)
    }

    private static func rows(_ events: some Sequence<Event>) -> [Row] {
        var rows: [Row] = []
        for event in events {
            guard let conversation = event.conversation else { continue }
            switch event.payload {
            case let added as ReactionAdded where added.key != "unwanted":
                guard case .server(let id) = added.message else { continue }
                let row = Row(conversation: conversation, message: id, user: added.user, count: 1)
                if let index = rows.firstIndex(where: { $0.order == row.order }) {
                    rows[index].count += 1
                } else {
                    rows.append(row)
                }
            case let removed as ReactionRemoved where removed.key != "unwanted":
                guard case .server(let id) = removed.message else { continue }
                let row = Row(conversation: conversation, message: id, user: removed.user, count: 0)
                rows.removeAll { $0.order == row.order }
            default: continue
            }
        }
        return rows.sorted { $0.order.lexicographicallyPrecedes($1.order) { $0.lexicographicallyPrecedes($1) } }
    }

    private func pages<each Prefix: FieldValue>(
        _ store: MessageStore, of size: Int, _ order: ReadOrder, _ prefix: repeat each Prefix
    ) throws -> [Row] {
        try store.read { views in
            var (rows, cursor): ([Row], PageCursor?) = ([], nil)
            repeat {
                let page = try views.rows(
                    of: Starred.table, where: repeat each prefix, order: order, after: cursor, limit: size)
                rows += page.elements.map {
                    Row(conversation: $0.key.0, message: $0.key.1, user: $0.key.2, count: $0.value.count)
                }
                cursor = page.next
            } while cursor != nil
            return rows
        }
    }

    @Test("has all rows in the order of their keys, by pages, parts and single keys", arguments: Seeds.first(3))
    func equalsModel(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let count = TestSize.of(plain: 180, full: 600)
        let events = (0..<count).map { Self.event(&random, $0) }
        var store = try Self.open(place)
        for first in stride(from: 0, to: events.count, by: 60) {
            try store.record(Array(events[first..<first + 60]))
            let expected = Self.rows(events[..<(first + 60)])
            for size in [1, 7, 1000] {
                #expect(try pages(store, of: size, .ascending) == expected, "seed \(seed)")
                #expect(try pages(store, of: size, .descending) == expected.reversed(), "seed \(seed)")
            }
            let near = expected[random.nextIndex(expected.count)]
            let ofConversation = expected.filter { $0.conversation == near.conversation }
            let ofMessage = ofConversation.filter { $0.message == near.message }
            for size in [2, 1000] {
                #expect(try pages(store, of: size, .ascending, near.conversation) == ofConversation)
                #expect(try pages(store, of: size, .descending, near.conversation) == ofConversation.reversed())
                #expect(try pages(store, of: size, .ascending, near.conversation, near.message) == ofMessage)
                #expect(
                    try pages(store, of: size, .descending, near.conversation, near.message) == ofMessage.reversed())
            }
            try store.read { views in
                for row in expected {
                    let count = try views.row(of: Starred.table, at: (row.conversation, row.message, row.user))?.count
                    #expect(count == row.count)
                }
            }
            guard random.chance(0.3) else { continue }
            try store.close()
            store = try Self.open(place)
        }
        #expect(try store.verify().isConsistent)
        let half = try store.replay(to: Position(UInt64(count / 2))) { views in
            try views.rows(of: Starred.table, limit: 1000).elements.count
        }
        #expect(half == Self.rows(events[..<(count / 2)]).count)
        try store.close()
    }

    @Test("I3: has the same digest in whatever batches, rebuilt or not")
    func sameDigest() throws {
        var random = SplitMix64(seed: 1)
        let events = (0..<200).map { Self.event(&random, $0) }
        var digests: Set<UInt64> = []
        for size in [1, 9, 200] {
            let place = try TemporaryStore()
            let store = try Self.open(place)
            for first in stride(from: 0, to: events.count, by: size) {
                try store.record(Array(events[first..<min(first + size, events.count)]))
            }
            digests.insert(try #require(try store.digests()[Starred.id]))
            try store.rebuild([Starred.id])
            digests.insert(try #require(try store.digests()[Starred.id]))
            try store.close()
        }
        #expect(digests.count == 1)
    }
}
