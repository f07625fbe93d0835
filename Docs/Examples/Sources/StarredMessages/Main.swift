import Foundation
import MessageStore

/// Shows what a store promises of a host's projection: kept live, reopened, replayed, verified, and rebuilt alone after a
/// change of its version, while events are recorded and pages are read.
///
/// Give it a path to keep the store there, for `messagestore rows PATH com.example.starred-messages/by-time`.
@main
struct Main {
    static let friends = ConversationKey.group("friends")

    static func main() async throws {
        let given = CommandLine.arguments.dropFirst().first
        let path = given ?? NSTemporaryDirectory() + "/starred-" + UUID().uuidString
        defer { if given == nil { try? FileManager.default.removeItem(atPath: path) } }

        try await live(path)
        try await reopened(path)
        try await rebuiltBesideEverythingElse(path)
        print("OK")
    }

    static func open(_ path: String, version: UInt32 = 1) async throws -> MessageStore {
        var configuration = MessageStore.Configuration()
        configuration.events = [StarChanged.self]
        configuration.projections = [StarredMessages(version: version)]
        return try await MessageStore.open(path, account: "alice", configuration: configuration)
    }

    static func star(_ number: Int, _ isStarred: Bool = true) -> Event {
        let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1000)
        return Event(
            StarChanged(message: ServerMessageID("m\(number)"), isStarred: isStarred, time: time), in: friends)
    }

    static func message(_ number: Int) -> Event {
        let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1000)
        return .received(
            ServerMessageID("m\(number)"), from: "bob", in: friends, at: time,
            content: .text("message \(number)"))
    }

    /// Every change is seen by whoever follows.
    static func live(_ path: String) async throws {
        let store = try await open(path)
        try await store.record((1...5).map(message))
        var shown = store.observe { try $0.starred() }.makeAsyncIterator()
        try await expect(shown.next(), [])
        try await store.record(star(2))
        try await expect(shown.next(), ["m2"])
        try await store.record([star(4), star(5)])
        try await expect(shown.next(), ["m5", "m4", "m2"])
        try await store.record(star(4, false))
        try await expect(shown.next(), ["m5", "m2"])
        try await store.close()
        print("live: each star is shown as it is recorded")
    }

    /// The rows are there at once, answer for the past, and are what the log says.
    static func reopened(_ path: String) async throws {
        let store = try await open(path)
        try await expect(store.read { try $0.starred() }, ["m5", "m2"])
        try await expect(store.read { try $0.starCount() }, 2)
        try await expect(store.replay(to: Position(8)) { try $0.starred() }, ["m5", "m4", "m2"])
        let report = try await store.verify()
        try expect(report.isConsistent, true)
        try expect(report.digests.keys.contains(StarredMessages.id), true)
        try await store.close()
        print("reopened: two stars; three at position 8; \(report.digests.count) projections verified")
    }

    /// Another version is made from the log, and nothing else waits for it.
    static func rebuiltBesideEverythingElse(_ path: String) async throws {
        let store = try await open(path, version: 2)
        let syncing = Task {
            for number in 6...200 { try await store.record([message(number), star(number)]) }
        }
        let paging = Task {
            var pages = 0
            while try store.lastPosition() < Position(9 + 2 * 195) {
                let page = try await store.read { try $0.timeline(of: friends, limit: 50) }
                try expect(page.elements.isEmpty, false)
                pages += 1
                await Task.yield()
            }
            return pages
        }
        try await store.waitUntilRebuilt()
        try await syncing.value
        let pages = try await paging.value
        try await expect(store.read { try $0.starCount() }, 197)
        try await expect(store.read { try $0.starred(limit: 1) }, ["m200"])
        try await expect(store.verify().isConsistent, true)
        let status = try await store.read {
            try ViewDiagnostics.projections(in: $0).first { $0.id == StarredMessages.id }
        }
        try expect(status?.version, 2)
        try await store.close()
        print("version 2: rebuilt beside \(pages) pages that were read while 390 events were recorded")
    }

    struct Unexpected: Error { let line: UInt }

    static func expect<Value: Equatable>(_ value: Value, _ expected: Value, line: UInt = #line) throws {
        guard value == expected else {
            print("line \(line): \(value) instead of \(expected)")
            throw Unexpected(line: line)
        }
    }
}

extension Views {
    /// The ids of the starred messages, newest first.
    borrowing func starred(limit: Int = 100) throws -> [String] {
        try rows(of: StarredMessages.byTime, order: .descending, limit: limit).elements.map(\.key.2.rawValue)
    }

    /// How many there are.
    borrowing func starCount() throws -> UInt64 {
        try row(of: StarredMessages.counts, at: 0)?.value ?? 0
    }
}
