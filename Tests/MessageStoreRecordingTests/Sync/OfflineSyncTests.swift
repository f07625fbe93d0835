import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("D6–D9, d24: offline sync", .store)
struct OfflineSyncTests {
    private let started = Event(OfflineSyncStarted(session: "s"), origin: .offline)
    private let completed = Event(OfflineSyncCompleted(), origin: .offline)

    private func progress(_ store: MessageStore) throws -> SyncProgress { try store.read { try $0.syncProgress() } }

    @Test("D6–D8: packages are counted with their messages until the sync completes")
    func packages() throws {
        #expect(try progress(store).isSyncing == false)
        try store.record(started)
        #expect(try progress(store).isSyncing && progress(store).hasMore)
        let first = [received("a", at: 1), received("b", at: 2), received("a", at: 1)]
        let result = try store.ingest(OfflinePackage(index: 0, events: first, unstoredMessages: 4, hasMore: true))
        #expect(result.duplicates == 1)
        #expect(result.positions.count == 3)
        #expect(try progress(store).hasMore)
        #expect(try progress(store).messages == 7)
        try store.ingest(OfflinePackage(index: 1, events: [received("c", at: 3)], hasMore: false))
        #expect(try progress(store).packages == 2)
        #expect(try progress(store).hasMore == false)
        #expect(try progress(store).isSyncing)
        try store.record(completed)
        #expect(try progress(store).isSyncing == false)
        #expect(try progress(store).completions == 1)
        #expect(try store.unread().messages == 3)
    }

    @Test("D9: a sync with nothing to receive completes too, and an empty package is one")
    func emptySync() throws {
        try store.record(started, completed)
        #expect(try progress(store).completions == 1)
        #expect(try progress(store).packages == 0)
        let result = try store.ingest(OfflinePackage(index: 0, events: [], hasMore: false))
        #expect(result.positions.isEmpty)
        #expect(try progress(store).packages == 1)
    }

    @Test("d24: a sync that is dropped never completes; the next one begins anew")
    func droppedSync() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(started)
            try store.ingest(OfflinePackage(index: 0, events: [received("a", at: 1)], hasMore: true))
        }
        try place.withStore { store throws in
            #expect(try progress(store).isSyncing)
            try store.record(started)
            #expect(try progress(store).packages == 0)
            #expect(try progress(store).completions == 0)
        }
    }

    @Test("I6: a package with a broken event records nothing, not even the package")
    func atomicPackage() throws {
        let package = OfflinePackage(index: 0, events: [received("a", at: 1), received("", at: 2)], hasMore: false)
        expectError(.invalidArgument) { try store.ingest(package) }
        #expect(try store.lastPosition() == .origin)
        #expect(try progress(store).packages == 0)
    }

    @Test("cursors are kept by name, byte for byte")
    func cursors() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            #expect(try store.read { try $0.syncCursor("messages") } == nil)
            for value in [[0, 255], [], [7]] as [[UInt8]] {
                try store.record(Event(SyncCursorAdvanced(name: "messages", value: value)))
                #expect(try store.read { try $0.syncCursor("messages") } == value)
            }
            try store.record(Event(SyncCursorAdvanced(name: "receipts", value: [1])))
        }
        try place.withStore { store throws in
            #expect(try store.read { try $0.syncCursor("messages") } == [7])
            #expect(try store.read { try $0.syncCursor("receipts") } == [1])
            #expect(try store.read { try $0.syncCursor("message") } == nil)
        }
    }

    @Test("facts of the account and of conversations are kept apart")
    func wrongScope() throws {
        var misplaced = started
        misplaced.conversation = group
        expectError(.invalidArgument) { try store.record(misplaced) }
        expectError(.invalidArgument) { try store.record(Event(any: ConversationPinned())) }
    }
}
