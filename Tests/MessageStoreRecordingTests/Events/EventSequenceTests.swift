import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("All events, page by page", .timeLimit(.minutes(30)))
struct EventSequenceTests {
    private let store: MessageStore
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
    }

    /// Positions 1 to `count`; every third is in the other conversation.
    private func fill(_ count: Int) throws {
        try store.record(
            (1...count).map { received("m\($0)", at: Int64($0), in: $0.isMultiple(of: 3) ? peer : group) })
    }

    private func positions(_ events: EventSequence) async throws -> [UInt64] {
        var positions: [UInt64] = []
        for try await event in events { positions.append(event.position.rawValue) }
        return positions
    }

    @Test(
        "those between two positions, in either direction, whatever the pages",
        arguments: [(1, nil), (1, 256), (1, 257), (0, 512), (300, 900), (700, 700), (701, nil), (9, 8)]
            as [(UInt64, UInt64?)])
    func ranges(first: UInt64, last: UInt64?) async throws {
        try fill(700)
        let wanted = (1...700).filter { $0 >= first && $0 <= last ?? 700 }
        let (first, last) = (Position(first), last.map { Position($0) })
        #expect(try await positions(store.allEvents(from: first, to: last)) == wanted)
        let backwards = try await positions(store.allEvents(from: first, to: last, order: .descending))
        #expect(backwards == wanted.reversed())
        let filtered = try await positions(store.allEvents(from: first, to: last, where: .init(conversation: peer)))
        #expect(filtered == wanted.filter { $0.isMultiple(of: 3) })
    }

    @Test("the store may be used meanwhile; what is recorded meanwhile is not among them")
    func recording() async throws {
        try fill(300)
        var count = 0
        for try await event in store.allEvents() {
            count += 1
            guard event.position.rawValue.isMultiple(of: 100) else { continue }
            try await store.record(.pinned(in: group))
        }
        #expect(count == 300)
        #expect(try store.lastPosition() == Position(303))
    }

    @Test("a log without events ends at once, and a closed store is an error")
    func edges() async throws {
        #expect(try await positions(store.allEvents()) == [])
        try await store.close()
        await expectAsyncError(.closed) { _ = try await positions(store.allEvents()) }
    }

    @Test("cancelled between two pages, it says so and does not pass for the end")
    func cancellation() async throws {
        try fill(300)
        let task = Task { [store] in
            var count = 0
            do {
                for try await _ in store.allEvents() {
                    count += 1
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            } catch is CancellationError {
                return (count, true)
            }
            return (count, false)
        }
        #expect(try await task.value == (256, true))
    }

    @Test("the body of forEachEvent may not use the store")
    func nestedAccess() throws {
        try fill(1)
        expectError(.nestedAccess) {
            try store.forEachEvent { _ in try store.lastPosition() > .origin }
        }
    }
}
