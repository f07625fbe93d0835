internal import ArgumentParser
internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// `fill-and-wait`: the child that `open` and `replay` kill.
struct FillAndWaitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fill-and-wait", abstract: "Sync until the buffer is full, tell it, and wait to be killed.",
        shouldDisplay: false)

    /// Events beyond the wanted ones, at the most, until the buffer is full.
    private static let reserve = 2_000_000

    @Argument(help: "Where the store is made.")
    var path: String

    @Option(help: "Events at the least.")
    var events: Int

    func run() throws {
        let backlog = Backlog.fitted(events: events + Self.reserve)
        var configuration = MessageStore.Configuration()
        // The buffer must stay full until the end comes.
        configuration.idleFlushDelay = .seconds(86_400)
        let store = try backlog.openStore(at: path, configuration)
        var recorded = 0
        var package: [Event] = []
        for event in backlog.events() {
            package.append(backlog.storeEvent(event))
            guard package.count == 200 else { continue }
            try store.ingest(OfflinePackage(index: UInt32(recorded / 200), events: package, hasMore: true))
            recorded += package.count
            package.removeAll(keepingCapacity: true)
            guard recorded >= events, recorded % 2_000 == 0 else { continue }
            if try store.statistics().bufferedBytes >= configuration.bufferBytes / 10 * 9 { break }
        }
        let statistics = try store.statistics()
        print(statistics.events, statistics.checkpointPosition.rawValue, statistics.bufferedBytes)
        fflush(nil)
        while true { Thread.sleep(forTimeInterval: 3600) }
    }
}
