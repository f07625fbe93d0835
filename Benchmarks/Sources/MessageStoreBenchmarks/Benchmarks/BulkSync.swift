internal import Foundation
internal import MessageStore
internal import MessageStoreTestKit

/// Syncs one backlog through the store and through its peers, alternating in rounds of one process.
struct BulkSync {
    /// Who takes part.
    enum Peer: String, CaseIterable {
        case store
        case raw
        case naive
        case grdbFull = "grdb-full"
        case grdbNormal = "grdb-normal"
        case rocksdb

        var title: String {
            switch self {
            case .store: "MessageStore"
            case .raw: "raw LMDB append of the same bytes"
            case .naive: "LMDB, log and two indexes in one transaction"
            case .grdbFull: "GRDB, WAL, synchronous FULL"
            case .grdbNormal: "GRDB, WAL, synchronous NORMAL"
            case .rocksdb: "RocksDB, synchronous batches"
            }
        }

        var isSlow: Bool { self == .naive || self == .grdbFull || self == .grdbNormal }
    }

    var backlog: Backlog
    var packageSize = 200
    var rounds = 3
    var peers = Peer.allCases
    /// Events for the slow peers at the most.
    var slowLimit = Int.max
    /// Bytes of the store's write buffer.
    var bufferBytes = MessageStore.Configuration().bufferBytes
    var directory: String

    /// The measured rounds of each peer.
    func run() throws -> [Peer: [SyncRun]] {
        var runs: [Peer: [SyncRun]] = [:]
        var sizes = RecordSizes()
        var expected = [backlog.count: Recount.digest(of: backlog)]
        // The store goes first: the raw peer writes the records that it made.
        let others = peers.filter { $0 != .store }
        for round in 0..<rounds {
            let turn = others.isEmpty ? 0 : round % others.count
            for peer in [.store] + others[turn...] + others[..<turn] {
                Progress.say("round \(round + 1) of \(rounds), packages of \(packageSize): \(peer.title)")
                let limit = limit(of: peer)
                if expected[limit] == nil { expected[limit] = Recount.digest(of: backlog, limit: limit) }
                let run = try Files.withDirectory(in: directory) { path in
                    try measure(peer, at: path, &sizes, expected[limit])
                }
                runs[peer, default: []].append(run)
            }
        }
        return runs
    }

    func limit(of peer: Peer) -> Int { peer.isSlow ? min(slowLimit, backlog.count) : backlog.count }

    private func measure(
        _ peer: Peer, at path: String, _ sizes: inout RecordSizes, _ expected: ViewDigest?
    ) throws -> SyncRun {
        var configuration = MessageStore.Configuration()
        configuration.bufferBytes = bufferBytes
        let subject: any SyncPeer =
            switch peer {
            case .store: try StorePeer(at: path + "/db", backlog, configuration: configuration)
            case .raw: try RawPeer(at: path + "/db", sizes)
            case .naive: try NaivePeer(at: path + "/db", sizes)
            case .grdbFull: try SQLitePeer(at: path + "/db.sqlite", backlog, .full)
            case .grdbNormal: try SQLitePeer(at: path + "/db.sqlite", backlog, .normal)
            case .rocksdb: try RocksPeer(at: path + "/db", backlog, sizes)
            }
        var run = try SyncRun.measure(subject, backlog, limit: limit(of: peer), packageSize: packageSize)
        if let expected, let found = try subject.digest(), found != expected {
            throw WrongViews(peer: peer.title, expected: expected, found: found)
        }
        if let store = subject as? StorePeer, sizes.sizes.isEmpty { sizes = try store.recordSizes() }
        try subject.close()
        run.commits = try subject.commits()
        run.diskBytes = Files.diskBytes(path)
        return run
    }
}
