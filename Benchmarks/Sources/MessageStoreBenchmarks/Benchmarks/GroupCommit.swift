internal import MessageStore
internal import MessageStoreTestKit

/// Both acknowledgements on a medium whose sync takes milliseconds: each package durable, or several in one commit.
struct GroupCommit {
    var events = 100_000
    var packageSize = 200
    var rounds = 3
    /// What each commit of the log takes beyond what it takes here.
    var milliseconds = 5
    var directory: String

    private struct Results {
        var rates: [Double] = []
        var commits: [Double] = []
    }

    func run() throws -> Section {
        let backlog = Backlog.fitted(events: events)
        let expected = Recount.digest(of: backlog)
        var results: [Acknowledgement: Results] = [:]
        for round in 0..<rounds {
            Progress.say("group-commit: round \(round + 1) of \(rounds)")
            for acknowledgement in [Acknowledgement.durable, .visible] {
                try Files.withDirectory(in: directory) { base in
                    try measure(acknowledgement, backlog, expected, at: base + "/store", &results)
                }
            }
        }
        return section(results)
    }

    private func measure(
        _ acknowledgement: Acknowledgement, _ backlog: Backlog, _ expected: ViewDigest, at path: String,
        _ results: inout [Acknowledgement: Results]
    ) throws {
        let faults = CommitFaults(cost: .milliseconds(milliseconds))
        var configuration = MessageStore.Configuration()
        faults.install(in: &configuration)
        let peer = try StorePeer(at: path, backlog, configuration: configuration, acknowledgement: acknowledgement)
        let run = try SyncRun.measure(peer, backlog, packageSize: packageSize)
        if let found = try peer.digest(), found != expected {
            throw WrongViews(peer: "MessageStore", expected: expected, found: found)
        }
        results[acknowledgement, default: Results()].rates.append(run.readableRate)
        results[acknowledgement, default: Results()].commits.append(Double(faults.commits))
        try peer.close()
    }

    private func section(_ results: [Acknowledgement: Results]) -> Section {
        var section = Section(title: "Two acknowledgements, each commit \(milliseconds) ms dearer")
        section.notes = [
            "\(events) events in packages of \(packageSize), \(rounds) rounds. A wait of \(milliseconds) ms stands before each commit of",
            "the log, as the sync of a phone's flash memory would take. `visible` packages share commits; the rate counts",
            "until the last of them is durable. The views at the end equal a recount of the events.",
        ]
        var table = Table(nil, ["acknowledgement", "median events/s", "min", "max", "commits", "against durable"])
        let durable = Spread(results[.durable]?.rates ?? []).median
        for (name, acknowledgement) in [("durable", Acknowledgement.durable), ("visible", .visible)] {
            guard let result = results[acknowledgement] else { continue }
            let rates = Spread(result.rates)
            table.rows.append([
                .text(name), .number(rates.median), .number(rates.min), .number(rates.max),
                .number(Spread(result.commits).median), .number(rates.median / durable),
            ])
        }
        section.tables = [table]
        return section
    }
}
