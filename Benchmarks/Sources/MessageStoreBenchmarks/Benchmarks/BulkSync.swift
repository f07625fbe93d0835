internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// Syncs one backlog through the store and through its peers, alternating in rounds of one process.
struct BulkSync {
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
            let recount = Recount.of(backlog, limit: limit)
            (views, events) = (recount.digest, recount.eventCount)
        }
    }

    func limit(of peer: Peer) -> Int { peer.isSlow ? min(slowLimit, backlog.count) : backlog.count }

    private func measure(
        _ peer: Peer, at path: String, _ sizes: inout RecordSizes, _ expected: Expected
    ) throws -> SyncRun {
        var configuration = MessageStore.Configuration()
        configuration.bufferBytes = bufferBytes
        let subject = try peer.open(in: path, backlog, sizes, configuration: configuration)
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
        if peer.keepsEvents, let kept = run.keptEvents, kept != expected.events {
            throw Failure("\(peer.title) keeps \(kept) events; the recount says \(expected.events)")
        }
        try run.requireFlushes(of: peer)
    }
}
