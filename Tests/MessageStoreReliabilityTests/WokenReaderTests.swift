#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import Testing

@Suite("A store that another process writes", .timeLimit(.minutes(30)))
struct WokenReaderTests {
    /// Opens a store for reading only, which is never looked at from time to time.
    private static func follow(_ path: String) throws -> MessageStore {
        var configuration = MessageStore.Configuration.ofTests
        configuration.processes.pollingInterval = .seconds(36_000)
        return try MessageStore.openReadOnly(path, configuration: configuration)
    }

    /// Records in the other process, which now and then erases and compacts; answers the last position.
    private static func grow(_ worker: Worker, _ path: String) throws -> Position {
        let answer = try worker.ask(["search-grow", path])
        guard case .line(let line) = answer, let position = UInt64(line) else {
            Issue.record("\(answer)")
            return .origin
        }
        return Position(position)
    }

    @Test("a live query goes on with what the other process records, also when the log's files are replaced")
    func liveQuery() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let worker = Worker()
        _ = try Self.grow(worker, path)
        let store = try Self.follow(path)
        var positions = store.observe { $0.position }.makeAsyncIterator()
        for _ in 0..<14 {
            let last = try Self.grow(worker, path)
            var seen = Position.origin
            while seen < last { seen = try #require(try await positions.next()) }
            #expect(seen == last)
        }
        try await store.close()
        #expect(try await positions.next() == nil)
    }

    @Test("a tail has every event of the other process once")
    func tail() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let worker = Worker()
        let first = try Self.grow(worker, path)
        let store = try Self.follow(path)
        var events = store.tail(after: first).makeAsyncIterator()
        var reached = first
        for _ in 0..<14 {
            let last = try Self.grow(worker, path)
            while reached < last {
                let event = try #require(try await events.next())
                #expect(event.position == Position(reached.rawValue + 1))
                reached = event.position
            }
        }
        try await store.close()
    }

    @Test("a live query shows what the other process erases without recording anything more")
    func erasure() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/store"
        let worker = Worker()
        #expect(try worker.ask(["record-or-redact", path]) == .line("1"))
        let store = try Self.follow(path)
        let query = store.observe { try $0.timeline(of: .group("g"), limit: 1).elements.first?.content.text }
        var texts = query.makeAsyncIterator()
        #expect(try await texts.next() == "the secret words")
        #expect(try worker.ask(["record-or-redact", path]) == .line("1"))
        #expect(try await texts.next() == String?.none)
        try await store.close()
    }
}
#endif
