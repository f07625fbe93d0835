import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Changes of live lists", .timeLimit(.minutes(30)))
struct ListUpdateTests {
    private struct Row: Identifiable, Hashable {
        let id: Int
        var content = 0
    }

    /// Applies changes one by one, as the documentation of `ListChanges` says; updates do not bring rows.
    private func applied(_ update: ListUpdate<Row>, to old: [Row]) -> [Row] {
        let changes = update.changes
        var rows = old
        for index in (changes.deleted + changes.moved.map(\.source)).sorted(by: >) { rows.remove(at: index) }
        var arrivals = Dictionary(uniqueKeysWithValues: changes.moved.map { ($0.destination, old[$0.source]) })
        for index in changes.inserted { arrivals[index] = update.rows[index] }
        for (index, row) in arrivals.sorted(by: { $0.key < $1.key }) { rows.insert(row, at: index) }
        for index in changes.updated { rows[index].content = update.rows[index].content }
        return rows
    }

    @Test("the changes lead from the old rows to the new, and are as few as they can be", arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var rows: [Row] = []
        for _ in 0..<100 {
            var new = rows
            for _ in 0..<random.nextIndex(6) {
                switch random.nextIndex(4) {
                case 0: new.insert(Row(id: Int(random.next() >> 1)), at: random.nextIndex(new.count + 1))
                case 1 where !new.isEmpty: new.remove(at: random.nextIndex(new.count))
                case 2 where !new.isEmpty:
                    new.insert(new.remove(at: random.nextIndex(new.count)), at: random.nextIndex(new.count))
                case _ where !new.isEmpty: new[random.nextIndex(new.count)].content += 1
                default: break
                }
            }
            let update = ListUpdate(from: rows, to: new)
            let changes = update.changes
            #expect(applied(update, to: rows) == new)
            #expect(changes.isEmpty == (rows == new))
            #expect(Set(changes.deleted.map { rows[$0].id }) == Set(rows.map(\.id)).subtracting(new.map(\.id)))
            #expect(Set(changes.inserted.map { new[$0].id }) == Set(new.map(\.id)).subtracting(rows.map(\.id)))
            #expect(changes.moved.allSatisfy { rows[$0.source].id == new[$0.destination].id })
            #expect(changes.deleted == changes.deleted.sorted(by: >))
            #expect(changes.inserted == changes.inserted.sorted())
            rows = new
        }
    }

    @Test("old and new indices: rows that go, come, move and change at once")
    func indices() {
        let old = [1, 2, 3, 4, 5].map { Row(id: $0) }
        let new = [Row(id: 5, content: 1), Row(id: 1), Row(id: 6), Row(id: 3, content: 1)]
        let changes = ListUpdate(from: old, to: new).changes
        #expect(changes.deleted == [3, 1])
        #expect(changes.inserted == [2])
        #expect(changes.moved.map(\.source) == [4] && changes.moved.map(\.destination) == [0])
        #expect(changes.updated == [0, 3])
    }

    @Test("the conversation list tells rows that come, move to the top and change")
    func conversations() async throws {
        try await withObservedStore { store in
            try await store.record(received("a", at: 1, in: .group("a")))
            try await store.record(received("b", at: 2, in: .group("b")))
            let list = Follower(store.observeConversations().updates(of: \.elements))
            var update = try #require(try await list.next())
            #expect(update.rows.map(\.key.id) == ["b", "a"])
            #expect(update.changes.inserted == [0, 1])
            try await store.record(received("a2", at: 3, in: .group("a")))
            update = try #require(try await list.next())
            #expect(update.rows.map(\.key.id) == ["a", "b"])
            #expect(update.changes.moved.count == 1 && update.changes.updated == [0])
            #expect(update.changes.inserted.isEmpty && update.changes.deleted.isEmpty)
            try await store.record(conversationDeleted(in: .group("b")))
            update = try #require(try await list.next())
            #expect(update.changes.deleted == [1] && update.changes.updated.isEmpty)
        }
    }

    @Test("d2: a timeline window tells that a message is sent, moves with its acknowledgement, and that one slides out")
    func timeline() async throws {
        try await withObservedStore { store in
            let window = Follower(store.observeTimeline(of: group, limit: 2).updates(of: \.elements))
            var update = try #require(try await window.next())
            #expect(update.rows.isEmpty && update.changes.isEmpty)
            let mine = try store.local(queued("mine"))
            update = try #require(try await window.next())
            #expect(update.changes.inserted == [0])
            try await store.record(received("a", at: 5))
            update = try #require(try await window.next())
            #expect(update.changes.inserted == [0] && update.rows.map(\.isOutgoing) == [false, true])
            try await store.record(sent(mine, "m", at: 4))
            update = try #require(try await window.next())
            #expect(update.rows.map(\.isOutgoing) == [true, false])
            #expect(update.changes.moved.count == 1 && update.changes.updated == [0])
            try await store.record(received("b", at: 6))
            update = try #require(try await window.next())
            #expect(update.changes.deleted == [0] && update.changes.inserted == [1])
        }
    }

    @Test("D10: a read marker that moves changes the rows that it passes, and no others")
    func readMarker() async throws {
        try await withObservedStore { store in
            let key = group
            try await store.record([
                received("a", at: 1), received("b", at: 2), received("mine", at: 3, from: "me"), received("c", at: 4),
                received("d", at: 5), .read(upTo: order(1, "a"), in: key),
            ])
            let window = Follower(store.observeTimeline(of: key).updates(of: \.elements))
            var update = try #require(try await window.next())
            #expect(update.rows.map(\.isRead) == [true, false, nil, false, false])
            try await store.record(.read(upTo: order(4, "c"), in: key, origin: .otherDevice))
            update = try #require(try await window.next())
            #expect(update.rows.map(\.isRead) == [true, true, nil, true, false])
            #expect(update.changes.updated == [1, 3])
            #expect(update.changes.inserted.isEmpty && update.changes.deleted.isEmpty && update.changes.moved.isEmpty)
        }
    }

    private func withObservedStore(_ body: (MessageStore) async throws -> Void) async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await body(store)
        try await store.close()
    }
}
