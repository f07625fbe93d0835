#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import MessageStoreSearch

/// What a message shows, as a test knows it.
struct ShownMessage: Codable, Equatable {
    let id: UInt64
    var text: String
    var conversation: String
    var sender: String
    var type: String
    var time: Int64
    var mentions: Bool
    var fileName: String?

    /// The field that a hit is to show.
    func words(_ field: SearchHit.Field) -> String? { field == .text ? text : fileName }
}

/// A message that the program found.
struct ScanHit: Codable, Hashable {
    let id: UInt64
    let isFileName: Bool

    init(_ hit: SearchHit) { (id, isFileName) = (hit.position.rawValue, hit.field == .fileName) }
}

/// A query as the program reads it.
struct ScanQuery: Codable {
    struct Term: Codable {
        let text: String
        let isPrefix: Bool
        let isExcluded: Bool
    }

    let terms: [Term]
    let isAny: Bool
    let conversations: [String]?
    let senders: [String]?
    let types: [String]?
    let time: [Int64]?
    let mentions: Bool
    let link: Bool

    init(_ query: SearchQuery) {
        terms = query.terms.map { Term(text: $0.text, isPrefix: $0.isPrefix, isExcluded: $0.isExcluded) }
        isAny = query.matching == .any
        conversations = query.conversations.map { $0.map { "\($0)" } }
        senders = query.senders.map { $0.map(\.rawValue) }
        types = query.types.map { $0.map(\.rawValue) }
        time = query.time.map { [$0.lowerBound.milliseconds, $0.upperBound.milliseconds] }
        (mentions, link) = (query.mentionsAccount, query.hasLink)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(terms, forKey: .terms)
        try container.encode(isAny, forKey: .isAny)
        // With null where there is no filter.
        try container.encode(conversations, forKey: .conversations)
        try container.encode(senders, forKey: .senders)
        try container.encode(types, forKey: .types)
        try container.encode(time, forKey: .time)
        try container.encode(mentions, forKey: .mentions)
        try container.encode(link, forKey: .link)
    }
}

/// The program `scan.py`, which finds messages by reading all of them, and shares no code or table with the library.
final class LinearScan {
    /// A line of a log.
    struct Line: Codable {
        let conv: String
        let from: String
        let text: String
    }

    struct Ended: Error {}

    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("scan.py").path
    /// Next to the repository.
    private static let logs = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }
    .appendingPathComponent("shared/data")

    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var buffered = Data()

    init(_ arguments: [String] = []) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: FoldingOracle.python)
        process.arguments = ["python3", "-B", Self.script] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The file of a log; nil where it is not there.
    static func file(_ log: String) -> String? {
        let roots = [logs.path, ProcessInfo.processInfo.environment["MESSAGESTORE_LOGS"]].compactMap { $0 }
        return roots.map { "\($0)/\(log).ndjson.gz" }.first { FileManager.default.isReadableFile(atPath: $0) }
    }

    /// The first texts of a log.
    static func lines(_ file: String, count: Int) throws -> [Line] {
        let program = try LinearScan(["texts", file, "\(count)"])
        let data = try program.output.fileHandleForReading.readToEnd() ?? Data()
        return try data.split(separator: 0x0A).map { try JSONDecoder().decode(Line.self, from: $0) }
    }

    /// Sets what messages show.
    func set(_ messages: [ShownMessage]) throws { try write(["set": messages]) }

    /// Notes messages that are not shown any more.
    func drop(_ ids: [UInt64]) throws { try write(["drop": ids]) }

    /// The messages that a query finds, the highest first; nil where it has nothing to look for.
    func find(_ query: SearchQuery) throws -> [ScanHit]? {
        try write(["find": ScanQuery(query)])
        return try JSONDecoder().decode([ScanHit]?.self, from: readLine())
    }

    private func write(_ request: some Encodable) throws {
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(request) + [0x0A])
    }

    private func readLine() throws -> Data {
        while true {
            if let end = buffered.firstIndex(of: 0x0A) {
                defer { buffered = Data(buffered[(end + 1)...]) }
                return Data(buffered[..<end])
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Ended() }
            buffered += more
        }
    }
}
#endif
