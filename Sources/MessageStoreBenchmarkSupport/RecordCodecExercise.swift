public import MessageStore
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreTestKit
public import MessageStoreWorkload

/// Encodes events of the synthetic workload as records of the log, verifies the records and decodes them.
///
/// Everything happens in memory: the log below only maps numbers to conversations, users and content types, and they
/// are all known to it and cached. Repeated deliveries are left out. Not for use by two threads at once.
public final class RecordCodecExercise {
    /// The events that are encoded.
    public let events: [Event]
    private let account: UserID
    private let log: EventLog
    private let encoded: PreparedAppend

    /// Makes the events and a first encoding of them.
    ///
    /// - Parameters:
    ///   - eventCount: How many events of the workload are taken, repeated deliveries included.
    ///   - parameters: The statistics of the workload.
    /// - Throws: A `StoreError`, or an error of the file system, if no log can be made in the temporary directory.
    public init(eventCount: Int, parameters: WorkloadParameters = .fitted) throws {
        let workload = WorkloadGenerator(parameters, eventCount: eventCount)
        let directory = workload.directory
        let events = workload.filter { $0.duplicateOf == nil }.map { directory.event($0) }
        let account = directory.accountID
        let log = try ExerciseDirectory.with { path in
            let log = try EventLog(path: path, configuration: .init(access: .create, durability: .none))
            try log.commit(Self.prepare(events, account, log))
            return log
        }
        self.events = events
        self.account = account
        self.log = log
        encoded = try Self.prepare(events, account, log)
    }

    private static func prepare(_ events: [Event], _ account: UserID, _ log: EventLog) throws -> PreparedAppend {
        try log.prepare(events, account: account, now: Timestamp(milliseconds: 1_700_000_000_000))
    }

    /// Encodes all events as one batch.
    ///
    /// Measures the log's work before it writes: validation, the numbers of symbols, the encoding and the checksum.
    ///
    /// - Returns: The bytes of the records.
    public func encode() throws -> Int {
        try Self.prepare(events, account, log).batch.byteCount
    }

    /// Computes the checksum of every encoded record and compares it, as each read of the log does.
    ///
    /// - Returns: How many records are intact.
    public func verify() -> Int {
        Self.verify(encoded.batch)
    }

    private static func verify(_ batch: borrowing EncodedBatch) -> Int {
        var intact = 0
        for index in 0..<batch.count {
            guard let record = batch[index] else { continue }
            if record.isIntact(at: record.position) { intact += 1 }
        }
        return intact
    }

    /// Decodes every encoded record, without looking at its checksum, and passes the event to `body`.
    ///
    /// Measures the whole way back to strings and payloads; folds and queries read records in place and need less.
    ///
    /// - Returns: How many events there were.
    @discardableResult
    public func decode(_ body: (Event) -> Void = { _ in }) throws -> Int {
        try Self.decode(encoded.batch, RecordDecoder(symbols: log.symbols, keepsSymbols: true), body)
    }

    private static func decode(
        _ batch: borrowing EncodedBatch, _ decoder: RecordDecoder, _ body: (Event) -> Void
    ) throws -> Int {
        var count = 0
        for index in 0..<batch.count {
            guard let record = batch[index] else { continue }
            body(try decoder.event(from: record))
            count += 1
        }
        return count
    }
}

/// Indices below `count` in steps, from the first again after the last.
struct CyclicIndex {
    /// A prime, so that successive indices lie far apart and all are met.
    static let wideStep = 7919

    let count: Int
    let step: Int
    private var index = 0

    init(count: Int, step: Int = 1) {
        self.count = count
        self.step = step
    }

    mutating func next() -> Int {
        defer { index = (index + step) % count }
        return index
    }
}

/// Places for the files of exercises.
enum ExerciseDirectory {
    /// Runs `body` with a new directory and removes it at the end.
    ///
    /// The files that `body` opened there stay open and usable, so an exercise leaves no files, however its process
    /// ends.
    static func with<Result: ~Copyable>(_ body: (String) throws -> Result) throws -> Result {
        let path = FileSystem.temporaryDirectory + "/messagestore-exercise-\(UInt64.random(in: .min ... .max))"
        try FileSystem.createDirectory(path)
        defer { try? FileSystem.remove(path) }
        return try body(path)
    }
}
