internal import Foundation
internal import MessageStore
internal import MessageStoreObservation
internal import Synchronization

/// A sync at full rate under an app whose views show 100 live values, and what of it the main actor does.
struct LiveValues {
    var events = 1_000_000
    var packageSize = 200
    var rounds = 3
    var values = 100
    var directory: String

    /// What the rounds gave.
    private struct Results {
        var alone: [Double] = []
        var watched: [Double] = []
        var mainShares: [Double] = []
        var assignments: [Double] = []
    }

    func run() throws -> Section {
        let backlog = Backlog.fitted(events: events)
        var results = Results()
        for round in 0..<rounds {
            Progress.say("live: round \(round + 1) of \(rounds)")
            try Files.withDirectory(in: directory) { base in
                try sync(backlog, at: base + "/alone", isWatched: false, &results)
                try sync(backlog, at: base + "/watched", isWatched: true, &results)
            }
        }
        return section(results)
    }

    /// Syncs a tenth, so that the conversations exist, and measures the rest.
    private func sync(_ backlog: Backlog, at path: String, isWatched: Bool, _ results: inout Results) throws {
        let peer = try StorePeer(at: path, backlog)
        let first = events / 10
        _ = try SyncRun.measure(peer, backlog, limit: first, packageSize: packageSize)
        let store = peer.store
        let shown = try store.read { try $0.conversations(limit: values).elements.map(\.key) }
        let assigned = Mutex(0)
        // The other thread alone uses it until the sync has ended.
        nonisolated(unsafe) let work = peer
        try MainActor.assumeIsolated {
            let live =
                !isWatched
                ? []
                : shown.map { conversation in
                    LiveValue(store.observeTimeline(of: conversation, policy: .throttled(.milliseconds(250)))) { _ in
                        assigned.withLock { $0 += 1 }
                    }
                }
            let before = Self.processorTime()
            let (run, seconds) = try Self.whileMainRuns {
                try SyncRun.measure(work, backlog, from: first, packageSize: packageSize)
            }
            let main = Self.processorTime() - before
            if isWatched {
                results.watched.append(run.flushedRate)
                results.mainShares.append(main / seconds)
                results.assignments.append(Double(assigned.withLock { $0 }) / seconds)
            } else {
                results.alone.append(run.flushedRate)
            }
            withExtendedLifetime(live) {}
        }
        let expected = Recount.digest(of: backlog)
        if let found = try peer.digest(), found != expected {
            throw WrongViews(peer: "MessageStore", expected: expected, found: found)
        }
        try peer.close()
    }

    /// Runs work on another thread while this one, the main thread, runs the main actor's jobs.
    private static func whileMainRuns<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) throws -> (Result, seconds: Double) {
        let result = Mutex<Swift.Result<Result, any Error>?>(nil)
        // A run loop without a timer returns at once.
        let timer = Timer.scheduledTimer(withTimeInterval: 0.02, repeats: true) { _ in }
        defer { timer.invalidate() }
        let start = ContinuousClock.now
        Thread.detachNewThread {
            let found = Swift.Result(catching: work)
            result.withLock { $0 = found }
        }
        while true {
            if let found = result.withLock({ $0 }) {
                return (try found.get(), (ContinuousClock.now - start) / .seconds(1))
            }
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
        }
    }

    /// The processor time of this thread in seconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private func section(_ results: Results) -> Section {
        var section = Section(title: "Sync of \(events) events under \(values) live values")
        section.notes = [
            "\(rounds) rounds, each a sync alone and a sync under \(values) timelines of 20 messages with",
            "`.throttled(.milliseconds(250))`, each in a `LiveValue` on the main actor. The main thread runs its jobs and",
            "nothing else; the share is its processor time. The views at the end equal a recount.",
        ]
        let (alone, watched) = (Spread(results.alone), Spread(results.watched))
        let (share, assignments) = (Spread(results.mainShares), Spread(results.assignments))
        var table = Table(
            "Rate", ["sync", "median events/s", "kept", "share of the main thread", "values assigned a second"])
        table.rows = [
            [.text("alone"), .number(alone.median), .none, .none, .none],
            [
                .text("under live values"), .number(watched.median), .number(watched.median / alone.median),
                .number(share.median), .number(assignments.median),
            ],
        ]
        section.tables = [table]
        return section
    }
}
