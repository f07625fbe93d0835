import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreLog
import MessageStoreModel
import MessageStoreSharing
import MessageStoreWorkload

/// Files in an inbox that no inbox wrote, among those that one did: with broken bytes, and with broken lines and the right
/// digest. They are clear, also where the store is sealed.
struct InboxFuzzer {
    /// What a file is, by its name.
    private enum Kind {
        case good, broken
        /// What it says may be anything.
        case forged
    }

    private static let account = RandomEvents.account
    /// A word of the messages, which no reason may repeat.
    private static let word = "sentence"

    private let directory: String
    private var inbox: String { directory + "/inbox" }
    private var mutations: Mutations
    private var events: RandomEvents
    private var kinds: [String: Kind] = [:]
    private var goodIDs: Set<String> = []

    init(_ directory: String, seed: UInt64) {
        self.directory = directory
        (mutations, events) = (Mutations(seed: seed), RandomEvents(seed: seed, largestBatch: 4))
    }

    /// Lets a new store record so many files; answers with numbers, or the first problem.
    mutating func run(_ count: Int) throws -> String {
        var configuration = MessageStore.Configuration.ofTests
        configuration.processes.inboxPath = inbox
        configuration.durability.level = .relaxed
        try FileSystem.createDirectory(directory)
        defer { try? FileSystem.remove(directory) }
        try InboxDirectory(inbox).create()
        for number in 0..<count { try write(number) }
        let store = try MessageStore.open(
            directory + "/store", account: Self.account, configuration: configuration)
        defer { try? store.close() }
        try store.drainInbox()
        return try check(store)
    }

    private mutating func write(_ number: Int) throws {
        var kind: Kind = mutations.random.chance(0.1) ? .good : mutations.random.chance(0.5) ? .broken : .forged
        var bytes: [UInt8] = []
        repeat {
            let batch = kind == .good ? goodEvents(number) : events.nextBatch(after: Position(UInt64(number)))
            bytes = try InboxFile.encode(batch, for: Self.account)
        } while Self.erases(bytes)
        let name = [(UInt64(number), 16), (1, 8), (mutations.random.next(), 16), (1, 8)]
            .map { $0.0.hexadecimal(digits: $0.1) }.joined(separator: "-")
        let changed =
            switch kind {
            case .good: bytes
            case .broken: mutations.broken(bytes, [bytes])
            case .forged: forged(bytes)
            }
        // The last line's own bytes have no digest, and may be other JSON of the same meaning.
        let body = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? []
        if kind == .broken, changed.starts(with: body) { kind = .forged }
        kinds[name] = kind
        try FileSystem.create(inbox + "/new/" + name, bytes: changed)
    }

    /// Whether a file has an event that erases, which also removes the files in `bad`.
    private static func erases(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return ["\"erases\":true", "Erased", "Redact"].contains { text.contains($0) }
    }

    private mutating func goodEvents(_ number: Int) -> [Event] {
        (0...mutations.random.nextIndex(3)).map { index in
            let id = "good-\(number)-\(index)"
            goodIDs.insert(id)
            return .received(
                ServerMessageID(id), from: "u1", in: .group("good"),
                at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)), content: .text("\(Self.word) \(id)"))
        }
    }

    /// A file with a broken line before the last one, which has the digest of all before it.
    private mutating func forged(_ bytes: [UInt8]) -> [UInt8] {
        var lines = bytes.split(separator: UInt8(ascii: "\n")).dropLast().map { [UInt8]($0) }
        let index = mutations.random.nextIndex(lines.count)
        switch mutations.random.nextIndex(10) {
        case 0: lines.remove(at: index)
        case 1: lines.append(lines[index])
        case 2: lines.swapAt(index, mutations.random.nextIndex(lines.count))
        default: lines[index] = mutations.brokenJSON(lines[index])
        }
        let body = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
        return body + "{\"digest\":\"\(XXH64.hash(body.span.bytes).hexadecimal())\"}\n".utf8
    }

    private func check(_ store: MessageStore) throws -> String {
        let waiting = Set(try FileSystem.names(in: inbox + "/new"))
        let bad = Set(try FileSystem.names(in: inbox + "/bad") { !$0.hasSuffix(".reason") })
        var counts = (applied: 0, rejected: 0, waiting: 0)
        for (name, kind) in kinds {
            switch (kind, bad.contains(name), waiting.contains(name)) {
            case (.good, false, false), (.forged, false, false): counts.applied += 1
            case (.broken, true, false), (.forged, true, false): counts.rejected += 1
            // What its events need may still come.
            case (.forged, false, true): counts.waiting += 1
            default: return "bad: \(name), \(kind), is in the wrong place"
            }
        }
        for name in bad {
            let reason = try FileSystem.read(inbox + "/bad/" + name + ".reason", limit: 4096)
            let text = String(decoding: reason, as: UTF8.self)
            guard reason.count > 1, !text.contains(Self.word) else { return "bad: the reason of \(name)" }
        }
        var found: [String: Int] = [:]
        for event in try store.events(limit: .max) {
            guard let message = event.event.payload as? MessageReceived else { continue }
            found[message.serverID.rawValue, default: 0] += 1
        }
        guard goodIDs.allSatisfy({ found[$0] == 1 }) else { return "bad: a message is missing, or there twice" }
        guard try store.verify().isConsistent else { return "bad: the views are not what the log says" }
        return "applied \(counts.applied)\trejected \(counts.rejected)\twaiting \(counts.waiting)"
    }
}
