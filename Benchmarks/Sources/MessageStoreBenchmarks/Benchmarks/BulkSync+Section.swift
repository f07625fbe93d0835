/// The rounds of a bulk sync as tables.
extension BulkSync {
    func section(_ runs: [Peer: [SyncRun]]) -> Section {
        var section = Section(
            title: "Bulk sync of \(backlog.count) events (\(backlog.name)), packages of \(packageSize)\(delayTitle)")
        section.notes = [
            "Every package is durable before the next, but for those of a stream, which share flushes, and whose time counts from",
            "when a package is taken from the stream until it is acknowledged. The views of every peer that has views were compared with a plain",
            "recount of the events before any rate was printed.",
            "`readable`: until the last package returned and the list and unread total were read.",
            "`written out`: the same and everything in memory on disk; `store / peer` compares this of the store with",
            "`readable` of the peer. GRDB without an event table keeps messages alone and recognises only them again;",
            "RocksDB keeps no list and no members; naive and raw recognise nothing again. A flush is a call that waits for",
            "the medium. \(ProcessCounters.explanation)",
            SecondThread.note,
        ]
        section.tables = [rates(runs), costs(runs)]
        section.tables += [Peer.store, .flushControl].compactMap { peer in
            runs[peer].flatMap { Stalls($0).table("What ran during the packages of \(peer.name)") }
        }
        section.notes += stalls(runs)
        section.charts = [rateChart(runs), packageChart(runs)]
        section.verdict = verdict(runs)
        return section
    }

    /// What a title says of the delay.
    private var delayTitle: String { flushDelay == 0 ? "" : ", each flush \(flushDelay) ms longer" }

    private func rates(_ runs: [Peer: [SyncRun]]) -> Table {
        var table = Table(
            "Rates, medians of \(rounds) rounds",
            [
                "peer", "events", "events/s, readable", "min", "max", "events/s, written out", "store / peer",
                "of the control", "events kept",
            ])
        let store = Spread((runs[.store] ?? []).map(\.flushedRate)).median
        let control = runs[.flushControl].map { Spread($0.map(\.readableRate)).median }
        for peer in Peer.allCases {
            guard let runs = runs[peer] else { continue }
            let rate = Spread(runs.map(\.readableRate))
            let isCapped = limit(of: peer) < backlog.count
            table.rows.append([
                .text(peer.title + (isCapped ? " (only the first events)" : "")), .number(limit(of: peer)),
                .number(rate.median), .number(rate.min), .number(rate.max),
                .number(Spread(runs.map(\.flushedRate)).median), peer == .store ? .none : .number(store / rate.median),
                .number(control.map { rate.median / $0 }),
                .number(runs.last?.keptEvents),
            ])
        }
        return table
    }

    private func costs(_ runs: [Peer: [SyncRun]]) -> Table {
        var table = Table(
            "Costs, medians; memory is the growth of anonymous memory (RssAnon, sampled every 20 ms) during the sync",
            [
                "peer", "flushes a package", "bytes passed a package", "bytes passed a message",
                "bytes written a message", "CPU a message in µs",
                "bytes on disk a message", "peak memory in MB", "commits",
                "minor faults", "major faults", "median package in µs", "p99 package in µs", "p99.9 package in µs",
                "longest package in µs",
            ])
        for peer in Peer.allCases {
            guard let runs = runs[peer] else { continue }
            let events = Double(limit(of: peer))
            let packages = Double(runs[0].packageTimes.count)
            let times = Spread(runs.flatMap(\.packageTimes))
            func median(_ value: (SyncRun) -> Int?) -> Double {
                Spread(runs.compactMap { value($0).map(Double.init) }).median
            }
            table.rows.append([
                .text(peer.title), .number(median { $0.counters.flushes } / packages),
                .number(median { $0.counters.bytesPassed } / packages),
                .number(median { $0.counters.bytesPassed } / events),
                .number(median { $0.counters.bytesWritten } / events),
                .number(Spread(runs.map { $0.counters.cpuSeconds * 1e6 / events }).median),
                .number(median { $0.diskBytes } / events), .number(median { $0.memory } / 1e6),
                .number(median { $0.commits }), .number(median { $0.counters.minorFaults }),
                .number(median { $0.counters.majorFaults }), .number(times.median), .number(times.percentile(99)),
                .number(times.percentile(99.9)), .number(Self.longest(runs).median),
            ])
        }
        return table
    }

