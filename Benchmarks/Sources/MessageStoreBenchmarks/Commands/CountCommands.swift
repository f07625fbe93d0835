internal import ArgumentParser
internal import MessageStore
internal import MessageStoreWorkload

/// `count-queries`: runs each query once more under callgrind; started by `query-cost`.
struct CountQueriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count-queries", abstract: "Run each query between callgrind's requests.", shouldDisplay: false)

    @Argument(help: "The store.")
    var path: String

    func run() throws {
        let store = try MessageStore.open(path, account: QueryStore.account)
        try Queries(store).count()
        try store.close()
    }
}

/// `count-records`: records messages under callgrind; started by `query-cost`.
struct CountRecordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count-records", abstract: "Record a message between callgrind's requests.",
        shouldDisplay: false)

    @Argument(help: "The store.")
    var path: String

    func run() throws { try Recording.count(at: path) }
}

/// `count-sync`: syncs under callgrind; started by `instructions`.
struct CountSyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count-sync", abstract: "Sync between callgrind's requests.", shouldDisplay: false)

    @Argument(help: "Where the store is made.")
    var path: String

    @Option(help: "Events in the backlog.")
    var events: Int

    @Option(help: "Events in a package.")
    var packageSize: Int

    @OptionGroup var options: WorkloadOptions

    func run() throws {
        let backlog = try options.workload.backlog(events: events)
        let peer = try CountedPeer(StorePeer(at: path, backlog))
        _ = try SyncRun.measure(peer, backlog, packageSize: packageSize, samplesMemory: false)
        try peer.close()
    }
}

/// The store between callgrind's requests.
private final class CountedPeer: SyncPeer {
    private let peer: StorePeer

    init(_ peer: StorePeer) { self.peer = peer }

    func prepare(_ packages: [[SyncEvent]], hasMore: Bool) {
        peer.prepare(packages, hasMore: hasMore)
    }

    func ingest(_ package: Int) throws {
        if package == 0 { Callgrind.zero() }
        try peer.ingest(package)
    }

    func readViews() throws {
        Callgrind.dump(Instructions.ingest)
        try peer.readViews()
    }

    func flush() throws {
        Callgrind.zero()
        try peer.flush()
        Callgrind.dump(Instructions.flush)
        try count(Instructions.scan) { try Replay.scanEnvelopes(of: peer.store) }
        try count(Instructions.events) { _ = try Replay.readEvents(of: peer.store) }
        try count(Instructions.decode) { _ = try Replay.decodeEvents(of: peer.store) }
    }

    private func count(_ part: String, _ body: () throws -> Void) rethrows {
        Callgrind.zero()
        try body()
        Callgrind.dump(part)
    }

    func close() throws { try peer.close() }
}
