import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("Measurements for the host's metrics", .timeLimit(.minutes(30)))
struct MeasurementTests {
    @Test("commits, the queue, flushes and live queries are measured by the clock of the configuration")
    func measured() async throws {
        let place = try TemporaryStore()
        let found = Locked<[StoreMeasurement]>([])
        let store = try place.open {
            $0.clock = ManualClock()
            $0.metrics = { measurement in found.withLock { $0.append(measurement) } }
        }
        func taken() -> [StoreMeasurement] {
            found.withLock { found in
                defer { found = [] }
                return found
            }
        }
        try await store.record(received("a", at: 1))
        #expect(taken() == [.queue(1), .commit(.zero)])
        try await store.record(received("b", at: 2), acknowledgement: .visible)
        #expect(taken() == [.queue(1)])
        try await store.waitUntilDurable()
        #expect(taken() == [.commit(.zero)])
        try await store.flush()
        #expect(taken() == [.flush(.zero)])
        let counts = Follower(store.observe { try $0.unread(of: group).messages })
        #expect(try await counts.next() == 2)
        #expect(taken() == [.refresh(.zero)])
        try await store.close()
    }

    @Test("the calls that wait are counted, each until it is done")
    func queue() async throws {
        let place = try TemporaryStore()
        let counts = Locked<[Int]>([])
        let store = try place.open {
            $0.metrics = { measurement in
                if case .queue(let calls) = measurement { counts.withLock { $0.append(calls) } }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { try store.record([received(ServerMessageID("m\(number)"), at: Int64(number))]) }
            }
            try await group.waitForAll()
        }
        try await store.record(received("last", at: 9))
        let found = counts.withLock { $0 }
        #expect(found.count == 9 && found.allSatisfy { (1...8).contains($0) } && found.last == 1)
        try await store.close()
    }
}
