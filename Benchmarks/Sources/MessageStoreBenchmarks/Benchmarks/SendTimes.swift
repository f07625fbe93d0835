internal import MessageStore
internal import MessageStoreWorkload

/// One durable send: the store, a raw LMDB commit of one record of the same size, and one GRDB insert, in turns.
struct SendTimes {
    private typealias Costs = SendCosts
    /// Events that are in the store and in SQLite before.
    var events = 100_000
    var sends = 1_000
    var directory: String

    func run() throws -> Section {
        try Files.withDirectory(in: directory) { base in
            Progress.say("send: filling with \(events) events")
            let backlog = Backlog.fitted(events: events)
            guard let names = backlog.directory else { throw Failure("the backlog has no names") }
            var configuration = MessageStore.Configuration()
            configuration.idleFlushDelay = Costs.idleDelay
            let peer = try StorePeer(at: base + "/store", backlog, configuration: configuration)
            try peer.describe(names)
            _ = try SyncRun.measure(peer, backlog, packageSize: 200, chunk: 250_000)
            let sqlite = try SQLitePeer(at: base + "/db.sqlite", backlog, .full)
            try sqlite.describe(names)
            _ = try SyncRun.measure(sqlite, backlog, packageSize: 2_000, chunk: 250_000)
            let sizes = try peer.recordSizes()
            let raw = try RawPeer(at: base + "/raw", sizes)
            for commit in sizes.commitEnds.indices { try raw.ingest(commit) }
            let senders = Senders(store: peer.store, raw: raw, sqlite: sqlite, key: backlog.conversations[0])
            let times = try measure(senders)
            let costs = try Costs(senders)
            guard try peer.store.read({ try $0.outbox().count }) == senders.sent else {
                throw Failure("the outbox does not hold what was sent")
            }
            try peer.close()
            try sqlite.close()
            return section(times, costs)
        }
    }

    /// Microseconds of each send.
    private struct Times {
        var store: [Double] = []
        var raw: [Double] = []
        var sqlite: [Double] = []
    }

    private func measure(_ senders: Senders) throws -> Times {
        Progress.say("send: \(sends) sends each")
        var times = Times()
        // The first sends warm up.
        for index in 0..<(sends + 20) {
            let ours = try Stopwatch.seconds { try senders.sendToStore() } * 1e6
            let floor = try Stopwatch.seconds { try senders.sendToRaw() } * 1e6
            let theirs = try Stopwatch.seconds { try senders.sendToSQLite() } * 1e6
            guard index >= 20 else { continue }
            times.store.append(ours)
            times.raw.append(floor)
            times.sqlite.append(theirs)
        }
        return times
    }

    private func section(_ times: Times, _ costs: Costs) -> Section {
        var section = Section(title: "One durable send")
        section.notes = [
            "\(sends) sends each, in turns in one loop, into stores of \(events) events. The raw commit appends a record of",
            "the same size to an LMDB table; GRDB inserts the message and updates its conversation, synchronous FULL.",
            "Flushes and bytes passed to writes are those of \(Costs.sends) more sends of each peer alone. A lone send is followed by \(Costs.pause),",
            "within which the store, idle for \(Costs.idleDelay), writes its views.",
        ]
        var table = Table(
            nil,
            [
                "peer", "median in µs", "p90 in µs", "p99 in µs", "max in µs", "median against raw", "p99 against raw",
                "median of the ratios of a turn",
                "flushes a send", "bytes passed a send", "flushes of a lone send",
            ])
        let raw = Spread(times.raw)
        for ((name, values), cost) in zip(rows(times), [costs.store, costs.raw, costs.sqlite]) {
            let spread = Spread(values)
            table.rows.append([
                .text(name), .number(spread.median), .number(spread.percentile(90)), .number(spread.percentile(99)),
                .number(spread.max), .number(spread.median / raw.median),
                .number(spread.percentile(99) / raw.percentile(99)),
                .number(Spread(zip(values, times.raw).map { $0 / $1 }).median),
                .number(cost.flushes), .number(cost.bytes), .number(cost.loneFlushes),
            ])
        }
        section.tables = [table]
        section.charts = [
            Chart.percentiles(
                id: "send", title: "One durable send", unit: "µs", rows(times).map { ($0.0, Spread($0.1)) })
        ]
        return section
    }

    private func rows(_ times: Times) -> [(String, [Double])] {
        [("MessageStore", times.store), ("raw LMDB commit", times.raw), ("GRDB insert", times.sqlite)]
    }
}

extension Chart {
    /// The distribution of latencies, as percentiles side by side.
    static func percentiles(id: String, title: String, unit: String, _ series: [(name: String, values: Spread)])
        -> Chart
    {
        let shares = [(50.0, "p50"), (90, "p90"), (99, "p99"), (99.9, "p99.9"), (100, "max")]
        return Chart(
            id: id, title: title, kind: .bar, x: .init(label: "percentile"),
            y: .init(label: unit, isLogarithmic: true),
            series: series.map { name, values in
                Series(
                    name: name,
                    points: shares.map { Point(x: $0.0, y: values.percentile($0.0), label: $0.1) })
            })
    }
}
