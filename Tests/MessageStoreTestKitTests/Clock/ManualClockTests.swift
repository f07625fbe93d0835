import MessageStoreTestKit
import Testing

@Suite("A clock that is advanced by hand", .timeLimit(.minutes(30)))
struct ManualClockTests {
    private let clock = ManualClock()

    private func sleeper(until offset: Duration) -> Task<Duration, any Error> {
        Task { [clock] in
            try await clock.sleep(until: ManualClock.Instant(offset: offset))
            return clock.now.offset
        }
    }

    @Test("a sleeper goes on when its deadline is reached, not before, and sees the clock there")
    func advancing() async throws {
        let (early, late) = (sleeper(until: .seconds(2)), sleeper(until: .seconds(3)))
        await clock.waitForSleeper(until: .seconds(2))
        await clock.waitForSleeper(until: .seconds(3))
        clock.advance(by: .seconds(1))
        await clock.waitForSleeper(until: .seconds(2))
        clock.advance(by: .seconds(1))
        #expect(try await early.value == .seconds(2))
        await clock.waitForSleeper(until: .seconds(3))
        clock.advance(by: .seconds(-5))
        #expect(clock.now.offset == .seconds(2))
        clock.advance(by: .seconds(5))
        #expect(try await late.value == .seconds(7))
    }

    @Test("a deadline that is reached already does not wait")
    func past() async throws {
        clock.advance(by: .seconds(1))
        #expect(try await sleeper(until: .seconds(1)).value == .seconds(1))
        #expect(try await sleeper(until: .zero).value == .seconds(1))
    }

    @Test("a sleep ends with an error when its task is cancelled, before or while it sleeps")
    func cancelling() async {
        let sleeping = sleeper(until: .seconds(1))
        await clock.waitForSleeper(until: .seconds(1))
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        let cancelled = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }

    @Test("waiting for a sleeper ends when the task is cancelled, before or while it waits")
    func cancelledWatcher() async {
        let waiting = Task { [clock] in await clock.waitForSleeper(until: .seconds(1)) }
        // So that it waits already, if it has a turn; nothing shows that it does.
        await Task.yield()
        waiting.cancel()
        await waiting.value
        let cancelled = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            await clock.waitForSleeper(until: .seconds(1))
        }
        await cancelled.value
    }
}
