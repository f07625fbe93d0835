internal import MessageStoreWorkload

/// Rates over the sizes of packages.
extension BulkSync {
    /// What one package size gave.
    typealias SizeResult = (size: Int, runs: [Peer: [SyncRun]])

    /// At most a thousand packages of each size (fewer in a small run), synced by the peers that have views and by the floor.
    static func sizes(_ sizes: [Int], events: Int, rounds: Int, directory: String) throws -> Section {
        let packages = min(max(events / 200, 100), 1_000)
        let results = try sizes.map { size -> SizeResult in
            let backlog = Backlog.fitted(events: min(events, size * packages))
            let benchmark = BulkSync(
                backlog: backlog, packageSize: size, rounds: rounds, peers: [.store, .raw, .grdbFull, .rocksdb],
                directory: directory)
            return (size, try benchmark.run())
        }
        return sizeSection(results)
    }

    static func sizeSection(_ results: [SizeResult]) -> Section {
        var section = Section(title: "Bulk sync by package size")
        section.notes = [
            "Medians of events/s until every view is readable. The smaller the package, the more of its time is the commit."
        ]
        let peers = Peer.allCases.filter { peer in results.contains { $0.runs[peer] != nil } }
        var table = Table(nil, ["events in a package", "events"] + peers.map(\.title) + ["store / raw"])
        for result in results {
            let rates = peers.map { peer in result.runs[peer].map { Spread($0.map(\.readableRate)).median } }
            let store = Spread((result.runs[.store] ?? []).map(\.readableRate)).median
            let raw = Spread((result.runs[.raw] ?? []).map(\.readableRate)).median
            let events = result.runs[.store]?.first?.events
            table.rows.append(
                [.number(result.size), .number(events)] + rates.map { Cell.number($0) } + [.number(store / raw)])
        }
        section.tables = [table]
        section.charts = [sizeChart(results)]
        return section
    }

    private static func sizeChart(_ results: [SizeResult]) -> Chart {
        let series = Peer.allCases.compactMap { peer -> Chart.Series? in
            let points = results.compactMap { result in
                result.runs[peer].map {
                    Chart.Point(x: Double(result.size), y: Spread($0.map(\.readableRate)).median)
                }
            }
            return points.isEmpty ? nil : Chart.Series(name: peer.name, points: points)
        }
        return Chart(
            id: "bulk-sync-package-sizes", title: "Rate by package size", kind: .line,
            x: .init(label: "events in a package", isLogarithmic: true),
            y: .init(label: "events/s, readable", isLogarithmic: true), series: series)
    }
}
