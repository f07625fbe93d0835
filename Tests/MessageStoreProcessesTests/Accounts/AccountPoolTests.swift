import Dispatch
import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreWorkload
import Testing
@testable import MessageStoreTestSupport

@Suite("The open stores of many accounts", .timeLimit(.minutes(30)))
struct AccountPoolTests {
    private let place: TemporaryStore
    private let stores: AccountStores

    init() throws {
        place = try TemporaryStore()
        stores = AccountStores(at: place.directory + "/accounts")
    }

    private func pool(openStores: Int) -> AccountPool {
        AccountPool(stores, openStores: openStores) { [place] _ in place.configuration }
    }

    @Test("stores are opened when they are used, and the one that was used longest ago makes room")
    func oldest() throws {
        let pool = pool(openStores: 3)
        for number in 0..<10 {
            try pool.withStore("user\(number)") { try $0.record(received("m", at: 1, text: "\(number)")) }
        }
        #expect(pool.openings == 10)
        try pool.withStore("user9") { store throws in #expect(try store.texts() == ["9"]) }
        try pool.withStore("user8") { store throws in #expect(try store.texts() == ["8"]) }
        #expect(pool.openings == 10)
        for number in 0..<10 {
            try pool.withStore("user\(number)") { store throws in #expect(try store.texts() == ["\(number)"]) }
        }
        pool.close()
        #expect(pool.openCount == 0)
        expectError(.closed) { try pool.withStore("user1") { _ in } }
        // Nobody has one of them open.
        for number in 0..<10 { try stores.open("user\(number)", configuration: place.configuration).close() }
    }

    @Test("a leased store stays open, and who needs its place waits")
    func lease() throws {
        let pool = pool(openStores: 2)
        var leases = [try pool.lease("a"), try pool.lease("b")]
        let isDone = DispatchSemaphore(value: 0)
        let hasOpened = Locked(false)
        Thread.detachNewThread {
            try? pool.withStore("c") { store in
                hasOpened.withLock { $0 = true }
                _ = try store.record(received("m", at: 1))
            }
            isDone.signal()
        }
        for store in leases.map(\.store) { try store.record(received("m", at: 1)) }
        #expect(!hasOpened.withLock { $0 })
        leases.removeFirst()
        isDone.wait()
        #expect(hasOpened.withLock { $0 })
        try leases[0].store.record(received("n", at: 2))
        leases.removeAll()
        pool.close("b")
        try stores.remove("b")
        pool.close()
        #expect(try stores.accounts() == ["a", "c"])
    }

    @Test("an account that cannot be opened is in nobody's way")
    func failure() throws {
        let pool = pool(openStores: 1)
        for _ in 0..<3 { expectError(.invalidArgument) { try pool.withStore("") { _ in } } }
        let other = try stores.open("a", configuration: place.configuration)
        expectError(.alreadyOpen) { try pool.withStore("a") { _ in } }
        try other.close()
        try pool.withStore("a") { try $0.record(received("m", at: 1)) }
        pool.close()
        pool.close()
    }

    private static let perThread = TestSize.of(plain: 40, full: 150)

    @Test("many threads and accounts: every message is in its account's store, once", arguments: [1, 4])
    func manyThreads(openStores: Int) throws {
        let pool = pool(openStores: openStores)
        let group = DispatchGroup()
        for thread in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                var random = SplitMix64(seed: UInt64(thread))
                for number in 0..<Self.perThread {
                    do {
                        try pool.withStore("user\(random.nextIndex(12))") { store in
                            try store.record(received("\(thread)-\(number)", at: Int64(number)))
                        }
                    } catch { Issue.record("\(error)") }
                }
                group.leave()
            }
        }
        group.wait()
        #expect(pool.openCount <= openStores + 8)
        pool.close()
        var ids: [String] = []
        for account in try stores.accounts() {
            let store = try stores.open(account, configuration: place.configuration)
            ids += try store.texts()
            try store.close()
        }
        #expect(ids.count == 4 * Self.perThread && Set(ids).count == ids.count)
    }

    @Test("more tasks wait for a place than there can be threads, and the task that has it goes on")
    func waitingTasks() async throws {
        let pool = pool(openStores: 1)
        let lease = Locked(Optional(try await pool.lease("held")))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask(priority: .userInitiated) { try await pool.withStore("user\(number % 3)") { _ in } }
            }
            group.addTask(priority: .userInitiated) { lease.withLock { $0 = nil } }
            try await group.waitForAll()
        }
        #expect(pool.openings >= 4)
        pool.close()
        #expect(pool.openCount == 0)
    }

    @Test("a cancelled task gets no place, and the next one does")
    func cancelledTask() async throws {
        let pool = pool(openStores: 1)
        var held: AccountPool.Lease? = try await pool.lease("held")
        let waiting = Task { _ = try await pool.lease("a") }
        let next = Task { try await pool.withStore("b") { _ in } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        withExtendedLifetime(held) {}
        held = nil
        try await next.value
        pool.close()
        let error = await #expect(throws: StoreError.self) { try await pool.lease("a") }
        #expect(error?.code == .closed)
    }

    @Test("the `async` forms do the same")
    func asynchronous() async throws {
        let (pool, count) = (pool(openStores: 2), TestSize.of(plain: 10, full: 20))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    try await pool.withStore("user\(number % 5)") { store in
                        _ = try store.record(received("\(number)", at: Int64(number)))
                    }
                }
            }
            try await group.waitForAll()
        }
        let lease = try await pool.lease("user1")
        let events = try await lease.store.events()
        #expect(events.count == count / 5)
        #expect(pool.openCount <= 10)
    }
}
