/// One sync of a backlog by one peer, measured.
struct SyncRun {
    /// Until the last package was durable and the list and unread total were read.
    var readableSeconds = 0.0
    /// What it then took to write out everything in memory.
    var writeSeconds = 0.0
    var packages: [PackageTime] = []
    /// All waits for the medium meanwhile; nil if there were more than are recorded.
    var flushes: [FlushWait]? = []
    /// Each package in microseconds.
    var packageTimes: [Double] { packages.map(\.microseconds) }
    /// Each erasure in microseconds.
    var erasureTimes: [Double] = []
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
    /// Its erasures take place between packages.
    ///
    /// - Parameters:
    ///   - start: The events before this one are left out; the peer has them.
    ///   - samplesMemory: Whether a thread samples memory meanwhile.
    ///   - checkpoint: Called with the state so far, views written out, whenever so many events are in as one of `stops`
    ///     says.
    static func measure(
        _ peer: some SyncPeer, _ backlog: Backlog, from start: Int = 0, limit: Int = .max, packageSize: Int,
        chunk: Int = .max, stops: [Int] = [], samplesMemory: Bool = true,
        checkpoint: (SyncRun) throws -> Void = { _ in }
    ) throws -> SyncRun {
        var run = SyncRun()
        let events = backlog.events(limit: limit)
        for _ in 0..<start { _ = events.next() }
        let total = min(limit, backlog.count) - start
        let pauses = (stops + backlog.erasures.keys.map { $0 - start }).sorted()
        // The memory of its records is no peer's.
        _ = Flushes.recording {}
        var sampler: MemorySampler?
        defer { _ = sampler?.stop() }
        while run.events < total {
            let stop = pauses.first { $0 > run.events } ?? total
            let packages = Self.packages(from: events, min(chunk, stop - run.events), packageSize)
            let count = packages.reduce(0) { $0 + $1.count }
            try peer.prepare(packages, hasMore: run.events + count < total)
            if samplesMemory, sampler == nil { sampler = MemorySampler() }
            let before = ProcessCounters.now()
            let flushes = try Flushes.recording {
                run.readableSeconds += try Stopwatch.seconds { run.packages += try peer.ingestAll(packages.count) {} }
            }
            if let flushes { run.flushes? += flushes } else { run.flushes = nil }
            run.events += count
            if let erasure = backlog.erasures[start + run.events] {
                let seconds = try Stopwatch.seconds { try peer.erase(erasure) }
                run.erasureTimes.append(seconds * 1e6)
                run.readableSeconds += seconds
            }
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

    static func packages(from events: AnyIterator<SyncEvent>, _ count: Int, _ size: Int) -> [[SyncEvent]] {
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

extension SyncRun {
    var readableRate: Double { Double(events) / readableSeconds }
    /// Until everything in memory was written out as well.
    var flushedSeconds: Double { readableSeconds + writeSeconds }
    var flushedRate: Double { Double(events) / flushedSeconds }

    /// Ends the benchmark where flushes of a peer are not counted, nor delayed.
    ///
    /// A durable package waits for the medium unless everything in it is known, which is rare.
    func requireFlushes(of peer: Peer) throws {
        guard let flushes = counters.flushes, peer.flushesEachPackage else { return }
        guard flushes >= (packages.count + 1) / 2 else {
            throw Failure("\(peer.title): \(flushes) flushes counted in \(packages.count) durable packages")
        }
    }
}
