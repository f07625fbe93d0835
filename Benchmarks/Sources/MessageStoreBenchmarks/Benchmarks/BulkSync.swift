internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// Syncs one backlog through the store and through its peers, alternating in rounds of one process.
struct BulkSync {
    /// Who takes part.
    enum Peer: String, CaseIterable {
        case store
        case stream
        case raw
        case naive
        case grdbFull = "grdb-full"
        case grdbEvents = "grdb-events"
        case grdbNormal = "grdb-normal"
        case rocksdb
        case flushControl = "flush-control"

        var title: String {
            switch self {
            case .store: "MessageStore"
            case .stream: "MessageStore, packages as a stream"
            case .raw: "raw LMDB append of the same bytes"
            case .naive: "LMDB, log and two indexes in one transaction"
            case .grdbFull: "GRDB, WAL, synchronous FULL"
            case .grdbEvents: "GRDB with an event table, WAL, synchronous FULL"
            case .grdbNormal: "GRDB, WAL, synchronous NORMAL"
            case .rocksdb: "RocksDB, synchronous batches"
            case .flushControl: "flush control: the same bytes, one write and one flush a package"
            }
        }

        var isSlow: Bool { [.naive, .grdbFull, .grdbEvents, .grdbNormal].contains(self) }
    }

    var backlog: Backlog
    var packageSize = 200
    var rounds = 3
    var peers = Peer.allCases
    /// Events for the slow peers at the most.
    var slowLimit = Int.max
    /// Bytes of the store's write buffer.
    var bufferBytes = MessageStore.Configuration().bufferBytes
    /// Milliseconds that every flush of every peer takes beyond what it takes here.
    var flushDelay = 0
    var directory: String

    /// The measured rounds of each peer.
    func run() throws -> [Peer: [SyncRun]] {
        var runs: [Peer: [SyncRun]] = [:]
        var sizes = RecordSizes()
        var expected: [Int: Expected] = [:]
        // The store goes first: the raw peer writes the records that it made.
        let others = peers.filter { $0 != .store }
        for round in 0..<rounds {
            let turn = others.isEmpty ? 0 : round % others.count
            for peer in [.store] + others[turn...] + others[..<turn] {
                Progress.say("round \(round + 1) of \(rounds), packages of \(packageSize): \(peer.title)")
                let limit = limit(of: peer)
                let recount = expected[limit] ?? Expected(backlog, limit)
                expected[limit] = recount
                let run = try Flushes.delayed(byMilliseconds: flushDelay) {
                    try Files.withDirectory(in: directory) { try measure(peer, at: $0, &sizes, recount) }
                }
                runs[peer, default: []].append(run)
            }
        }
        return runs
    }

    /// What a recount of the first events says.
    private struct Expected {
        let views: ViewDigest
        let events: Int

        init(_ backlog: Backlog, _ limit: Int) {
            views = Recount.digest(of: backlog, limit: limit)
            events = Recount.eventCount(of: backlog, limit: limit)
        }
    }

    func limit(of peer: Peer) -> Int { peer.isSlow ? min(slowLimit, backlog.count) : backlog.count }

    private func measure(
        _ peer: Peer, at path: String, _ sizes: inout RecordSizes, _ expected: Expected
    ) throws -> SyncRun {
        var configuration = MessageStore.Configuration()
        configuration.bufferBytes = bufferBytes
        let subject: any SyncPeer =
            switch peer {
            case .store: try StorePeer(at: path + "/db", backlog, configuration: configuration)
            case .stream: try StreamPeer(at: path + "/db", backlog, configuration: configuration)
            case .raw: try RawPeer(at: path + "/db", sizes)
            case .naive: try NaivePeer(at: path + "/db", sizes)
            case .grdbFull: try SQLitePeer(at: path + "/db.sqlite", backlog, .full)
            case .grdbEvents: try SQLitePeer(at: path + "/db.sqlite", backlog, .full, keepsEvents: true)
            case .grdbNormal: try SQLitePeer(at: path + "/db.sqlite", backlog, .normal)
            case .rocksdb: try RocksPeer(at: path + "/db", backlog, sizes)
            case .flushControl: try FlushControlPeer(at: path + "/records", sizes)
            }
        var run = try SyncRun.measure(subject, backlog, limit: limit(of: peer), packageSize: packageSize)
        run.keptEvents = try subject.keptEvents()
        try check(subject, peer, run, expected)
        if let store = subject as? StorePeer, sizes.sizes.isEmpty { sizes = try store.recordSizes() }
        try subject.close()
        run.commits = try subject.commits()
        run.diskBytes = Files.diskBytes(path)
        return run
    }

    /// Ends the benchmark where a rate would mean nothing.
    private func check(_ subject: some SyncPeer, _ peer: Peer, _ run: SyncRun, _ expected: Expected) throws {
        if let found = try subject.digest(), found != expected.views {
            throw WrongViews(peer: peer.title, expected: expected.views, found: found)
        }
        if [.store, .stream, .grdbEvents].contains(peer), let kept = run.keptEvents, kept != expected.events {
            throw Failure("\(peer.title) keeps \(kept) events; the recount says \(expected.events)")
        }
        // A durable package waits for the medium unless everything in it is known, which is rare: fewer flushes mean
        // that some of the peer's are not counted, nor delayed.
        guard let flushes = run.counters.flushes, ![.stream, .grdbNormal].contains(peer) else { return }
        guard flushes >= (run.packageTimes.count + 1) / 2 else {
            throw Failure("\(peer.title): \(flushes) flushes counted in \(run.packageTimes.count) durable packages")
        }
    }
}
