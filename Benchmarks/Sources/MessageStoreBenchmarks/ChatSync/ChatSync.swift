internal import Foundation
internal import MessageStore

/// Six scenarios of a bulk offline chat sync, by the rules of `Benchmarks/ChatSync.md`.
struct ChatSync {
    static let packageSize = 200
    static let peers: [Peer] = [.store, .stream, .grdbFull, .grdbEvents, .rocksdb, .raw]

    var scenarios = Scenario.allCases
    /// Against the sizes in the document.
    var scale = 1.0
    var rounds = 3
    var peers = Self.peers
    /// Whom the others are compared with.
    var against = Peer.grdbFull
    /// Whether the stores have a key.
    var isSealed = false
    var directory: String

    /// What one round of a peer gave.
    struct Round {
        var run = SyncRun()
        /// Of `killed`: milliseconds until the list was read, packages acknowledged before and found afterwards.
        var reopening: (milliseconds: Double, acknowledged: Int, found: Int)?
    }

    func run() throws -> ChatSyncResults {
        var results = ChatSyncResults(scale: scale, rounds: rounds, against: against.name)
        if isSealed { results.isSealed = true }
        for scenario in scenarios { results.scenarios.append(try run(scenario)) }
        return results
    }

    private func run(_ scenario: Scenario) throws -> ChatSyncResults.OfScenario {
        let backlog = scenario.backlog(scale: scale)
        let expected = Recount.of(backlog)
        var rounds: [Peer: [Round]] = [:]
        var obstacles: [Peer: String] = [:]
        var sizes = RecordSizes()
        if scenario == .erasing { sizes = try self.sizes(of: backlog) }
        // The store goes first in the first round: others write records of the sizes that it made.
        let all = [Peer.store] + peers.filter { $0 != .store }
        for round in 0..<self.rounds {
            let turn = round % all.count
            for peer in all[turn...] + all[..<turn] where obstacles[peer] == nil {
                Progress.say("chat-sync: \(scenario.title), round \(round + 1) of \(self.rounds): \(peer.name)")
                try Files.withDirectory(in: directory) { path in
                    let trial = Trial(
                        scenario: scenario, backlog: backlog, expected: expected, peer: peer, scale: scale,
                        isSealed: isSealed, path: path)
                    do {
                        rounds[peer, default: []].append(try trial.run(&sizes))
                    } catch let obstacle as Obstacle { obstacles[peer] = obstacle.reason }
                }
            }
        }
        return ChatSyncResults.OfScenario(
            scenario, backlog, peers: all, rounds, obstacles, against: against)
    }

    /// The sizes of the store's records of a backlog of which nothing was erased.
    private func sizes(of backlog: Backlog) throws -> RecordSizes {
        var backlog = backlog
        backlog.erasures = [:]
        return try Files.withDirectory(in: directory) { path in
            let store = try StorePeer(
                at: path + "/store", backlog, configuration: SealedStores.configuration(isSealed))
            _ = try SyncRun.measure(store, backlog, packageSize: Self.packageSize)
            defer { try? store.close() }
            return try store.recordSizes()
        }
    }

    /// Why a peer has no result.
    struct Obstacle: Error {
        let reason: String
    }
}

extension ChatSync {
    /// One peer in one round of a scenario.
    struct Trial {
        let scenario: Scenario
        let backlog: Backlog
        let expected: Recount
        let peer: Peer
        let scale: Double
        let isSealed: Bool
        let path: String

        /// - Parameter sizes: The records of the store; set by the first trial of it.
        func run(_ sizes: inout RecordSizes) throws -> Round {
            var round = Round()
            var subject = try open(sizes)
            if let reason = subject.obstacle(to: scenario) {
                try subject.close()
                throw Obstacle(reason: reason)
            }
            switch scenario {
            case .behind, .conversations, .late, .erasing: round.run = try measure(subject)
            case .again:
                _ = try measure(subject)
                try check(subject)
                round.run = try measure(subject)
            case .killed:
                try subject.close()
                subject = try resume(&round, sizes)
            }
            try check(subject)
            if ![.again, .killed].contains(scenario) { try round.run.requireFlushes(of: peer) }
            if let store = subject as? StorePeer, sizes.sizes.isEmpty { sizes = try store.recordSizes() }
            try subject.close()
            round.run.diskBytes = Files.diskBytes(path)
            return round
        }

        func open(_ sizes: RecordSizes) throws -> any SyncPeer {
            try peer.open(in: path, backlog, sizes, configuration: SealedStores.configuration(isSealed))
        }

        private func measure(_ subject: any SyncPeer) throws -> SyncRun {
            try SyncRun.measure(subject, backlog, packageSize: ChatSync.packageSize)
        }

        /// Ends the benchmark where the views differ from the recount, or the events of a peer that keeps all of them.
        private func check(_ subject: any SyncPeer) throws {
            if let found = try subject.digest(), found != expected.digest {
                throw WrongViews(peer: "\(scenario.title): \(peer.title)", expected: expected.digest, found: found)
            }
            // Erasures are events, too, or take some away.
            guard scenario != .erasing, peer.keepsEvents, let kept = try subject.keptEvents() else { return }
            guard kept == expected.eventCount else {
                throw Failure(
                    "\(scenario.title): \(peer.title) keeps \(kept) events; the recount says \(expected.eventCount)")
            }
        }
    }
}
