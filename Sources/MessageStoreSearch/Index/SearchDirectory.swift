/// The runs of an index, and the work on them that is not done yet: one row.
struct SearchDirectory: Equatable {
    /// The runs, each of later events than the one before, but for those that erasures added.
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
    /// The run that is being written, of what, and its last gram.
    var job: MergeJob?
    /// How many texts were longer than what is indexed of them.
    var longTexts: UInt64 = 0

    private static let key: [UInt8] = [0]

    init() {}

    /// - Parameter isFirst: Whether no events were indexed so far.
    /// - Throws: `StoreError` with code `viewsDamaged` where there is none although there is something in it.
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
