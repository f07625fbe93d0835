internal import MessageStoreLMDB

/// The runs of an index, and the work on them that is not done yet: one row.
struct SearchDirectory: Equatable {
    /// The runs, each of later events than the one before, but for runs that erasures added.
    var runs: [SearchRun] = []
    /// The number of the next run.
    var nextNumber: UInt32 = 1
    /// Runs whose rows are to be removed.
    var garbage: [UInt32] = []
    /// Messages that have lost contents, with the number of the last erasure that took some: they leave the runs that have
    /// not applied it.
    var erased: [UInt64: UInt64] = [:]
    /// How many erasures there were.
    var erasures: UInt64 = 0
    /// The run that is being written, its sources, and its last gram.
    var job: MergeJob?
    /// How many texts were longer than the part of them that is indexed.
    var longTexts: UInt64 = 0

    private static let key: [UInt8] = [0]

    init() {}

    /// - Parameter isFirst: Whether no events were indexed so far.
    /// - Throws: `StoreError` with code `viewsDamaged` if there is none although there is something in it.
    init(reading rows: borrowing LaggingRows, isFirst: Bool) throws {
        if let bytes = try rows.value(at: Self.key) {
            try self.init(bytes)
        } else {
            guard isFirst else { throw LaggingRow.damaged }
            self.init()
        }
    }

    /// - Throws: As above.
    init(reading rows: borrowing LaggingSnapshot) throws {
        if let bytes = try rows.value(at: Self.key) {
            try self.init(bytes)
        } else {
            guard rows.position == .origin else { throw LaggingRow.damaged }
            self.init()
        }
    }

    func write(to rows: borrowing LaggingRows) throws { try rows.put(bytes, at: Self.key) }

    /// A number for a new run.
    mutating func takeNumber() -> UInt32 {
        defer { nextNumber &+= 1 }
        return nextNumber
    }

    private var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for number in [UInt64(nextNumber), erasures, longTexts] { bytes.append(number: number) }
        for list in [
            garbage.map(UInt64.init), erased.ordered { $0.key < $1.key }.flatMap { [$0.key, $0.value] },
            runs.flatMap(\.numbers),
        ] { bytes.append(list: list) }
        bytes.append(number: job == nil ? 0 : 1)
        if let job {
            bytes.append(list: job.run.numbers)
            bytes.append(list: job.sources.map(UInt64.init))
            bytes.append(list: job.lastGram.map(UInt64.init))
        }
        return bytes
    }

    private init(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            var reader = NumberReader(bytes)
            nextNumber = UInt32(truncatingIfNeeded: try reader.number())
            (erasures, longTexts) = (try reader.number(), try reader.number())
            garbage = try reader.list().map { UInt32(truncatingIfNeeded: $0) }
            let pairs = try reader.list()
            guard pairs.count.isMultiple(of: 2) else { throw LaggingRow.damaged }
            for index in stride(from: 0, to: pairs.count, by: 2) { erased[pairs[index]] = pairs[index + 1] }
            runs = try SearchRun.runs(of: reader.list())
            guard try reader.number() == 1 else { return }
            guard let run = try SearchRun.runs(of: reader.list()).first else { throw LaggingRow.damaged }
            let sources = try reader.list().map { UInt32(truncatingIfNeeded: $0) }
            let gram = try reader.list().map { UInt8(truncatingIfNeeded: $0) }
            job = MergeJob(run: run, sources: sources, lastGram: gram)
        }
    }
}

/// A run that is being made of others.
struct MergeJob: Equatable {
    var run: SearchRun
    let sources: [UInt32]
    /// The last gram that it has.
    var lastGram: [UInt8] = []
}

extension SearchRun {
    fileprivate var numbers: [UInt64] { [UInt64(number), events, UInt64(chunks), lowest, highest, erasures] }

    fileprivate static func runs(of numbers: [UInt64]) throws -> [SearchRun] {
        guard numbers.count.isMultiple(of: 6) else { throw LaggingRow.damaged }
        return stride(from: 0, to: numbers.count, by: 6).map { start in
            SearchRun(
                number: UInt32(truncatingIfNeeded: numbers[start]), events: min(numbers[start + 1], greatestEvents),
                chunks: UInt32(truncatingIfNeeded: numbers[start + 2]), lowest: numbers[start + 3],
                highest: numbers[start + 4], erasures: numbers[start + 5])
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(list: [UInt64]) {
        append(number: UInt64(list.count))
        for number in list { append(number: number) }
    }
}

extension NumberReader {
    fileprivate mutating func number() throws -> UInt64 {
        guard let number = next() else { throw LaggingRow.damaged }
        return number
    }

    fileprivate mutating func list() throws -> [UInt64] {
        let count = try number()
        guard count <= UInt64(bytes.count - offset) else { throw LaggingRow.damaged }
        return try (0..<count).map { _ in try number() }
    }
}

/// Merging and removing, in pieces that take some milliseconds each.
extension SearchDirectory {
    /// Rows that a piece of work removes, and bytes that it writes.
    private static let (rowsPerStep, bytesPerStep) = (1_000, 2 << 20)
    /// With so many erased messages they leave the runs without being asked to.
    private static let greatestErased = 4_096

    /// Does a piece of the work that there is; false if there is none.
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

    /// Begins to write a run in the place of others, without erased messages.
    private mutating func begin(_ sources: [SearchRun]) {
        var run = SearchRun(number: takeNumber(), events: sources.reduce(0) { $0 &+ $1.events })
        run.erasures = erasures
        job = MergeJob(run: run, sources: sources.map(\.number))
    }

    /// Whether a run may have messages that lost contents after it was made.
    private func isUnclean(_ run: SearchRun) -> Bool {
        erased.contains { run.erasures < $0.value && run.lowest <= $0.key && $0.key <= run.highest }
    }

    /// Runs of a size, if there are too many of it.
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
    ///   - gram: The walk begins after it; with the first one if it is empty.
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
