import MessageStore
import MessageStoreTestKit
import Testing

// `MessageStore.docc/OfflineSync.md` shows code of this file; a test compares them.

/// The app's connection to its server.
protocol ChatServer: Sendable {
    /// The messages after a place, and the place after them; nil after the last ones.
    func messages(after place: [UInt8]?) async throws -> (events: [Event], place: [UInt8], hasMore: Bool)
}

/// The packages after a place, one request each.
struct Packages: AsyncSequence {
    let server: any ChatServer
    let place: [UInt8]?

    func makeAsyncIterator() -> Iterator { Iterator(server: server, place: place) }

    struct Iterator: AsyncIteratorProtocol {
        let server: any ChatServer
        var place: [UInt8]?
        var index: UInt32 = 0
        var isLast = false

        mutating func next() async throws -> OfflinePackage? {
            if isLast { return nil }
            let answer = try await server.messages(after: place)
            (place, isLast) = (answer.place, !answer.hasMore)
            defer { index += 1 }
            return OfflinePackage(
                index: index, events: answer.events, hasMore: answer.hasMore,
                cursor: SyncCursorAdvanced(name: "inbox", value: answer.place))
        }
    }
}

extension MessageStore {
    /// Receives all that came while this account was offline, and continues after the last package that was recorded.
    func catchUp(with server: any ChatServer) async throws -> SyncProgress {
        try await sync("inbox") { place in Packages(server: server, place: place) }
    }
}

@Suite("OfflineSync.md: a sync that continues where it was interrupted", .timeLimit(.minutes(30)))
struct SyncGuideTests {
    private struct Lost: Error {}

    private actor FakeServer: ChatServer {
        private(set) var requests: [[UInt8]?] = []
        private var failures: Int

        init(failingOnceAt failures: Int) { self.failures = failures }

        func messages(after place: [UInt8]?) async throws -> (events: [Event], place: [UInt8], hasMore: Bool) {
            requests.append(place)
            let number = Int(place?.first ?? 0)
            if number == failures {
                failures = -1
                throw Lost()
            }
            let events = (0..<10).map { index in
                Event.received(
                    ServerMessageID("m\(number)-\(index)"), from: "bob", in: .group("friends"),
                    at: Timestamp(milliseconds: Int64(1 + number * 10 + index)), content: .text("hello"),
                    origin: .offline)
            }
            return (events, [UInt8(number + 1)], number < 3)
        }
    }

    @Test("each package is recorded once, also where the connection was lost between two")
    func continuing() async throws {
        let place = try TemporaryStore()
        let store = try await MessageStore.open(place.path, account: "me", configuration: place.configuration)
        let server = FakeServer(failingOnceAt: 2)
        await #expect(throws: Lost.self) { try await store.catchUp(with: server) }
        #expect(try await store.read { try $0.unread(of: .group("friends")).messages } == 20)
        let progress = try await store.catchUp(with: server)
        #expect(progress.packages == 2 && !progress.isSyncing)
        #expect(try await store.read { try $0.unread(of: .group("friends")).messages } == 40)
        #expect(await server.requests == [nil, [1], [2], [2], [3]])
        try await store.close()
    }
}
