internal import MessageStoreWorkload

/// Rates over the time that a flush takes.
extension BulkSync {
    /// What one delay of every flush gave.
    typealias DelayResult = (milliseconds: Int, runs: [Peer: [SyncRun]])

    /// Syncs a backlog at each delay, by the peers that have views and by both floors.
    static func flushDelays(_ delays: [Int], events: Int, rounds: Int, directory: String) throws -> Section {
        var benchmark = BulkSync(
            backlog: .fitted(events: events), rounds: rounds,
            peers: [.store, .stream, .raw, .grdbFull, .grdbEvents, .rocksdb, .flushControl], directory: directory)
        let results = try delays.map { delay -> DelayResult in
            benchmark.flushDelay = delay
            return (delay, try benchmark.run())
        }
        return benchmark.delaySection(results)
    }

    func delaySection(_ results: [DelayResult]) -> Section {
        var section = Section(
            title: "Bulk sync by the time of a flush, \(backlog.count) events, packages of \(packageSize)")
        section.notes = [
            "Medians of events/s until every view is readable, over \(rounds) rounds. Every call of every peer that waits for",
            "the medium takes so many milliseconds longer: `fsync`, `fdatasync`, `msync`, `sync_file_range`, and writes to",
            "files opened with `O_SYNC` or `O_DSYNC`. Flushes of different threads wait beside each other. On a file system",
            "in memory the added time is all that a flush takes.",
        ]
        section.tables = [delayTable(results), flushTable(results)]
        section.charts = [delayChart(results)]
        return section
    }

    private func takingPart(_ results: [DelayResult]) -> [Peer] {
        Peer.allCases.filter { peer in results.contains { $0.runs[peer] != nil } }
    }

    private func rate(_ peer: Peer, _ result: DelayResult) -> Double? {
        result.runs[peer].map { Spread($0.map(\.readableRate)).median }
    }

    private func delayTable(_ results: [DelayResult]) -> Table {
        let peers = takingPart(results)
        let compared = peers.filter { [.raw, .grdbFull, .grdbEvents].contains($0) }
        var table = Table(
            "Rates",
            ["ms added to a flush"] + peers.map(\.title) + compared.map { "store / \($0.rawValue)" }
                + compared.map { "stream / \($0.rawValue)" })
        for result in results {
            func ratios(_ ours: Peer) -> [Cell] {
                compared.map { peer in
                    .number(rate(peer, result).flatMap { theirs in rate(ours, result).map { $0 / theirs } })
                }
            }
            table.rows.append(
                [.number(result.milliseconds)] + peers.map { .number(rate($0, result)) } + ratios(.store)
                    + ratios(.stream))
        }
        return table
    }

    private func flushTable(_ results: [DelayResult]) -> Table {
        let peers = takingPart(results)
        var table = Table("Flushes a package", ["ms added to a flush"] + peers.map(\.title))
        for result in results {
            table.rows.append(
                [.number(result.milliseconds)]
                    + peers.map { peer in
                        let runs = result.runs[peer] ?? []
                        let flushes = runs.compactMap { run in
                            run.counters.flushes.map { Double($0) / Double(run.packageTimes.count) }
                        }
                        return .number(Spread(flushes).median)
                    })
        }
        return table
    }

    private func delayChart(_ results: [DelayResult]) -> Chart {
        Chart(
            id: "bulk-sync-flush-delays", title: "Rate by the time of a flush", kind: .line,
            x: .init(label: "ms added to a flush"), y: .init(label: "events/s, readable", isLogarithmic: true),
            series: takingPart(results).map { peer in
                Chart.Series(
                    name: peer.name,
                    points: results.compactMap { result in
                        rate(peer, result).map { Chart.Point(x: Double(result.milliseconds), y: $0) }
                    })
            })
    }
}
