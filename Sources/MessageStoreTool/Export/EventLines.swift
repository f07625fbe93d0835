internal import Dispatch
internal import Foundation
internal import MessageStoreCZlib
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

    /// Writes the added lines.
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

/// The first line of an exported log.
struct ExportHeader: Codable {
    static let format = "messagestore-events"
    static let formatVersion = 1

    /// A log's description of a host's type of events.
    struct HostType: Codable {
        let name: String
        let type: UInt16
        let version: UInt8
        /// In the form of the log.
        let description: Data
    }

    let format: String
    let formatVersion: Int
    let account: UserID
    /// The positions of the first and the last event; the last is one less than the first if there is none.
    let first: Position
    let last: Position
    /// The event for which some of the others were cut off; nil if none was.
    let base: Position?
    let hostTypes: [HostType]

    init(account: UserID, first: Position, last: Position, base: Position, descriptions: [EventDescription]) {
        (format, formatVersion) = (Self.format, Self.formatVersion)
        (self.account, self.first, self.last) = (account, first, last)
        self.base = base > first ? base : nil
        hostTypes = descriptions.map {
            HostType(name: $0.name, type: $0.type.rawValue, version: $0.version, description: Data($0.bytes))
        }
    }

    /// The descriptions of hosts' types; nil if one cannot be read.
    var descriptions: [EventDescription]? {
        let descriptions = hostTypes.compactMap { host in
            EventDescription(number: UInt32(host.type) << 8 | UInt32(host.version), bytes: [UInt8](host.description))
        }
        return descriptions.count == hostTypes.count ? descriptions : nil
    }
}

/// The last line of an exported log.
struct ExportTrailer: Codable {
    /// A projection at the last event.
    struct Projection: Codable {
        let version: UInt32
        let digest: String
    }

    let events: Int
    /// The digest of the events' lines.
    let digest: String
    /// The projections by name; nil if the log does not begin at its first event.
    let projections: [String: Projection]?
    /// How many events of each type lost their content to `--no-text`; nil if all is there.
    let withoutText: [String: Int]?
}

/// The digest of lines in their order: the XXH64 of each line's bytes, seeded with the digest of the lines before it.
struct LineDigest {
    private var value: UInt64 = 0

    /// Adds a line, without its line feed.
    mutating func add(_ line: some Sequence<UInt8>) {
        let before = value
        let hash = line.withContiguousStorageIfAvailable { XXH64.hash(UnsafeRawBufferPointer($0), seed: before) }
        value = hash ?? Array(line).withUnsafeBytes { XXH64.hash($0, seed: before) }
    }

    var text: String { value.hexadecimal() }
}

/// Writes lines to standard output or a new file, plain or as gzip.
final class LineWriter {
    private var file: gzFile?
    /// nil for standard output.
    private let path: String?

    /// - Parameter path: The file, which must not exist; nil for standard output.
    init(isGzip: Bool, file path: String? = nil) throws {
        self.path = path
        let descriptor = path.map { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) } ?? dup(STDOUT_FILENO)
        if let path, descriptor < 0 { throw Self.cannotBeWritten(path, errno) }
        // zlib writes plain text, too, with T.
        file = gzdopen(descriptor, isGzip ? "wb" : "wT")
        guard let file else { throw Self.cannotBeWritten(path, errno) }
        gzbuffer(file, 64 * 1024)
    }

    deinit { if let file { gzclose(file) } }

    func write(_ line: String) throws {
        var line = line + "\n"
        let isWritten = line.withUTF8 { gzwrite(file, $0.baseAddress, UInt32($0.count)) > 0 }
        if !isWritten { throw Self.cannotBeWritten(path, errno) }
    }

    /// Writes the rest; nothing may be written after it.
    func finish() throws {
        defer { file = nil }
        if gzclose(file) != Z_OK { throw Self.cannotBeWritten(path, errno) }
    }

    private static func cannotBeWritten(_ path: String?, _ number: Int32) -> any Error {
        guard let path else { return StandardOutput.cannotBeWritten(number) }
        return ToolError.check("\(path) cannot be written: \(String(cString: strerror(number)))")
    }
}
