internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// What a debugger costs: jumps, steps, comparisons and passes over a log's past, beside one fold of the same events.
struct ReplaySessions {
    /// A store to read; nil for one that is made of `events`.
    var store: String?
    var events = 1_000_000
    /// Jumps and steps, at positions that do not depend on the machine.
    var repetitions = 200
    var directory: String

    func run() throws -> Section {
        if let store {
            let opened = try MessageStore.openReadOnly(store)
            defer { try? opened.close() }
            return try measure(opened)
        }
        return try Files.withDirectory(in: directory) { base in
            let backlog = Backlog.fitted(events: events)
            let peer = try StorePeer(at: base + "/store", backlog)
            Progress.say("replay-session: a store of \(events) events")
            _ = try SyncRun.measure(peer, backlog, packageSize: 200, chunk: 250_000)
            let section = try measure(peer.store)
            try peer.close()
            return section
        }
    }

    private func measure(_ store: MessageStore) throws -> Section {
        let last = try store.lastPosition()
        let count = Double(last.rawValue)
        var random = SplitMix64(seed: 1)
        let positions = (0..<repetitions).map { _ in Position(UInt64(random.nextIndex(Int(last.rawValue))) + 1) }
        Progress.say("replay-session: one fold, and a session's way through the log")
        let fold = try Stopwatch.seconds { try store.replay(to: last) { _ in } }
        let memory = MemorySampler()
        let session = try store.replaySession()
        let pass = try Stopwatch.seconds { try session.read(at: last) { _ in } }
        Progress.say("replay-session: jumps and steps")
        let jumps = try positions.map { position in
            try Stopwatch.seconds { try session.read(at: position) { _ = try $0.unreadTotals() } }
        }
        var (back, forward, differences) = ([Double](), [Double](), [Double]())
        for position in positions {
            let before = Position(position.rawValue - 1)
            try session.read(at: position) { _ in }
            back.append(try Stopwatch.seconds { try session.read(at: before) { _ = try $0.unreadTotals() } })
            forward.append(try Stopwatch.seconds { try session.read(at: position) { _ = try $0.unreadTotals() } })
            try session.read(at: before) { _ in }
            differences.append(try Stopwatch.seconds { _ = try session.changes(from: before, to: position) })
        }
        Progress.say("replay-session: a comparison of two moments, and passes over all stops")
        let middle = Position(last.rawValue / 2)
        let diff = try Stopwatch.seconds { _ = try session.changes(from: middle, to: last, limit: 100) }
        let growth = memory.stop()
        let commits = try watch(store, at: .commits, upTo: last)
        let each = try watch(store, at: .events, upTo: last)

        var section = Section(title: "A session over the past of \(last) events")
        section.notes = [
            "One fold of the log took \(Markdown.number(fold)) s. Peak growth of the process's own memory by the session: "
                + "\(growth.map { Markdown.number(Double($0) / 1e6) } ?? "unknown") MB."
        ]
        var ways = Table("Passes over the whole log", ["pass", "seconds", "events/s", "against the fold"])
        for (name, seconds) in [
            ("a session's first way", pass), ("a comparison of the middle with the end", diff),
            ("the badge after each commit", commits), ("the badge after each event", each),
        ] {
            ways.rows.append([.text(name), .number(seconds), .number(count / seconds), .number(fold / seconds)])
        }
        var steps = Table("Milliseconds, \(repetitions) of each", ["what", "median", "p99", "max"])
        for (name, seconds) in [
            ("a jump to any position", jumps), ("a step back", back), ("a step forward", forward),
            ("what one event changed", differences),
        ] {
            let spread = Spread(seconds.map { $0 * 1000 })
            steps.rows.append([
                .text(name), .number(spread.median), .number(spread.percentile(99)), .number(spread.max),
            ])
        }
        section.tables = [ways, steps]
        return section
    }

    /// Reads the badge at each stop, as `watch` does.
    private func watch(_ store: MessageStore, at stops: ReplaySession.Stops, upTo last: Position) throws -> Double {
        let session = try store.replaySession()
        var badge = 0
        return try Stopwatch.seconds {
            try session.forEachStop(at: stops, through: last) { views in
                badge = try views.unreadTotals().badge
                return true
            }
            guard badge >= 0 else { throw Failure("a badge below zero") }
        }
    }
}
