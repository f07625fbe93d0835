internal import MessageStore
internal import MessageStoreWorkload

/// A sync on a medium whose flush takes milliseconds: each package durable, or several sharing a flush, beside SQLite
/// with one package and with as many packages in a transaction.
struct GroupCommit {
    var events = 100_000
    var packageSize = 200
    var rounds = 3
    /// Milliseconds that every flush takes beyond what it takes here.
    var flushDelay = 5
    /// Packages in a transaction of SQLite; nil for as many as shared a flush of the stream in the same round.
    var packagesInTransaction: Int?
    var directory: String

    /// How packages are recorded; the store's come first.
    private enum Way: String, CaseIterable {
        case durable
        case visible
        case stream
        case grdb = "GRDB, WAL, synchronous FULL"
        case grdbShared = "GRDB, several packages in a transaction"

        /// What stands below its bar.
        var label: String {
            switch self {
            case .durable, .visible, .stream: "MessageStore, \(rawValue)"
            case .grdb: "GRDB"
            case .grdbShared: "GRDB, several in a transaction"
            }
        }
    }

    private struct Results {
        var rates: [Double] = []
        var flushes: [Double] = []
        var packagesInTransaction: [Double] = []
    }

    func run() throws -> Section {
        let backlog = Backlog.fitted(events: events)
        let expected = Recount.digest(of: backlog)
        var results: [Way: Results] = [:]
        for round in 0..<rounds {
            Progress.say("group-commit: round \(round + 1) of \(rounds)")
            var shared = packagesInTransaction ?? 1
            for way in Way.allCases {
                let run = try Flushes.delayed(byMilliseconds: flushDelay) {
                    try Files.withDirectory(in: directory) { try measure(way, backlog, expected, at: $0, shared) }
                }
                let packages = Double(run.packageTimes.count)
                let flushes = run.counters.flushes.map(Double.init) ?? .nan
                results[way, default: Results()].rates.append(run.readableRate)
                results[way, default: Results()].flushes.append(flushes / packages)
                if way == .grdbShared { results[way]?.packagesInTransaction.append(Double(shared)) }
                if way == .stream, packagesInTransaction == nil {
                    shared = max(1, Int((packages / max(flushes, 1)).rounded()))
                }
            }
        }
        return section(results)
    }

    private func measure(
        _ way: Way, _ backlog: Backlog, _ expected: ViewDigest, at path: String, _ packagesInTransaction: Int
    ) throws -> SyncRun {
        let peer: any SyncPeer =
            switch way {
            case .durable: try StorePeer(at: path + "/db", backlog)
            case .visible: try StorePeer(at: path + "/db", backlog, acknowledgement: .visible)
            case .stream: try StreamPeer(at: path + "/db", backlog)
            case .grdb: try SQLitePeer(at: path + "/db.sqlite", backlog, .full)
            case .grdbShared:
                try SQLitePeer(
                    at: path + "/db.sqlite", backlog, .full, packagesInTransaction: packagesInTransaction)
            }
        let run = try SyncRun.measure(peer, backlog, packageSize: packageSize)
        if let found = try peer.digest(), found != expected {
            throw WrongViews(peer: way.rawValue, expected: expected, found: found)
        }
        try peer.close()
        return run
    }

    private func section(_ results: [Way: Results]) -> Section {
        var section = Section(title: "Two acknowledgements and shared transactions, each flush \(flushDelay) ms longer")
        section.notes = [
            "\(events) events in packages of \(packageSize), \(rounds) rounds. Every flush of the store and of SQLite takes \(flushDelay) ms",
            "longer, as that of a phone's flash memory would. `visible` packages of the store and those of a stream share flushes; the",
            "rate counts until the last of them is durable. Beside it, SQLite with one package in a transaction, and with",
            packagesInTransaction == nil
                ? "as many as shared a flush of the stream. The views at the end equal a recount of the events."
                : "several. The views at the end equal a recount of the events.",
        ]
        var table = Table(
            nil,
            [
                "acknowledgement", "median events/s", "min", "max", "packages in a transaction", "flushes a package",
                "against durable", "against GRDB",
            ])
        func median(_ way: Way) -> Double { Spread(results[way]?.rates ?? []).median }
        for way in Way.allCases {
            guard let result = results[way] else { continue }
            let rates = Spread(result.rates)
            table.rows.append([
                .text(way.rawValue), .number(rates.median), .number(rates.min), .number(rates.max),
                .number(
                    [.visible, .stream].contains(way)
                        ? nil : way == .grdbShared ? Spread(result.packagesInTransaction).median : 1),
                .number(Spread(result.flushes).median), .number(rates.median / median(.durable)),
                .number(rates.median / median(.grdb)),
            ])
        }
        section.tables = [table]
        section.charts = [chart(Way.allCases.map { ($0, median($0)) })]
        return section
    }

    private func chart(_ rates: [(way: Way, median: Double)]) -> Chart {
        Chart(
            id: "shared-flushes", title: "Shared flushes, each \(flushDelay) ms longer", kind: .bar,
            x: .init(label: "acknowledgement"), y: .init(label: "events/s, readable"),
            series: [
                .init(
                    name: "events/s",
                    points: rates.enumerated().map { index, rate in
                        Chart.Point(x: Double(index), y: rate.median, label: rate.way.label)
                    })
            ])
    }
}
