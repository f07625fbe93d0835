import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("D15–D18: when a live query is run again")
struct RefreshScheduleTests {
    /// Counts the refreshes that packages, spread evenly over `time`, and the completion of their sync cause. The timer
    /// fires when the window's end is reached.
    private func refreshes(
        _ policy: RefreshPolicy, packages: Int, over time: Duration
    ) -> (messages: Int, completion: Int) {
        var schedule = RefreshSchedule(policy)
        var count = 0
        func fireTimer(before now: Duration) {
            guard let deadline = schedule.deadline, deadline <= now else { return }
            if schedule.timerFired(at: deadline) { count += 1 }
        }
        for package in 0..<packages {
            let now = time / packages * package
            fireTimer(before: now)
            if schedule.committed(at: now, isSyncing: true, hasCompleted: false) { count += 1 }
        }
        fireTimer(before: time)
        let messages = count
        if schedule.committed(at: time, isSyncing: false, hasCompleted: true) { count += 1 }
        fireTimer(before: time * 10)
        return (messages, count - messages)
    }

    @Test("D18: 200 messages in 0.1 s give 1, 1 and 2 refreshes")
    func smallSync() {
        let time = Duration.milliseconds(100)
        #expect(refreshes(.perPackage, packages: 1, over: time).messages == 1)
        #expect(refreshes(.onCompletion, packages: 1, over: time) == (0, 1))
        #expect(refreshes(.throttled(.milliseconds(100)), packages: 1, over: time) == (1, 1))
    }

    @Test("D18: 10,000 messages in 1 s give 50, 1 and 3 refreshes")
    func largeSync() {
        let time = Duration.seconds(1)
        #expect(refreshes(.perPackage, packages: 50, over: time).messages == 50)
        #expect(refreshes(.onCompletion, packages: 50, over: time) == (0, 1))
        #expect(refreshes(.throttled(.milliseconds(500)), packages: 50, over: time) == (2, 1))
    }

    private enum Step {
        case commit(at: Int, isSyncing: Bool = false, hasCompleted: Bool = false)
        case timer(at: Int)
    }

    /// What a schedule decides at each step (times are seconds), and the end of the window that it is left with.
    private func decisions(_ policy: RefreshPolicy, _ steps: Step...) -> (refreshes: [Bool], deadline: Duration?) {
        var schedule = RefreshSchedule(policy)
        let refreshes = steps.map { step in
            switch step {
            case .commit(let time, let isSyncing, let hasCompleted):
                schedule.committed(at: .seconds(time), isSyncing: isSyncing, hasCompleted: hasCompleted)
            case .timer(let time): schedule.timerFired(at: .seconds(time))
            }
        }
        return (refreshes, schedule.deadline)
    }

    @Test("D16: without a sync each commit is a refresh; a completion is one even where the next sync has begun")
    func onCompletion() {
        let decided = decisions(
            .onCompletion, .commit(at: 0), .commit(at: 0, isSyncing: true),
            .commit(at: 0, isSyncing: true, hasCompleted: true), .commit(at: 1))
        #expect(decided == ([true, false, true, true], nil))
    }

    @Test("D17: a window is fixed: later changes do not move its end, and the next change starts another")
    func fixedWindow() {
        let open = decisions(.throttled(.seconds(5)), .commit(at: 1), .commit(at: 4), .timer(at: 5))
        #expect(open == ([false, false, false], .seconds(6)))
        let closed = decisions(.throttled(.seconds(5)), .commit(at: 1), .commit(at: 4), .timer(at: 6), .timer(at: 6))
        #expect(closed == ([false, false, true, false], nil))
        let next = decisions(.throttled(.seconds(5)), .commit(at: 1), .timer(at: 6), .commit(at: 9))
        #expect(next == ([false, true, false], .seconds(14)))
    }

    @Test("D16, D17: commits within a window or a sync need not be looked at, others do")
    func heldBack() {
        var window = RefreshSchedule(.throttled(.seconds(5)))
        #expect(!window.awaitsCompletion)
        _ = window.committed(at: .seconds(1), isSyncing: true, hasCompleted: false)
        #expect(window.awaitsCompletion)
        _ = window.timerFired(at: .seconds(6))
        window.refreshed()
        #expect(!window.awaitsCompletion)
        _ = window.committed(at: .seconds(7), isSyncing: true, hasCompleted: false)
        _ = window.committed(at: .seconds(8), isSyncing: false, hasCompleted: true)
        #expect(!window.awaitsCompletion)
        var sync = RefreshSchedule(.onCompletion)
        _ = sync.committed(at: .zero, isSyncing: true, hasCompleted: false)
        #expect(sync.awaitsCompletion)
        // As at the end of a mute: a completion that came meanwhile is seen with it.
        sync.refreshed()
        #expect(!sync.awaitsCompletion)
        _ = sync.committed(at: .zero, isSyncing: true, hasCompleted: true)
        #expect(!sync.awaitsCompletion)
        var each = RefreshSchedule(.perPackage)
        _ = each.committed(at: .zero, isSyncing: true, hasCompleted: false)
        #expect(!each.awaitsCompletion)
    }

    @Test("D17: a completion at a window's end that comes before the timer takes its place")
    func completionAtWindowEnd() {
        let decided = decisions(
            .throttled(.seconds(1)), .commit(at: 0, isSyncing: true), .commit(at: 1, hasCompleted: true), .timer(at: 1))
        #expect(decided == ([false, true, false], nil))
    }
}
