import Dispatch
import MessageStoreLMDB
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("When a live query is woken", .timeLimit(.minutes(30)))
struct WakeUpTests {
    private struct Refused: Error {}

    @Test("a wake-up for what a live query has seen already does not run it again, and one for a rewrite does")
    func seenAlready() async throws {
        let place = try TemporaryStore()
        // Where a provider is asked, each look at the views tells what is shown.
        let store = try place.open { $0.hooks.profileProvider = FakeProfileProvider() }
        let (runs, looks) = (Counter(), Counter())
        let gates = [TestGate(), TestGate(), TestGate()]
        let counts = Follower(
            store.observe(
                policy: .perPackage,
                showing: { (_: Int) in
                    gates[min(looks.value, 2)].open()
                    looks.increment()
                    return ShownInfo()
                }
            ) { views throws -> Int in
                runs.increment()
                return try views.unreadTotals().messages
            })
        #expect(try await counts.next() == 0)
        await gates[0].wait()
        #expect(runs.value == 1)
        // Events are visible a moment before they wake anybody: this wake-up is of what was read.
        store.signal.note(.recorded)
        await gates[1].wait()
        #expect(runs.value == 1)
        store.signal.note(.rewritten)
        await gates[2].wait()
        #expect(runs.value == 2)
        try await store.record(received("a", at: 1))
        #expect(try await counts.next() == 1)
        try await store.close()
    }

    @Test("a live query that saw events which could not be made durable runs again when they are taken back")
    func takenBack() async throws {
        let place = try TemporaryStore()
        let fault = Locked<(@Sendable () throws -> Void)?>(nil)
        let store = try place.open { $0.commitFault = { try fault.withLock { $0 }?() } }
        let counts = Follower(store.observe { try $0.unreadTotals().messages })
        #expect(try await counts.next() == 0)
        let isSeen = DispatchSemaphore(value: 0)
        let refuse: @Sendable () throws -> Void = {
            fault.withLock { $0 = nil }
            // As an event of another thread would, that is recorded meanwhile.
            store.signal.note(.recorded)
            _ = isSeen.wait(timeout: .now() + 600)
            throw Refused()
        }
        fault.withLock { $0 = refuse }
        let recording = Task.detached { try await store.record(received("a", at: 1)) }
        #expect(try await counts.next() == 1)
        isSeen.signal()
        await #expect(throws: (any Error).self) { try await recording.value }
        #expect(try await counts.next() == 0)
        try await store.record(received("b", at: 2))
        #expect(try await counts.next() == 1)
        try await store.close()
    }
}
