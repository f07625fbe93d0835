internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// A sync while the app is used: a reader pages at 60 Hz and an observer follows the list.
struct Mixed {
    var events = 1_000_000
    var packageSize = 200
    var rounds = 3
    var directory: String

    /// What the rounds gave.
    private struct Results {
        var alone: [Double] = []
        var accompanied: [Double] = []
        var latencies: [Double] = []
        var refreshes: [Int] = []
    }

    func run() throws -> Section {
        let backlog = Backlog.fitted(events: events)
        let expected = Recount.digest(of: backlog)
        var results = Results()
        for round in 0..<rounds {
            Progress.say("mixed: round \(round + 1) of \(rounds)")
            try Files.withDirectory(in: directory) { base in
                let peer = try StorePeer(at: base + "/alone", backlog)
                results.alone.append(try SyncRun.measure(peer, backlog, packageSize: packageSize).flushedRate)
                try peer.close()
                try accompanied(backlog, expected, at: base + "/mixed", &results)
            }
        }
        return section(results)
    }

    private func accompanied(
        _ backlog: Backlog, _ expected: ViewDigest, at path: String, _ results: inout Results
    ) throws {
        let peer = try AccompaniedPeer(StorePeer(at: path, backlog))
        let run = try SyncRun.measure(peer, backlog, packageSize: packageSize)
        let (latencies, refreshes) = try peer.stop()
        results.accompanied.append(run.flushedRate)
        results.latencies += latencies
        results.refreshes.append(refreshes)
        if let found = try peer.digest(), found != expected {
            throw WrongViews(peer: "MessageStore", expected: expected, found: found)
        }
        try peer.close()
    }

    private func section(_ results: Results) -> Section {
        var section = Section(title: "Sync of \(events) events while the app reads")
        section.notes = [
            "\(rounds) rounds, each a sync alone and a sync beside a reader (list page of 50 and the top conversation's",
            "newest 20 in one read, 60 times a second) and an observer of the list. The views at the end equal a recount.",
        ]
        let alone = Spread(results.alone)
        let beside = Spread(results.accompanied)
        var rates = Table("Rate", ["sync", "median events/s", "min", "max", "kept"])
        rates.rows = [
            [.text("alone"), .number(alone.median), .number(alone.min), .number(alone.max), .none],
            [
                .text("with reader and observer"), .number(beside.median), .number(beside.min), .number(beside.max),
                .number(beside.median / alone.median),
            ],
        ]
        let latency = Spread(results.latencies)
        var reads = Table(
            "Reader", ["reads", "p50 in ms", "p99 in ms", "max in ms", "over 16.7 ms", "list values observed a sync"])
        reads.rows = [
            [
                .number(results.latencies.count), .number(latency.median), .number(latency.percentile(99)),
                .number(latency.max), .number(results.latencies.count { $0 > 1000.0 / 60 }),
                .number(Spread(results.refreshes.map(Double.init)).median),
            ]
        ]
        section.tables = [rates, reads]
        section.charts = [
            .percentiles(id: "mixed-reader", title: "Reader during a sync", unit: "ms", [("reader", latency)])
        ]
        return section
    }
}

/// The store with a reader and an observer beside it, from the first package on until they are stopped.
final class AccompaniedPeer: SyncPeer {
    private let peer: StorePeer
    private var reader: BackgroundLoop?
    private var observer: ListObserver?

    init(_ peer: StorePeer) { self.peer = peer }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) {
        peer.prepare(packages, hasMore: hasMore)
        if reader == nil {
            reader = BackgroundLoop.pagingReader(peer.store)
            observer = ListObserver(peer.store)
        }
    }

    func ingest(_ package: Int) throws { try peer.ingest(package) }
    func readViews() throws { try peer.readViews() }
    func flush() throws { try peer.flush() }
    func digest() throws -> ViewDigest? { try peer.digest() }
    func close() throws { try peer.close() }

    func stop() throws -> (latencies: [Double], refreshes: Int) {
        let refreshes = observer?.stop() ?? 0
        return (try reader?.stop() ?? [], refreshes)
    }
}