    private func stalls(_ runs: [Peer: [SyncRun]]) -> [String] {
        guard let store = runs[.store].map(Self.longest) else { return [] }
        var notes: [String] = []
        if let raw = runs[.raw] {
            let commit = Spread(raw.flatMap(\.packageTimes)).median
            notes.append(
                "The longest package of the store took \(Markdown.number(store.median)) µs (worst round "
                    + "\(Markdown.number(store.max)) µs): \(Markdown.number(store.median / commit)) times the median raw "
                    + "commit of \(Markdown.number(commit)) µs.")
        }
        if let control = runs[.flushControl] {
            let longest = Self.longest(control)
            let median = Spread(control.flatMap(\.packageTimes)).median
            notes.append(
                "The longest write of the flush control took \(Markdown.number(longest.median)) µs (worst round "
                    + "\(Markdown.number(longest.max)) µs, median write \(Markdown.number(median)) µs): the store's longest "
                    + "package is \(Markdown.number(store.median / longest.median)) times that.")
        }
        return notes
    }

    /// The longest package of each round.
    private static func longest(_ runs: [SyncRun]) -> Spread { Spread(runs.map { Spread($0.packageTimes).max }) }

    /// The store's rate, processor time and longest package against others', where they took part.
    private func verdict(_ runs: [Peer: [SyncRun]]) -> String? {
        guard let store = runs[.store] else { return nil }
        func rate(_ runs: [SyncRun]) -> Double { Spread(runs.map(\.readableRate)).median }
        func cpu(_ runs: [SyncRun]) -> Double { Spread(runs.map { $0.counters.cpuSeconds / Double($0.events) }).median }
        let ratios = [Peer.raw, .grdbFull, .grdbEvents, .rocksdb].compactMap { peer in
            runs[peer].map { "\(Markdown.number(rate(store) / rate($0))) × \(peer.name)" }
        }
        let control = runs[.flushControl].map { ", \(Markdown.number(rate(store) / rate($0))) of the control" } ?? ""
        var text = "Bulk sync, \(backlog.name)\(delayTitle): \(Markdown.number(rate(store).rounded())) events/s"
        text += (ratios.isEmpty ? "" : ", " + ratios.joined(separator: ", ")) + control + "."
        if let share = Stalls(store).share {
            text += " Packages above 1 ms took \(Markdown.number(100 * share)) % of the time."
        }
        if let grdb = runs[.grdbFull] {
            let (own, theirs) = (Self.longest(store).median / 1e3, Self.longest(grdb).median / 1e3)
            text +=
                " An event takes \(Markdown.number(cpu(store) / cpu(grdb))) of GRDB's processor time;"
                + " the longest package took \(Markdown.number(own)) ms, GRDB's \(Markdown.number(theirs)) ms."
        }
        return text
    }

    /// The distribution of the packages' times.
    private func packageChart(_ runs: [Peer: [SyncRun]]) -> Chart {
        .percentiles(
            id: "bulk-sync-packages-\(backlog.slug)-\(packageSize)" + (flushDelay == 0 ? "" : "-flush-\(flushDelay)"),
            title: "Packages of \(packageSize), \(backlog.name)\(delayTitle)", unit: "µs",
            Peer.allCases.compactMap { peer in runs[peer].map { (peer.name, Spread($0.flatMap(\.packageTimes))) } })
    }

    private func rateChart(_ runs: [Peer: [SyncRun]]) -> Chart {
        let points = Peer.allCases.enumerated().compactMap { index, peer in
            runs[peer].map {
                Chart.Point(x: Double(index), y: Spread($0.map(\.flushedRate)).median, label: peer.name)
            }
        }
        return Chart(
            id: "bulk-sync-\(backlog.slug)-\(packageSize)" + (flushDelay == 0 ? "" : "-flush-\(flushDelay)"),
            title: "Bulk sync, \(backlog.name), packages of \(packageSize)\(delayTitle)", kind: .bar,
            x: .init(label: ""), y: .init(label: "events/s, written out"),
            series: [.init(name: "events/s", points: points)])
    }
}
