import Dispatch
import MessageStoreLMDB
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("Work in the background", .timeLimit(.minutes(30)))
struct WorkerTests {
    /// A clock that counts what is slept, and wakes nobody.
    private struct CountingClock: Clock {
        let sleeps = Watched(0)
        private let clock = ManualClock()

        var now: ManualClock.Instant { clock.now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
            sleeps.change { $0 += 1 }
            try await clock.sleep(until: deadline)
        }
    }

    @Test("many looks that each name another moment have one timer")
    func oneTimer() async throws {
        let (place, clock) = (try TemporaryStore(), CountingClock())
        let store = try place.open { $0.clock = clock }
        let (worker, looks) = (Worker("test", failure: "a look failed"), Locked(0))
        for number in 1...50 {
            worker.lookNow(store) { store in
                looks.withLock { $0 += 1 }
                return store.scheduler.now + .seconds(3600) + .microseconds(number)
            }
        }
        #expect(looks.withLock { $0 } == 50)
        await clock.sleeps.wait { $0 > 0 }
        // Others, if any, would begin to sleep.
        await MessageStore.letOthersRun()
        #expect(clock.sleeps.value == 1)
        worker.finish()
        try await store.close()
    }

    @Test("a failure is logged once until a look did something, and the next look comes after a pause")
    func failures() async throws {
        let (place, clock, lines) = (try TemporaryStore(), ManualClock(), LoggedLines())
        let store = try place.open {
            $0.clock = clock
            $0.logger = lines.logger
        }
        let (calls, failing) = (Watched(0), Locked(true))
        let worker = Worker("test", failure: "a look failed", retry: .seconds(10))
        let look: Worker.Look = { _ in
            calls.change { $0 += 1 }
            if failing.withLock({ $0 }) { throw StoreError(.diskFull, "no room") }
            return nil
        }
        worker.lookNow(store, look)
        for _ in 0..<5 { worker.wake(store, look) }
        worker.queue.sync {}
        #expect(calls.value == 1)
        await clock.waitForSleeper(until: .seconds(10))
        clock.advance(by: .seconds(10))
        await calls.wait { $0 == 2 }
        worker.lookNow(store) { _ in
            worker.skip()
            return nil
        }
        worker.lookNow(store, look)
        #expect(lines.all.map(\.message) == ["a look failed"])
        failing.withLock { $0 = false }
        worker.lookNow(store, look)
        failing.withLock { $0 = true }
        worker.lookNow(store, look)
        #expect(lines.all.map(\.message) == ["a look failed", "a look failed"])
        worker.finish()
        worker.wake(store, look)
        worker.queue.sync {}
        #expect(calls.value == 5)
        try await store.close()
    }

    @Test("files of an inbox that have to wait are logged once, however often the store looks at them")
    func polledFailures() async throws {
        let (place, clock, lines) = (try TemporaryStore(), ManualClock(), LoggedLines())
        let store = try place.open {
            $0.clock = clock
            $0.logger = lines.logger
        }
        let looks = Watched(0)
        let watch = PolledWatch(Worker("test", failure: "a look failed"))
        watch.begin([], of: store) { _, _ in
            looks.change { $0 += 1 }
            throw StoreError(.diskFull, "no room")
        }
        for number in 1...4 {
            await looks.wait { $0 == number }
            let next = clock.now.offset + store.configuration.pollingDelay
            await clock.waitForSleeper(until: next)
            clock.advance(by: store.configuration.pollingDelay)
        }
        await looks.wait { $0 == 5 }
        watch.finish()
        #expect(lines.all.map(\.message) == ["a look failed"])
        try await store.close()
    }
}
