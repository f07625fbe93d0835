import Dispatch
import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("Async calls of cancelled tasks", .timeLimit(.minutes(30)))
struct CancellationTests {
    private typealias Call = @Sendable (MessageStore) async throws -> Void

    private static let calls: [(name: String, call: Call)] = [
        ("record", { _ = try await $0.record(received("new", at: 2)) }),
        ("record several", { _ = try await $0.record([received("new", at: 2)]) }),
        ("ingest", { try await $0.ingest(OfflinePackage(index: 0, events: [received("new", at: 2)], hasMore: false)) }),
        ("enqueue", { _ = try await $0.send(MessageSendQueued(content: .text("new")), to: group) }),
        ("join", { try await $0.joinChatRoom(.chatRoom("r"), at: ms(2)) }),
        ("redact", { try await $0.redact(Position(1)) }),
        ("read", { _ = try await $0.read { $0.position } }),
        ("events", { _ = try await $0.events() }),
        ("all events", { for try await _ in $0.allEvents() {} }),
        ("statistics", { _ = try await $0.statistics() }),
        ("flush", { try await $0.flush() }),
        ("wait", { try await $0.waitUntilDurable() }),
    ]

    @Test("a call that was cancelled before it began does nothing and says so", arguments: calls.indices)
    func nothingDone(index: Int) async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await store.record(received("old", at: 1))
        let digests = try store.digests()
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await Self.calls[index].call(store)
        }
        await #expect(throws: CancellationError.self, "\(Self.calls[index].name)") { try await call.value }
        #expect(try store.digests() == digests)
        #expect(try store.message("old")?.isRedacted == false)
        try await store.close()
    }

    @Test("closing closes all the same, and what was recorded is there")
    func closing() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let task = Task {
            try await store.record(received("a", at: 1), acknowledgement: .visible)
            withUnsafeCurrentTask { $0?.cancel() }
            try await store.close()
        }
        try await task.value
        expectError(.closed) { _ = try store.lastPosition() }
        try place.withStore { store throws in #expect(try store.texts() == ["a"]) }
    }

    @Test("a verification ends early when the store is closed")
    func closedWhileVerifying() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await store.record(received("a", at: 1))
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let isFirst = Locked(true)
        let verifying = Task {
            try await store.verify { _, _ in
                let waits = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard waits else { return }
                report.yield()
                gate.wait()
            }
        }
        _ = await reports.first { _ in true }
        async let closing: Void = store.close()
        // A tail that begins before the store is closed ends then; a later one throws.
        _ = try? await store.tail(after: Position(1)).first { _ in true }
        gate.signal()
        let error = await #expect(throws: StoreError.self) { try await verifying.value }
        #expect(error?.code == .closed)
        try await closing
    }

    @Test("a live query and a tail just end")
    func sequences() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await store.record(received("a", at: 1))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in store.observeUnreadTotals() {}
            for try await _ in store.tail(after: .origin) {}
        }
        try await task.value
        try await store.close()
    }
}
