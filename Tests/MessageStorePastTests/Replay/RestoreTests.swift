import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Restoring recorded events", .timeLimit(.minutes(30)))
struct RestoreTests {
    /// Random events with redactions, commits of several events and a clock that moves.
    private static func fill(_ store: MessageStore, _ clock: ManualTime, seed: UInt64) throws {
        var events = RandomEvents(seed: seed)
        var messages: [Position] = []
        for step in 0..<120 {
            let batch = events.nextBatch(after: try store.lastPosition())
            let positions = try store.record(batch).positions
            for (event, position) in zip(batch, positions) where event.type == .messageReceived {
                messages.append(try #require(position))
            }
            if step % 40 == 39, let message = messages.dropLast(step % 7).last { try store.redact(message) }
            clock.move(byMilliseconds: 1000)
        }
    }

    private static func json(_ store: MessageStore) throws -> [Data] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try store.events(limit: .max).map { try encoder.encode($0) }
    }

    @Test("I3: a sequence of recorded events is restored like those that are asked for one by one")
    func sequences() async throws {
        let (first, second, third) = (try TemporaryStore(), try TemporaryStore(), try TemporaryStore())
        let store = try first.open()
        try await store.record((0..<10).map { received("m\($0)", at: 1) })
        let events = try await store.events()
        let (one, other) = (try second.open(), try third.open())
        try { try one.appendRecorded(events) }()
        try await other.appendRecorded(events)
        #expect(try one.digests() == store.digests())
        #expect(try other.digests() == store.digests())
        for store in [store, one, other] { try await store.close() }
    }

    @Test(
        "I3, I9: a log that went through JSON is restored event for event, with equal digests",
        arguments: Seeds.first(3))
    func throughJSON(seed: UInt64) throws {
        let (first, second) = (try TemporaryStore(), try TemporaryStore())
        let store = try first.open(account: RandomEvents.account)
        try Self.fill(store, first.time, seed: seed)
        let lines = try Self.json(store)
        let restored = try second.open(account: RandomEvents.account)
        var next = lines.makeIterator()
        try restored.appendRecorded { try next.next().map { try JSONDecoder().decode(RecordedEvent.self, from: $0) } }
        #expect(try Self.json(restored) == lines)
        #expect(try restored.digests() == store.digests())
        #expect(try restored.verify().isConsistent)
        try store.close()
        // Not the views alone: what comes again is recognised, and the answers are those of the first store.
        // Both have recorded nothing since they were opened, so that both note the end of a session.
        let reopened = try first.open(account: RandomEvents.account)
        for event in try reopened.events(limit: .max).map(\.event) where event.type == .messageReceived {
            #expect(try restored.record(event) == reopened.record(event))
        }
        #expect(try restored.digests() == reopened.digests())
        try reopened.close()
        try restored.close()
    }

    @Test("a store that holds events, an event out of place and a broken rule are refused")
    func refused() throws {
        let (first, second) = (try TemporaryStore(), try TemporaryStore())
        let store = try first.open()
        first.time.set(ms(5_000_000))
        try store.record([received("a", at: 1), received("b", at: 2)])
        try store.record(received("c", at: 3))
        let events = try store.events(limit: .max)

        func error(restoring events: [RecordedEvent]) throws -> StoreError? {
            let place = try TemporaryStore()
            let other = try place.open()
            defer { try? other.close() }
            var next = events.makeIterator()
            do { try other.appendRecorded { next.next() } } catch let error as StoreError { return error }
            return nil
        }
        #expect(try error(restoring: events) == nil)
        #expect(try error(restoring: Array(events.dropFirst()))?.code == .invalidArgument, "begins at 2")
        #expect(try error(restoring: [events[0], events[2]])?.position == events[2].position, "2 is missing")
        #expect(try error(restoring: events.reversed())?.code == .invalidArgument)
        var next = events.makeIterator()
        #expect(throws: StoreError.self) { try store.appendRecorded { next.next() } }
        #expect(try store.lastPosition() == Position(3))

        struct Interrupted: Error {}
        let other = try second.open()
        #expect(throws: Interrupted.self) { try other.appendRecorded { throw Interrupted() } }
        #expect(try other.lastPosition() == .origin)
        try store.close()
        try other.close()
    }

    @Test(
        "I11: what contradicts itself is refused: words left out, flags that are not the fields', redaction with words")
    func contradictions() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try store.record(received("a", at: 1, text: "你好"))
        let encoder = JSONEncoder()
        let whole = try encoder.encode(store.events()[0])
        try store.close()
        func restoring(_ change: (inout [String: Any]) -> Void) throws -> StoreError.Code? {
            var object = try #require(JSONSerialization.jsonObject(with: whole) as? [String: Any])
            change(&object)
            let event = try JSONDecoder().decode(
                RecordedEvent.self, from: JSONSerialization.data(withJSONObject: object))
            let place = try TemporaryStore()
            let other = try place.open()
            defer { try? other.close() }
            var next = [event].makeIterator()
            do { try other.appendRecorded { next.next() } } catch let error as StoreError { return error.code }
            return nil
        }
        #expect(try restoring { _ in } == nil)
        #expect(
            try restoring {
                var payload = $0["payload"] as? [String: Any]
                payload?["text"] = nil
                $0["payload"] = payload
            } == .invalidArgument)
        // Flags of Docs/Format.md: 1 a server time, 2 redacted, 4 counts as unread.
        for flag in [1, 2, 4] {
            #expect(
                try restoring { $0["flags"] = ($0["flags"] as? Int ?? 0) ^ flag } == .invalidArgument, "flag \(flag)")
        }
    }
}
