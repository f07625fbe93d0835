internal import Foundation

/// The results as tables.
extension ChatSyncResults {
    var section: Section {
        let stores = isSealed == true ? ", sealed stores" : ""
        var section = Section(title: "ChatSync at a scale of \(scale.formatted()), packages of \(packageSize)\(stores)")
        section.notes = [
            "The six scenarios of `Benchmarks/ChatSync.md`, \(rounds) rounds in turns. Each ended with views that equal a plain recount",
            "of the events, but for the LMDB append, which has none. Rates count until the last package was acknowledged and the list",
            "was read; `÷ \(against)` is the median of the rounds' ratios. \(ProcessCounters.explanation)",
        ]
        section.tables = scenarios.map { table($0) }
        section.charts = [chart]
        section.verdict = verdict
        return section
    }

    private func table(_ scenario: OfScenario) -> Table {
        let isKilled = scenario.scenario == .killed
        let isErasing = scenario.scenario == .erasing
        var table = Table(
            "\(scenario.scenario.number). \(scenario.scenario.title): \(scenario.events) events, "
                + "\(scenario.conversations) conversations",
            [
                "peer", "events/s", "min", "max", "÷ \(against)", "CPU an event in µs", "bytes passed an event",
                "bytes dirtied an event", "bytes on disk an event", "flushes a package", "peak memory in MB",
                "median package in µs", "p99.9 package in µs", "longest package in µs",
            ] + (isKilled ? ["reopened in ms", "packages acknowledged", "packages found"] : [])
                + (isErasing ? ["median erasure in µs", "longest erasure in µs"] : []))
        for peer in scenario.peers {
            if let reason = peer.notApplicable {
                let first: [Cell] = [.text(peer.peer), .text("not applicable: \(reason)")]
                table.rows.append(first + [Cell](repeating: .none, count: table.columns.count - 2))
                continue
            }
            let (rate, times) = (peer.eventsPerSecond, peer.packageMicroseconds)
            var row: [Cell] = [.text(peer.peer)]
            row += [
                rate?.median, rate?.least, rate?.greatest, peer.ratio, peer.cpuMicrosecondsPerEvent,
                peer.bytesPassedPerEvent, peer.bytesDirtiedPerEvent, peer.bytesOnDiskPerEvent, peer.flushesPerPackage,
                peer.peakMemoryBytes.map { $0 / 1e6 }, times?.median, times?.p999, times?.longest,
            ].map { Cell.number($0) }
            if isKilled {
                let reopening = peer.reopening
                row += [
                    .number(reopening?.milliseconds), .number(reopening?.packagesAcknowledged),
                    .number(reopening?.packagesFound),
                ]
            }
            if isErasing {
                row += [.number(peer.erasureMicroseconds?.median), .number(peer.erasureMicroseconds?.longest)]
            }
            table.rows.append(row)
        }
        return table
    }

    private var chart: Chart {
        var names: [String] = []
        for peer in scenarios.flatMap(\.peers) where !names.contains(peer.peer) && peer.peer != against {
            names.append(peer.peer)
        }
        return Chart(
            id: "chat-sync", title: "ChatSync: rate against that of \(against)", kind: .bar, x: .init(label: ""),
            y: .init(label: "times the rate of \(against)"),
            series: names.map { name in
                Chart.Series(
                    name: name,
                    points: scenarios.enumerated().map { index, scenario in
                        let ratio = scenario.peers.first { $0.peer == name }?.ratio
                        return Chart.Point(x: Double(index), y: ratio ?? .nan, label: scenario.scenario.title)
                    })
            })
    }

    private var verdict: String? {
        let ratios = scenarios.compactMap { scenario in
            scenario.peers.first { $0.peer == Peer.store.name }?.ratio.map {
                "\(Markdown.number($0)) × (\(scenario.scenario.title))"
            }
        }
        guard !ratios.isEmpty, against != Peer.store.name else { return nil }
        return "ChatSync at a scale of \(scale.formatted()), the store's rate against that of \(against): "
            + ratios.joined(separator: ", ") + "."
    }
}
