internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// What it costs to read the log again: scan, decode, fold in memory, rebuild of the views, recovery of a tail.
struct Replay {
    var events = 1_000_000
    var rounds = 3
    var directory: String

    private static let single = ["Timeline", "ConversationList", "UnreadCounters"]

    func run() throws -> Section {
        try Files.withDirectory(in: directory) { base in
            let backlog = Backlog.fitted(events: events)
            let peer = try StorePeer(at: base + "/store", backlog)
            Progress.say("replay: a store of \(events) events")
            let sync = try SyncRun.measure(peer, backlog, packageSize: 200, chunk: 250_000)
            var steps = Steps()
            for round in 0..<rounds {
                Progress.say("replay: round \(round + 1) of \(rounds)")
                try measure(peer.store, &steps)
            }
            guard try peer.store.verify().isConsistent else { throw Failure("verify found a difference") }
            try peer.close()
            Progress.say("replay: recovery")
            let killed = try KilledStore.make(at: base + "/killed", events: events)
            for _ in 0..<rounds {
                let times = try killed.open(account: backlog.account)
                steps.add("recovery of a tail at opening", killed.tail, times.open / 1000)
            }
            return section(steps, syncRate: sync.flushedRate)
        }
    }

    /// Rates in events a second, in the order in which steps were met.
    private struct Steps {
        private(set) var names: [String] = []
        private(set) var rates: [String: [Double]] = [:]

        mutating func add(_ name: String, _ events: Int, _ seconds: Double) {
            if rates[name] == nil { names.append(name) }
            rates[name, default: []].append(Double(events) / seconds)
        }
    }

    private func measure(_ store: MessageStore, _ steps: inout Steps) throws {
        let count = Int(try store.lastPosition().rawValue)
        let digests = try store.digests()
        for step in ReplayStep.allCases {
            steps.add(step.name, count, try Stopwatch.seconds { try step.run(on: store) })
        }
        for name in Self.single {
            let projection = ProjectionID(rawValue: name)
            steps.add("rebuild of \(name)", count, try Stopwatch.seconds { try store.rebuild([projection]) })
        }
        guard digests == (try store.digests()) else { throw Failure("the rebuilt views differ") }
    }

    private func section(_ steps: Steps, syncRate: Double) -> Section {
        var section = Section(title: "Replay of \(events) events")
        section.notes = [
            "Medians of \(rounds) rounds on one store. After each round the digests of the served and of the rebuilt views were",
            "equal; `verify` found no difference. The store was synced at "
                + "\(Markdown.number(syncRate)) events/s. \(SecondThread.note)",
        ]
        var table = Table(nil, ["step", "events/s", "min", "max", "against the scan", "against the sync"])
        let scan = Spread(steps.rates[ReplayStep.scan.name] ?? []).median
        for name in steps.names {
            let rate = Spread(steps.rates[name] ?? [])
            table.rows.append([
                .text(name), .number(rate.median), .number(rate.min), .number(rate.max), .number(rate.median / scan),
                .number(rate.median / syncRate),
            ])
        }
        section.tables = [table]
        return section
    }
}
