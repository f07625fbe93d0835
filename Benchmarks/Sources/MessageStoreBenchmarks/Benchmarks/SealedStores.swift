internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// Runs each workload on a clear store and on a sealed one, which take turns within one process.
struct SealedStores {
    var events = 1_000_000
    var rounds = 3
    /// Runs of each query.
    var repetitions = 1_000
    /// Openings of each store.
    var openings = 21
    var directory: String

    func run() throws -> Section {
        let backlog = Backlog.fitted(events: events)
        let single = Backlog.fitted(events: min(events, 100_000))
        var ratios = SealedRatios()
        try Files.withDirectory(in: directory) { base in
            Progress.say("sealed: a clear and a sealed store of \(events) events")
            // They also warm the process up: the first sync of one is slower.
            _ = try Both { try fill(backlog, in: base, isSealed: $0) }
            for round in 0..<rounds {
                Progress.say("sealed: syncs, round \(round + 1) of \(rounds)")
                try sync(backlog, single: single, round, &ratios)
            }
            Progress.say("sealed: queries, replays, openings")
            let peers = try Both { try peer(backlog, in: base, isSealed: $0) }
            try ask(peers.map(\.store), &ratios)
            try replay(peers.map(\.store), &ratios)
            let last = try peers.map { Int(try $0.store.lastPosition().rawValue) }
            let views = try peers.map { try $0.digest() }
            guard last.clear == last.sealed, views.clear == views.sealed else {
                throw Failure("the sealed store shows something else than the clear one")
            }
            _ = try peers.map { try $0.close() }
            try open(backlog.account, in: base, expecting: last.clear, &ratios)
        }
        var section = Section(title: "A sealed store against a clear one, \(events) events")
        section.notes = [
            "Medians of \(rounds) rounds of each sync and replay, \(repetitions) runs of each query, warm, and \(openings)",
            "openings, on a clear and on a sealed store one after the other; the clear one goes first in each other turn.",
            "Ratio and difference are medians of those of the pairs. Rates of syncs count until every view is readable;",
            "packages have 200 events, and the stream of messages is one of \(single.count) packages of one. Files are those",
            "after a sync. The views after each sync equal a recount of the events, and both stores that were asked show",
            "the same.",
        ]
        section.tables = [ratios.table]
        section.verdict = ratios.verdict
        return section
    }

    private static func key(_ isSealed: Bool) -> KeySource? {
        isSealed ? KeySource { [UInt8](repeating: 7, count: 32) } : nil
    }

    static func configuration(_ isSealed: Bool) -> MessageStore.Configuration {
        var configuration = MessageStore.Configuration()
        configuration.privacy.key = key(isSealed)
        return configuration
    }

    private static func path(_ base: String, _ isSealed: Bool) -> String { base + (isSealed ? "/sealed" : "/clear") }

    private func peer(_ backlog: Backlog, in base: String, isSealed: Bool) throws -> StorePeer {
        try StorePeer(at: Self.path(base, isSealed), backlog, configuration: Self.configuration(isSealed))
    }

    private func fill(_ backlog: Backlog, in base: String, isSealed: Bool) throws {
        guard let names = backlog.directory else { throw Failure("the backlog has no names") }
        let peer = try peer(backlog, in: base, isSealed: isSealed)
        try peer.describe(names)
        _ = try SyncRun.measure(peer, backlog, packageSize: 200, chunk: 250_000)
        try peer.close()
    }

    private func sync(_ backlog: Backlog, single: Backlog, _ round: Int, _ ratios: inout SealedRatios) throws {
        let runs = try Both(round) { try sync(backlog, .store, packageSize: 200, isSealed: $0) }
        let stream = try Both(round) { try sync(backlog, .stream, packageSize: 200, isSealed: $0) }
        let messages = try Both(round) { try sync(single, .stream, packageSize: 1, isSealed: $0) }
        ratios.add("sync, events/s", .least(0.92), runs.map(\.readableRate))
        ratios.add("sync, written out, events/s", nil, runs.map(\.flushedRate))
        ratios.add("stream of packages, events/s", .least(0.87), stream.map(\.readableRate))
        ratios.add("stream, message by message, events/s", .least(0.87), messages.map(\.readableRate))
        ratios.add("files, MB", .most(1.15), runs.map { Double($0.diskBytes) / 1e6 })
    }

    /// Syncs a backlog into a new store, whose views must equal a recount.
    private func sync(_ backlog: Backlog, _ kind: Peer, packageSize: Int, isSealed: Bool) throws -> SyncRun {
        try Files.withDirectory(in: directory) { path in
            let configuration = Self.configuration(isSealed)
            let peer = try kind.open(in: path, backlog, RecordSizes(), configuration: configuration)
            var run = try SyncRun.measure(peer, backlog, packageSize: packageSize)
            let expected = Recount.digest(of: backlog)
            if let found = try peer.digest(), found != expected {
                throw WrongViews(peer: kind.title, expected: expected, found: found)
            }
            try peer.close()
            guard FileManager.default.fileExists(atPath: path + "/db/log/keys.json") == isSealed else {
                throw Failure("a store with a key has no keys.json, or a clear one has it")
            }
            run.diskBytes = Files.diskBytes(path)
            return run
        }
    }

    /// The pages that a chat's screens show first.
    private enum Page: String, CaseIterable {
        case list = "first page of the list, 50, µs"
        case changedList = "first page of the list, 50, one of them changed before, µs"
        case newest = "timeline, newest 20, µs"
        case older = "timeline, 20 far back, µs"

        var bar: SealedRatios.Bar { self == .list || self == .changedList ? .most(2) : .most(1.5) }

        func read(_ store: MessageStore, _ target: QueryTarget) throws {
            switch self {
            case .list, .changedList: _ = try store.read { try $0.conversations(limit: 50) }
            case .newest: _ = try store.read { try $0.timeline(of: target.busiest) }
            case .older:
                let part = TimelinePart.before(.message(.local(target.deep.id)))
                _ = try store.read { try $0.timeline(of: target.busiest, part) }
            }
        }
    }

    private func ask(_ stores: Both<MessageStore>, _ ratios: inout SealedRatios) throws {
        let targets = try stores.map { try QueryTarget($0) }
        for page in Page.allCases {
            for turn in 0..<repetitions {
                let times = try Both(turn) { isSealed in
                    let (store, target) = (stores[isSealed], targets[isSealed])
                    if page == .changedList { try store.record(.muted(turn % 2 == 0, in: target.listed)) }
                    return try Stopwatch.seconds { try page.read(store, target) } * 1e6
                }
                ratios.add(page.rawValue, page.bar, times)
            }
        }
    }

    private func replay(_ stores: Both<MessageStore>, _ ratios: inout SealedRatios) throws {
        for round in 0..<rounds {
            for step in ReplayStep.allCases {
                let rates = try Both(round) { isSealed in
                    let count = Double(try stores[isSealed].lastPosition().rawValue)
                    return count / (try Stopwatch.seconds { try step.run(on: stores[isSealed]) })
                }
                ratios.add("\(step.name), events/s", step == .fold ? .least(0.7) : nil, rates)
            }
        }
    }

    private func open(
        _ account: UserID, in base: String, expecting last: Int, _ ratios: inout SealedRatios
    ) throws {
        for turn in 0..<openings {
            let times = try Both(turn) {
                try KilledStore.open(Self.path(base, $0), account: account, expecting: last, key: Self.key($0))
            }
            ratios.add("opening, ms", .added(1), times.map(\.open))
            ratios.add("opening and first page of the list, ms", nil, times.map(\.list))
        }
    }
}
