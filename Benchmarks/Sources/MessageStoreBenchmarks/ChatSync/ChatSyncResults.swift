internal import Foundation

/// What `chat-sync` writes as JSON: values are medians of the rounds; one that a system does not count is left out.
struct ChatSyncResults: Codable {
    var format = "chat-sync-1"
    var machine = Machine.current
    /// When, as ISO 8601.
    var date = ISO8601DateFormatter().string(from: Date())
    var scale: Double
    var rounds: Int
    /// True of sealed stores.
    var isSealed: Bool?
    /// Whom `ratio` compares with.
    var against: String
    var packageSize = ChatSync.packageSize
    var scenarios: [OfScenario] = []

    init(scale: Double, rounds: Int, against: String) {
        (self.scale, self.rounds, self.against) = (scale, rounds, against)
    }

    struct OfScenario: Codable {
        var scenario: ChatSync.Scenario
        var events: Int
        var conversations: Int
        var seed: Int
        var peers: [OfPeer]
    }

    struct OfPeer: Codable {
        var peer: String
        /// Why there is nothing else.
        var notApplicable: String?
        var eventsPerSecond: Range?
        /// The median of the rounds' ratios.
        var ratio: Double?
        var cpuMicrosecondsPerEvent: Double?
        var bytesPassedPerEvent: Double?
        var bytesDirtiedPerEvent: Double?
        var bytesOnDiskPerEvent: Double?
        var flushesPerPackage: Double?
        var peakMemoryBytes: Double?
        var packageMicroseconds: Times?
        var erasureMicroseconds: Times?
        var reopening: Reopening?
    }

    struct Range: Codable {
        var median: Double
        var least: Double
        var greatest: Double
    }

    struct Times: Codable {
        var median: Double
        var p999: Double
        var longest: Double

        /// Of all rounds together, but for the longest, which is the median of the rounds' longest.
        init?(_ rounds: [[Double]]) {
            let all = Spread(rounds.flatMap(\.self))
            guard all.max.isFinite else { return nil }
            (median, p999) = (all.median, all.percentile(99.9))
            longest = Spread(rounds.map { Spread($0).max }).median
        }
    }

    struct Reopening: Codable {
        /// Until the list was read.
        var milliseconds: Double
        /// Packages before the kill, and those that were there after it, in the last round.
        var packagesAcknowledged: Int
        var packagesFound: Int
    }
}

extension ChatSyncResults.OfScenario {
    init(
        _ scenario: ChatSync.Scenario, _ backlog: Backlog, peers: [Peer], _ rounds: [Peer: [ChatSync.Round]],
        _ obstacles: [Peer: String], against: Peer
    ) {
        self.scenario = scenario
        events = backlog.count
        conversations = backlog.conversations.count
        seed = scenario.number
        let compared = rounds[against]?.map(\.run.readableRate)
        self.peers = peers.map { peer in
            ChatSyncResults.OfPeer(
                peer.name, rounds[peer] ?? [], of: backlog, notApplicable: obstacles[peer], against: compared)
        }
    }
}

extension ChatSyncResults.OfPeer {
    fileprivate init(
        _ name: String, _ rounds: [ChatSync.Round], of backlog: Backlog, notApplicable: String?, against: [Double]?
    ) {
        peer = name
        self.notApplicable = notApplicable
        guard notApplicable == nil else { return }
        let runs = rounds.map(\.run)
        func median(_ value: (SyncRun) -> Double?) -> Double? {
            let values = runs.compactMap(value)
            return values.isEmpty ? nil : Spread(values).median
        }
        func perEvent(_ value: @escaping (SyncRun) -> Int?) -> Double? {
            median { run in value(run).map { Double($0) / Double(run.events) } }
        }
        let rates = Spread(runs.map(\.readableRate))
        eventsPerSecond = .init(median: rates.median, least: rates.min, greatest: rates.max)
        ratio = against.map { Spread(zip(runs.map(\.readableRate), $0).map { $0 / $1 }).median }
        cpuMicrosecondsPerEvent = median { $0.counters.cpuSeconds * 1e6 / Double($0.events) }
        bytesPassedPerEvent = perEvent(\.counters.bytesPassed)
        bytesDirtiedPerEvent = perEvent(\.counters.bytesWritten)
        flushesPerPackage = median { run in
            run.counters.flushes.map { Double($0) / Double(run.packageTimes.count) }
        }
        peakMemoryBytes = median { $0.memory.map(Double.init) }
        packageMicroseconds = .init(runs.map(\.packageTimes))
        erasureMicroseconds = .init(runs.map(\.erasureTimes).filter { !$0.isEmpty })
        bytesOnDiskPerEvent = median { Double($0.diskBytes) / Double(backlog.count) }
        let reopenings = rounds.compactMap(\.reopening)
        if let last = reopenings.last {
            reopening = .init(
                milliseconds: Spread(reopenings.map(\.milliseconds)).median, packagesAcknowledged: last.acknowledged,
                packagesFound: last.found)
        }
    }
}
