internal import Dispatch
internal import MessageStoreLMDB

/// Writes events as lines, in their order; the lines of a batch are made on all processors.
struct EventLines {
    /// The digest of the lines, and how many there are.
    private(set) var (digest, count) = (LineDigest(), 0)

    private let writer: LineWriter
    private var batch: [RecordedEvent] = []
    private var byteCount = 0

    /// The most events of a batch, and the bytes of records from which on it is written.
    private static let (greatestCount, greatestBytes) = (1024, 1 << 20)

    init(_ writer: LineWriter) { self.writer = writer }

    mutating func add(_ event: RecordedEvent) throws {
        batch.append(event)
        byteCount += event.byteCount
        if batch.count == Self.greatestCount || byteCount >= Self.greatestBytes { try finish() }
    }

    /// Writes what was added.
    mutating func finish() throws {
        defer {
            batch.removeAll(keepingCapacity: true)
            byteCount = 0
        }
        for line in try Self.lines(of: batch) {
            digest.add(line.utf8)
            count += 1
            try writer.write(line)
        }
    }

    private static func lines(of events: [RecordedEvent]) throws -> [String] {
        let size = max(1, (events.count + Machine.processors - 1) / Machine.processors)
        let parts = stride(from: 0, to: events.count, by: size).map { events[$0..<min($0 + size, events.count)] }
        let made = Locked([Result<[String], any Error>](repeating: .success([]), count: parts.count))
        DispatchQueue.concurrentPerform(iterations: parts.count) { index in
            let lines = Result { try parts[index].map { try JSON.line($0) } }
            made.withLock { $0[index] = lines }
        }
        return try made.withLock { $0 }.flatMap { try $0.get() }
    }
}
