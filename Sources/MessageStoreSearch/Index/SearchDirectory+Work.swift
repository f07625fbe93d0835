internal import MessageStoreLMDB

/// Merging and removing, in pieces that take some milliseconds each.
extension SearchDirectory {
    /// Rows that a piece of work removes, and bytes that it writes.
    private static let (rowsPerStep, bytesPerStep) = (1_000, 2 << 20)
    /// With so many erased messages they leave the runs without being asked to.
    private static let greatestErased = 4_096

    /// Does a piece of the work that there is; false where there is none.
    ///
    /// - Parameter thoroughly: Whether erased messages leave the runs now; otherwise that takes place when runs are merged.
    mutating func work(on rows: borrowing LaggingRows, thoroughly: Bool) throws -> Bool {
        if let run = garbage.first {
            if try removeRows(of: run, from: rows) { garbage.removeFirst() }
            return true
        }
        if job == nil {
            let isCleaning = thoroughly || erased.count > Self.greatestErased
            if isCleaning, let run = runs.first(where: isUnclean) {
                begin([run])
            } else {
                let wereErased = !erased.isEmpty
                if !runs.contains(where: isUnclean) { erased = [:] }
                guard let runs = crowd() else { return wereErased && erased.isEmpty }
                begin(runs)
            }
        }
        try advance(rows)
        return true
    }

    /// Begins to write a run in the place of others, without what was erased.
    private mutating func begin(_ sources: [SearchRun]) {
        var run = SearchRun(number: takeNumber(), events: sources.reduce(0) { $0 &+ $1.events })
        run.erasures = erasures
        job = MergeJob(run: run, sources: sources.map(\.number))
    }

    /// Whether a run may have messages that lost contents after it was made.
    private func isUnclean(_ run: SearchRun) -> Bool {
        erased.contains { run.erasures < $0.value && run.lowest <= $0.key && $0.key <= run.highest }
    }

    /// Runs of a size, where there are too many of it.
    private func crowd() -> [SearchRun]? {
        Dictionary(grouping: runs, by: \.level).values.first { $0.count >= SearchRun.fanOut }
            .map { Array($0.prefix(SearchRun.fanOut)) }
    }

    private mutating func removeRows(of run: UInt32, from rows: borrowing LaggingRows) throws -> Bool {
        let prefix = SearchRun.key(run)
        var keys: [[UInt8]] = []
        try rows.forEachKey(from: prefix) { key in
            guard key.starts(with: prefix) else { return false }
            keys.append([UInt8](key))
            return keys.count < Self.rowsPerStep
        }
        for key in keys { try rows.remove(at: key) }
        return keys.count < Self.rowsPerStep
    }

    /// Merges the next grams of the sources.
    private mutating func advance(_ rows: borrowing LaggingRows) throws {
        guard var job else { return }
        let sources = job.sources.compactMap { number in runs.first { $0.number == number } }
        guard let first = sources.first, sources.count == job.sources.count else { throw LaggingRow.damaged }
        var merge = try RunMerge(sources, without: erased, after: job.lastGram, in: rows)
        var writer = RunWriter(job.run)
        while writer.byteCount < Self.bytesPerStep, try merge.next() {
            if !merge.positions.isEmpty {
                try merge.gram.withUnsafeBytes { try writer.append($0, merge.positions[...], to: rows) }
            }
            job.lastGram = merge.gram
        }
        try writer.flush(to: rows)
        job.run = writer.run
        guard merge.isAtEnd else {
            self.job = job
            return
        }
        let place = runs.firstIndex { $0.number == first.number } ?? runs.endIndex
        runs.insert(job.run, at: place)
        runs.removeAll { job.sources.contains($0.number) }
        garbage += job.sources
        self.job = nil
    }
}

/// Walks several runs at once, gram by gram.
struct RunMerge: ~Copyable {
    private var sources: [Source]
    private(set) var gram: [UInt8] = []
    /// The messages of the gram in all runs, the highest first.
    private(set) var positions: [UInt64] = []

    private final class Source {
        var reader: ChunkReader
        var isAtEnd = false
        /// Messages that are not to be listed.
        let erased: Set<UInt64>

        init(_ reader: consuming ChunkReader, without erased: Set<UInt64>) {
            self.reader = reader
            self.erased = erased
        }
    }

    /// - Parameters:
    ///   - erased: Messages that leave the runs which have not applied an erasure, by its number.
    ///   - gram: The walk begins after it; with the first one where it is empty.
    init(
        _ runs: [SearchRun], without erased: [UInt64: UInt64], after gram: [UInt8], in rows: borrowing LaggingRows
    ) throws {
        sources = []
        for run in runs {
            let source = Source(
                ChunkReader(run, try rows.transaction.unboundCursor(in: rows.table)),
                without: Set(erased.lazy.filter { $0.value > run.erasures }.map(\.key)))
            if gram.isEmpty {
                source.isAtEnd = try !source.reader.first()
            } else {
                // Below all messages of the gram there is the next one.
                source.isAtEnd = try !gram.withUnsafeBytes { try source.reader.seek($0, from: 0) }
                while !source.isAtEnd, source.reader.gram == gram { source.isAtEnd = try !source.reader.next() }
            }
            sources.append(source)
        }
    }

    var isAtEnd: Bool { sources.allSatisfy(\.isAtEnd) }

    /// Moves to the next gram; false after the last one.
    mutating func next() throws -> Bool {
        var least: Source?
        for source in sources where !source.isAtEnd {
            if let found = least, !source.reader.gram.lexicographicallyPrecedes(found.reader.gram) { continue }
            least = source
        }
        guard let least else { return false }
        gram = least.reader.gram
        positions.removeAll(keepingCapacity: true)
        var isOrdered = true
        // Later events are in later runs.
        for source in sources.reversed() {
            while !source.isAtEnd, source.reader.gram == gram {
                let start = positions.count
                try source.reader.appendPositions(to: &positions)
                if !source.erased.isEmpty {
                    let kept = positions[start...].filter { !source.erased.contains($0) }
                    positions.replaceSubrange(start..., with: kept)
                }
                if start > 0, start < positions.count, positions[start - 1] <= positions[start] { isOrdered = false }
                source.isAtEnd = try !source.reader.next()
            }
        }
        if !isOrdered { positions = Set(positions).sorted(by: >) }
        return true
    }
}
