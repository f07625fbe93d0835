internal import Foundation
@_spi(Storage) internal import MessageStore
internal import MessageStoreWorkload

/// One store that grows from tier to tier; the backlog is made in pieces outside the measured time.
struct Scale {
    /// The events at which the store is looked at, ascending.
    var tiers: [Int]
    var packageSize = 200
    /// Events that are held in memory at once.
    var chunk = 4_000
    var directory: String

    /// The state at one tier.
    private struct Tier {
        var run: SyncRun
        var diskBytes: Int
        /// Since 0.
        var vainLookUps: Int
    }

    func run() throws -> Section {
        try Files.withDirectory(in: directory) { base in
            let total = tiers.max() ?? 0
            let backlog = Backlog.fitted(events: total)
            let path = base + "/store"
            var configuration = MessageStore.Configuration()
            // The pauses in which packages are made must not give the store time to write.
            configuration.idleFlushDelay = .seconds(3600)
            let peer = try StorePeer(at: path, backlog, configuration: configuration)
            var states: [Tier] = []
            _ = try SyncRun.measure(
                peer, backlog, packageSize: packageSize, chunk: chunk, stops: tiers.sorted()
            ) { run in
                Progress.say("scale: \(run.events) events")
                states.append(
                    Tier(
                        run: run, diskBytes: Files.diskBytes(path), vainLookUps: peer.store.vainLookUps))
            }
            let expected = Recount.digest(of: backlog)
            if let found = try peer.digest(), found != expected {
                throw WrongViews(peer: "MessageStore", expected: expected, found: found)
            }
            try peer.close()
            return section(states)
        }
    }

    private func section(_ states: [Tier]) -> Section {
        var section = Section(title: "Sync by store size, packages of \(packageSize)")
        section.notes = [
            "One store that grows; at each tier the views are read and written out, which counts. Packages are made",
            "outside the measured time, \(chunk) events at once. The views at the end equal a recount of the events.",
        ]
        section.notes.append(
            "Memory is the growth of anonymous memory (RssAnon, sampled every 20 ms), pieces included: the peak since 0."
        )
        section.notes.append(
            "Processor time and packages are those since the tier before. \(ProcessCounters.explanation)")
        section.tables = [table(states)]
        section.charts = charts(states)
        section.verdict = verdict(states)
        return section
    }

    private func table(_ states: [Tier]) -> Table {
        var table = Table(
            nil,
            [
                "events", "events/s since 0", "events/s since the tier before", "against the tier of 1 M",
                "bytes passed a message since 0", "bytes written a message since 0", "passed since the tier before",
                "written since the tier before", "bytes on disk a message", "CPU a message in µs",
                "p99.9 package in µs", "longest package in µs", "look-ups in vain a package", "page faults a package",
                "memory in MB",
            ])
        let million = states.first { $0.run.events == 1_000_000 }?.run.flushedRate
        for (index, state) in states.enumerated() {
            let run = state.run
            let before = index == 0 ? nil : states[index - 1].run
            let events = run.events - (before?.events ?? 0)
            let seconds = run.flushedSeconds - (before?.flushedSeconds ?? 0)
            let packages = Double(run.packages.count - (before?.packages.count ?? 0))
            let counters = before.map { run.counters - $0.counters } ?? run.counters
            func bytes(_ count: Int?, _ events: Int) -> Cell { .number(count.map { Double($0) / Double(events) }) }
            let times = Spread(Array(run.packageTimes.dropFirst(before?.packageTimes.count ?? 0)))
            table.rows.append([
                .number(run.events), .number(run.flushedRate), .number(Double(events) / seconds),
                .number(million.map { run.flushedRate / $0 }),
                bytes(run.counters.bytesPassed, run.events), bytes(run.counters.bytesWritten, run.events),
                bytes(counters.bytesPassed, events), bytes(counters.bytesWritten, events),
                bytes(state.diskBytes, run.events), .number(counters.cpuSeconds * 1e6 / Double(events)),
                .number(times.percentile(99.9)), .number(times.max),
                .number(Double(state.vainLookUps - (index == 0 ? 0 : states[index - 1].vainLookUps)) / packages),
                .number(Double(counters.minorFaults + counters.majorFaults) / packages),
                .number(run.memory.map { Double($0) / 1e6 }),
            ])
        }
        return table
    }

    private func verdict(_ states: [Tier]) -> String? {
        let first = (states.first { $0.run.events == 1_000_000 } ?? states.first)?.run
        guard let first, let last = states.last?.run, last.events > first.events else { return nil }
        return
            "Size: up to \(last.events) events the store syncs at \(Markdown.number(last.flushedRate / first.flushedRate)) "
            + "of the rate up to \(first.events)."
    }

    private func charts(_ states: [Tier]) -> [Chart] {
        func points(_ value: (Tier) -> Double?) -> [Chart.Point] {
            states.compactMap { state in value(state).map { Chart.Point(x: Double(state.run.events), y: $0) } }
        }
        let size = Chart.Axis(label: "events in the store", isLogarithmic: true)
        return [
            Chart(
                id: "scale-rate", title: "Sync rate by store size", kind: .line, x: size,
                y: .init(label: "events/s since 0"),
                series: [.init(name: "MessageStore", points: points(\.run.flushedRate))]),
            Chart(
                id: "scale-bytes", title: "Bytes a message by store size", kind: .line, x: size,
                y: .init(label: "bytes a message"),
                series: [
                    .init(
                        name: "passed to calls",
                        points: points { tier in
                            tier.run.counters.bytesPassed.map { Double($0) / Double(tier.run.events) }
                        }),
                    .init(
                        name: "dirtied",
                        points: points { tier in
                            tier.run.counters.bytesWritten.map { Double($0) / Double(tier.run.events) }
                        }),
                    .init(name: "on disk", points: points { Double($0.diskBytes) / Double($0.run.events) }),
                ]),
        ]
    }
}
