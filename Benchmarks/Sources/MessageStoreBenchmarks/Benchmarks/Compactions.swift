internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// Compaction and backup: how fast they copy, and what they cost a sync that runs at the same time.
struct Compactions {
    /// Events in the store before, and as many that are synced.
    var events = 1_000_000
    var rounds = 3
    var directory: String

    /// What runs next to the sync, again and again.
    private enum Company: String, CaseIterable {
        case nothing, compactions, backups
    }

    /// What one round gave.
    private struct Round {
        var rate = 0.0
        var longestPackage = 0.0
        var memory: Int?
        /// Seconds of a backup and a compaction afterwards, when nothing else runs.
        var backup = 0.0
        var compaction = 0.0
        var repetitions = 0
        var cut = Cut()
    }

    /// A compaction after about nine tenths of the messages were cleared by a policy of retention.
    private struct Cut {
        var seconds = 0.0
        var retention = 0.0
        /// Of the events, and of the size of the compacted store.
        var (events, size) = (0.0, 0.0)
    }

    func run() throws -> Section {
        var results: [Company: [Round]] = [:]
        for round in 0..<rounds {
            for company in Company.allCases {
                Progress.say("compaction: round \(round + 1) of \(rounds), next to \(company)")
                results[company, default: []].append(
                    try Files.withDirectory(in: directory) { try measure(next: company, in: $0) })
            }
        }
        var section = Section(title: "Compaction and backup")
        section.notes = [
            "\(rounds) rounds. A store of \(events) events syncs as many again, alone and next to compactions or backups that",
            "follow one another; then \(2 * events) events are copied while nothing else runs.",
        ]
        let rounds = results.values.flatMap { $0 }
        section.tables = [syncs(results), copies(rounds), cuts(rounds.map(\.cut))]
        return section
    }

    private func measure(next company: Company, in base: String) throws -> Round {
        let backlog = Backlog.fitted(events: 2 * events)
        let peer = try StorePeer(at: base + "/store", backlog)
        let (store, copy) = (peer.store, base + "/copy")
        var (loop, half): (BackgroundLoop?, SyncRun?)
        let run = try SyncRun.measure(peer, backlog, packageSize: 200, stops: [events]) { state in
            half = state
            loop =
                switch company {
                case .nothing: nil
                case .compactions: BackgroundLoop { try store.compact() }
                case .backups:
                    BackgroundLoop {
                        try store.backup(to: copy)
                        try FileManager.default.removeItem(atPath: copy)
                    }
                }
        }
        var round = Round()
        round.repetitions = try loop?.stop().count ?? 0
        let before = half.map { $0.readableSeconds + $0.writeSeconds } ?? 0
        round.rate = Double(events) / (run.readableSeconds + run.writeSeconds - before)
        round.longestPackage = Spread(Array(run.packageTimes[(half?.packageTimes.count ?? 0)...])).max / 1000
        round.memory = run.memory
        round.backup = try Stopwatch.seconds { try store.backup(to: copy) }
        round.compaction = try Stopwatch.seconds { try store.compact() }
        if let found = try peer.digest(), found != Recount.digest(of: backlog) {
            throw Failure("the views differ from a recount after compactions")
        }
        round.cut = try Self.cut(store)
        try peer.close()
        return round
    }

    private static func cut(_ store: MessageStore) throws -> Cut {
        var policy = RetentionPolicy()
        policy.includesUnread = true
        let events = try store.statistics().events
        for limit in [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000] {
            policy.standard.messages = limit
            if try store.retain(policy, isDryRun: true).messageCount <= events * 9 / 10 { break }
        }
        var cut = Cut()
        cut.retention = try Stopwatch.seconds { try store.retain(policy) }
        let before = try store.compactionPreview()
        let size = try store.statistics().environments.reduce(0) { $0 + $1.usedBytes } - before.freeBytes
        var report: CompactionReport?
        cut.seconds = try Stopwatch.seconds { report = try store.compact() }
        cut.events = Double(report?.cutEvents ?? 0) / Double(events)
        cut.size = Double(report?.bytesAfter ?? 0) / Double(size)
        guard try store.verify().isConsistent else { throw Failure("the views of a cut log are not those of a replay") }
        return cut
    }

    private func cuts(_ rounds: [Cut]) -> Table {
        var table = Table(
            "Cutting off", ["events cut off", "size afterwards", "seconds of retain", "seconds of compact"])
        func median(_ value: (Cut) -> Double) -> Cell { .number(Spread(rounds.map(value)).median) }
        table.rows.append([median(\.events), median(\.size), median(\.retention), median(\.seconds)])
        return table
    }

    private func syncs(_ results: [Company: [Round]]) -> Table {
        var table = Table(
            "Sync",
            ["next to", "median events/s", "kept", "copies a sync", "longest package in ms", "peak memory in MB"])
        let alone = Spread(results[.nothing, default: []].map(\.rate)).median
        for company in Company.allCases {
            let rounds = results[company, default: []]
            let rate = Spread(rounds.map(\.rate)).median
            table.rows.append([
                .text(company.rawValue), .number(rate), .number(rate / alone),
                .number(Spread(rounds.map { Double($0.repetitions) }).median),
                .number(Spread(rounds.map(\.longestPackage)).median),
                .number(Spread(rounds.compactMap { $0.memory.map { Double($0) / 1e6 } }).median),
            ])
        }
        return table
    }

    private func copies(_ rounds: [Round]) -> Table {
        var table = Table("Copies of \(2 * events) events", ["copy", "median seconds", "log records/s"])
        for (name, seconds) in [
            ("backup", rounds.map(\.backup)), ("compaction of log and views", rounds.map(\.compaction)),
        ] {
            let median = Spread(seconds).median
            table.rows.append([.text(name), .number(median), .number(Double(2 * events) / median)])
        }
        return table
    }
}
