/// One sync of a backlog by one peer, measured.
struct SyncRun {
    /// Until the last package was durable and the list and unread total were read.
    var readableSeconds = 0.0
    /// What it then took to write out everything in memory.
    var writeSeconds = 0.0
    /// Each package in microseconds.
    var packageTimes: [Double] = []
    /// What was counted while packages were recorded, read and written out.
    var counters = ProcessCounters()
    /// Bytes of anonymous memory beyond those at the start, at the peak.
    var memory: Int?
    var commits: Int?
    /// Events that can be read again.
    var keptEvents: Int?
    var diskBytes = 0
    var events = 0

    /// Feeds the backlog to a peer. Packages are made outside the measured time, `chunk` events at once.
    ///
    /// - Parameters:
    ///   - samplesMemory: Whether a thread samples memory meanwhile.
    ///   - checkpoint: Called with the state so far, views written out, whenever so many events are in as one of `stops`
    ///     says.
    static func measure(
        _ peer: some SyncPeer, _ backlog: Backlog, limit: Int = .max, packageSize: Int, chunk: Int = .max,
        stops: [Int] = [], samplesMemory: Bool = true, checkpoint: (SyncRun) throws -> Void = { _ in }
    ) throws -> SyncRun {
        var run = SyncRun()
        let total = min(limit, backlog.count)
        let events = backlog.events(limit: total)
        var sampler: MemorySampler?
        defer { _ = sampler?.stop() }
        while run.events < total {
            let stop = stops.first { $0 > run.events } ?? total
            let packages = Self.packages(from: events, min(chunk, stop - run.events), packageSize)
            let count = packages.reduce(0) { $0 + $1.count }
            try peer.prepare(packages, hasMore: run.events + count < total)
            if samplesMemory, sampler == nil { sampler = MemorySampler() }
            let before = ProcessCounters.now()
            run.readableSeconds += try Stopwatch.seconds { run.packageTimes += try peer.ingestAll(packages.count) }
            run.events += count
            if run.events == total || stops.contains(run.events) {
                run.readableSeconds += try Stopwatch.seconds { try peer.readViews() }
                run.writeSeconds += try Stopwatch.seconds { try peer.flush() }
            }
            run.counters = run.counters + (ProcessCounters.now() - before)
            run.memory = sampler?.growth
            if stops.contains(run.events) { try checkpoint(run) }
        }
        return run
    }

    private static func packages(from events: AnyIterator<SyncEvent>, _ count: Int, _ size: Int) -> [[SyncEvent]] {
        var packages: [[SyncEvent]] = []
        var package: [SyncEvent] = []
        var left = count
        while left > 0, let event = events.next() {
            left -= 1
            package.append(event)
            if package.count == size {
                packages.append(package)
                package = []
            }
        }
        if !package.isEmpty { packages.append(package) }
        return packages
    }
}
