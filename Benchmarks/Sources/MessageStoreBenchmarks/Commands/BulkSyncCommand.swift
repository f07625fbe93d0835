internal import ArgumentParser
internal import MessageStore
internal import MessageStoreWorkload

/// `bulk-sync`: the store against everything that it is compared with.
struct BulkSyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bulk-sync", abstract: "An offline backlog: the store against LMDB, SQLite and RocksDB.",
        discussion: """
            All peers take the same events, in the same packages, in turns within one process. The views of each peer \
            that has views are compared with a plain recount of the events; a difference ends the run with an error. \
            With --flush-delay and a --directory in memory, such as /dev/shm, the delay is all that a flush takes, whatever \
            the disk does meanwhile.
            """)

    @Option(help: "Events in the backlog.")
    var events = 1_000_000

    @Option(parsing: .upToNextOption, help: "Events in a package; several sizes are measured one after the other.")
    var packageSize = [200]

    @Option(help: "Rounds; medians are printed.")
    var rounds = 3

    @OptionGroup var options: WorkloadOptions

    @Option(help: "Who takes part, separated by commas. The store always does.")
    var peers = Peer.allCases.map(\.rawValue).joined(separator: ",")

    @Option(help: "Only the first events for naive and the grdb peers.")
    var peerEvents: Int?

    @Option(help: "Milliseconds that every flush of every peer takes longer, one run for each, separated by commas.")
    var flushDelay = FlushDelays(milliseconds: [0])

    @Option(help: "Bytes of the store's write buffer.")
    var bufferBytes = MessageStore.Configuration().bufferBytes

    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard rounds > 0, events > 0, packageSize.allSatisfy({ $0 > 0 }), peerEvents.map({ $0 > 0 }) ?? true else {
            throw ValidationError("Counts must be above 0.")
        }
        guard packageSize.count == 1 || flushDelay.milliseconds.count == 1 else {
            throw ValidationError("Several package sizes or several delays of flushes, not both.")
        }
    }

    func run() throws {
        try common.publish(
            Self.sections(
                BulkSync(
                    backlog: options.workload.backlog(events: events), rounds: rounds,
                    peers: try Peer.list(peers),
                    slowLimit: peerEvents ?? .max,
                    bufferBytes: bufferBytes, directory: common.directory),
                packageSizes: packageSize, flushDelays: flushDelay.milliseconds))
    }

    /// A section for each package size or delay of flushes, and one over all of them.
    static func sections(_ benchmark: BulkSync, packageSizes: [Int], flushDelays: [Int]) throws -> [Section] {
        var benchmark = benchmark
        var sections: [Section] = []
        var bySize: [BulkSync.SizeResult] = []
        var byDelay: [BulkSync.DelayResult] = []
        for size in packageSizes {
            for delay in flushDelays {
                (benchmark.packageSize, benchmark.flushDelay) = (size, delay)
                let runs = try benchmark.run()
                sections.append(benchmark.section(runs))
                bySize.append((size, runs))
                byDelay.append((delay, runs))
            }
        }
        if packageSizes.count > 1 { sections.append(BulkSync.sizeSection(bySize)) }
        if flushDelays.count > 1 { sections.append(benchmark.delaySection(byDelay)) }
        return sections
    }
}

extension Peer {
    /// The peers that are named in an argument, separated by commas.
    static func list(_ names: String) throws -> [Self] {
        try names.split(separator: ",").map { name in
            guard let peer = Self(rawValue: String(name)) else { throw ValidationError("No peer \(name).") }
            return peer
        }
    }
}
