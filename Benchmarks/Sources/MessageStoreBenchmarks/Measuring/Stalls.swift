/// What ran during the packages of a sync: who waited for the medium at the same time, and what the package's own thread
/// spent its time on.
///
/// The time of a flush is wall time: what its thread ran in it, or waited for a processor after it, counts there as well.
/// A package is slow because of another one's flush if packages during that take longer in their own flush; for want of a
/// processor if its thread could run and did not; and because of back-pressure or a lock in what is left.
struct Stalls {
    /// Above this, a package is a stall.
    static let limit = 1000.0

    /// Packages during which the same flushes ran.
    struct Group {
        var packages: [Package] = []

        func mean(_ value: (Package) -> Double) -> Double {
            packages.isEmpty ? .nan : packages.reduce(0) { $0 + value($1) } / Double(packages.count)
        }
    }

    /// One package, in microseconds.
    struct Package {
        var time: Double
        /// In waits for the medium of its own thread.
        var flush = 0.0
        var running: Double
        var withoutProcessor: Double
        /// For other threads: back-pressure, locks.
        var rest: Double { max(0, time - flush - running - withoutProcessor) }
    }

    /// By what ran meanwhile: `journal`, `log`, `views` or a name of a file; empty for nothing.
    private(set) var groups: [Set<String>: Group] = [:]

    init(_ runs: [SyncRun]) {
        for run in runs { add(run) }
    }

    private mutating func add(_ run: SyncRun) {
        guard let waits = run.flushes?.sorted(by: { $0.begin < $1.begin }) else { return }
        // A wait that began before may be a long one.
        let longest = waits.map { $0.end - $0.begin }.max() ?? 0
        for package in run.packages {
            guard let spent = package.spent else { continue }
            var found = Package(
                time: package.microseconds, running: spent.running, withoutProcessor: spent.waiting)
            var others: Set<String> = []
            var index = waits.partition(before: package.start - longest)
            while index < waits.count, waits[index].begin < package.end {
                defer { index += 1 }
                let wait = waits[index]
                guard wait.end > package.start else { continue }
                if wait.thread == package.thread {
                    found.flush += Double(min(wait.end, package.end) - max(wait.begin, package.start)) / 1e3
                } else {
                    others.insert(wait.use)
                }
            }
            groups[others, default: Group()].packages.append(found)
        }
    }

    /// The groups, all packages, and the stalls; nil where the system does not say what threads spend.
    func table(_ title: String) -> Table? {
        let all = groups.values.flatMap(\.packages)
        guard !all.isEmpty else { return nil }
        var table = Table(
            title,
            [
                "flushes of other threads meanwhile", "packages", "share of the time", "above 1 ms",
                "share of the time in these", "median in µs", "mean in µs", "own flush", "own processor time",
                "without a processor", "waiting for others",
            ])
        let total = all.reduce(0) { $0 + $1.time }
        let rows = groups.sorted { $0.value.packages.count > $1.value.packages.count }
            .map { ($0.key.isEmpty ? "none" : $0.key.sorted().joined(separator: ", "), $0.value) }
        for (name, group) in rows + [("all", Group(packages: all))] {
            let stalls = group.packages.filter { $0.time > Self.limit }
            table.rows.append(
                [
                    .text(name), .number(group.packages.count),
                    .number(group.packages.reduce(0) { $0 + $1.time } / total), .number(stalls.count),
                    .number(stalls.reduce(0) { $0 + $1.time } / total),
                    .number(Spread(group.packages.map(\.time)).median),
                ] + Self.means(group))
        }
        let stalls = Group(packages: all.filter { $0.time > Self.limit })
        if !stalls.packages.isEmpty {
            let share = stalls.packages.reduce(0) { $0 + $1.time } / total
            table.rows.append(
                [
                    .text("those above 1 ms"), .number(stalls.packages.count), .number(share),
                    .number(stalls.packages.count), .number(share), .number(Spread(stalls.packages.map(\.time)).median),
                ] + Self.means(stalls))
        }
        return table
    }

    /// The share of the time of packages that stalls take; nil where the system does not say what threads spend.
    var share: Double? {
        let all = groups.values.flatMap { $0.packages.map(\.time) }
        return all.isEmpty ? nil : all.reduce(0) { $0 + ($1 > Self.limit ? $1 : 0) } / all.reduce(0, +)
    }

    private static func means(_ group: Group) -> [Cell] {
        [
            .number(group.mean(\.time)), .number(group.mean(\.flush)), .number(group.mean(\.running)),
            .number(group.mean(\.withoutProcessor)), .number(group.mean(\.rest)),
        ]
    }
}

extension [FlushWait] {
    /// The index of the first wait that begins at a moment or later.
    fileprivate func partition(before moment: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].begin < moment { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
