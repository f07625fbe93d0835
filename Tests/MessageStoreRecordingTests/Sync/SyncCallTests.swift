import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("D6, D7: a sync in one call", .store, .timeLimit(.minutes(30)))
struct SyncCallTests {
    private struct Lost: Error {}

    /// A server's packages after a place, each with one message and the place after it.
    private static func packages(
        after cursor: [UInt8]?, through last: UInt8, named name: String = "inbox", failingAfter end: UInt8 = .max
    ) -> AsyncThrowingStream<OfflinePackage, any Error> {
        let next = Locked((cursor?.first ?? 0) + 1)
        return AsyncThrowingStream {
            let index = next.withLock { next in
                defer { next += 1 }
                return next
            }
            if index > end { throw Lost() }
            guard index <= last else { return nil }
            return OfflinePackage(
                index: UInt32(index), events: [received("m\(index)", at: Int64(index), origin: .offline)],
                hasMore: index < last, cursor: SyncCursorAdvanced(name: name, value: [index]))
        }
    }

    private func types(from position: UInt64 = 1) throws -> [EventType] {
        try store.events(from: Position(position)).map(\.event.type)
    }

    private static let begin: [EventType] = [.sessionStateChanged, .offlineSyncStarted]
    private static let package: [EventType] = [.messageReceived, .syncCursorAdvanced, .offlinePackageReceived]

    @Test("session, start, packages with their cursors and completion, in this order; then nothing is missing")
    func whole() async throws {
        let acknowledged = Locked([[Position?]]())
        let progress = try await store.sync("inbox", session: "s1") { cursor in
            #expect(cursor == nil)
            return Self.packages(after: cursor, through: 2)
        } acknowledge: { _, result in
            acknowledged.withLock { $0.append(result.positions) }
        }
        #expect(try types() == Self.begin + Self.package + Self.package + [.offlineSyncCompleted])
        #expect(acknowledged.withLock { $0 } == [[Position(3)], [Position(6)]], "positions of the events alone")
        #expect(progress == SyncProgress(packages: 2, messages: 2, completions: 1))
        #expect(try await store.read { try $0.timeline(of: group).isContiguous })
        let origins = Set(try await store.events(from: Position(3)).map(\.event.origin))
        #expect(origins == [.offline])
    }

    @Test("the next sync continues after the last package, also if the one before failed or was refused")
    func continued() async throws {
        await #expect(throws: Lost.self) {
            try await store.sync("inbox") { Self.packages(after: $0, through: 3, failingAfter: 2) }
        }
        #expect(try await store.read { try $0.syncProgress() }.isSyncing, "an incomplete sync is not completed")
        let error = await #expect(throws: StoreError.self) {
            try await store.sync("inbox") { Self.packages(after: $0, through: 3, named: "outbox") }
        }
        #expect(error?.code == .invalidArgument)
        let before = try store.lastPosition().rawValue
        try await store.sync("inbox") { cursor in
            #expect(cursor == [2])
            return Self.packages(after: cursor, through: 3)
        }
        #expect(try types(from: before + 1) == Self.begin + Self.package + [.offlineSyncCompleted])
        #expect(try store.texts() == ["m1", "m2", "m3"])
    }

    @Test("a package alone records its cursor in the same commit")
    func single() async throws {
        let cursor = SyncCursorAdvanced(name: "inbox", value: [7])
        let package = OfflinePackage(
            index: 0, events: [received("a", at: 1, origin: .offline)], hasMore: false, cursor: cursor)
        #expect(try await store.ingest(package).positions == [Position(1)])
        #expect(try await store.ingest(package).known == [0])
        #expect(try await store.read { try $0.syncCursor("inbox") } == [7])
    }
}
