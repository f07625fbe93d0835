internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

/// The open stores of a process that serves many accounts, such as a gateway: a store is opened when it is used, and
/// closed when another one needs its place.
///
/// ```swift
/// let pool = AccountPool(AccountStores(at: directory))
/// try await pool.withStore("alice") { store in try store.record(message) }
/// ```
///
/// - **Cost:** an open store takes nine descriptors, one more while its journal has events, about 160 KB, and the memory of
///   its views' buffer. Threads are shared by all stores. With glibc, set `MALLOC_MMAP_THRESHOLD_=1048576` in the
///   environment of the process: each database allocates 2 MB that it rarely touches, which the allocator otherwise
///   takes from memory that was used before, so that a store costs 5 MB.
/// - **Waiting:** a use of an open store waits for nobody; one of a closed store takes an opening. If all places are in
///   use, it waits until one is free: a task without a thread, so that any number of them may wait.
/// - **Ends:** live queries, tails and subscriptions of a store end when it is closed to make room. They need a ``Lease``
///   for as long as they run.
public final class AccountPool: Sendable {
    /// A use of an account's store, which stays open for as long as the lease exists.
    public final class Lease: Sendable {
        /// The store. It must not be closed by its users.
        public let store: MessageStore
        private let pool: AccountPool

        fileprivate init(_ store: MessageStore, _ pool: AccountPool) { (self.store, self.pool) = (store, pool) }

        deinit { pool.endUse(of: store.account) }
    }

    private enum Place {
        /// Another thread opens or closes the store.
        case busy
        case open(MessageStore, uses: Int, usedAt: UInt64)

        var isIdle: Bool {
            if case .open(_, uses: 0, _) = self { true } else { false }
        }
    }

    /// A place that was taken: the store, if it is open, and the one that has to be closed for it.
    private typealias Taken = (store: MessageStore?, oldest: MessageStore?)

    /// A task that waits for a place.
    private struct Waiter {
        let id: Int
        let account: UserID
        let continuation: CheckedContinuation<Taken, any Error>
    }

    private struct State {
        private(set) var places: [UserID: Place] = [:]
        private(set) var idleCount = 0
        /// Counts the uses.
        var time: UInt64 = 0
        var openings = 0
        var isClosed = false
        var lastWaiter = 0
        /// In the order in which they came.
        var waiting: [Waiter] = []

        mutating func set(_ place: Place?, for account: UserID) {
            if let before = places[account], before.isIdle { idleCount -= 1 }
            if let place, place.isIdle { idleCount += 1 }
            places[account] = place
        }

        /// Takes the store that was used longest ago out of the idle ones.
        mutating func takeOldest() -> MessageStore? {
            var oldest: (store: MessageStore, usedAt: UInt64)?
            for case .open(let store, uses: 0, let usedAt) in places.values where usedAt < oldest?.usedAt ?? .max {
                oldest = (store, usedAt)
            }
            if let store = oldest?.store { set(.busy, for: store.account) }
            return oldest?.store
        }
    }

    private let stores: AccountStores
    private let limit: Int
    private let configuration: @Sendable (UserID) -> MessageStore.Configuration
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "MessageStore.pool", qos: .userInitiated, attributes: .concurrent)

    /// Stores that may be open beyond the limit, while others are being closed.
    private static let closing = 8

    /// Opens nothing yet.
    ///
    /// - Parameters:
    ///   - stores: The directory of the stores.
    ///   - openStores: How many are open at most; up to eight more while they are being closed. The process needs ten
    ///     descriptors for each: 400 fit into a limit of 4,096, and do not into 1,024.
    ///   - bufferBytes: The bytes that the views of all open stores may buffer together. Each store gets its share, at
    ///     least 64 KB and at most the bytes that its configuration says.
    ///   - configuration: Called for each opening.
    public init(
        _ stores: AccountStores, openStores: Int = 400, bufferBytes: Int = 256 << 20,
        configuration: @escaping @Sendable (_ account: UserID) -> MessageStore.Configuration = { _ in .init() }
    ) {
        (self.stores, limit) = (stores, min(max(1, openStores), 1 << 20))
        // A store's buffer takes up to twice its size.
        let share = max(64 << 10, bufferBytes / limit / 2)
        self.configuration = { account in
            var own = configuration(account)
            own.bufferBytes = min(own.bufferBytes, share)
            return own
        }
    }

    /// How many stores are open, or being opened or closed.
    public var openCount: Int { state.withLock { $0.places.count } }

    /// How many times a store was opened.
    public var openings: Int { state.withLock { $0.openings } }

    /// Runs `body` with an account's store, which is created if it does not exist.
    ///
    /// - Throws: As `AccountStores.open`, `closed` once the pool is closed, or what `body` throws.
    @discardableResult
    public func withStore<Result>(_ account: UserID, _ body: (MessageStore) throws -> Result) throws -> Result {
        let lease = try lease(account)
        return try withExtendedLifetime(lease) { try body(lease.store) }
    }

    /// Runs `body` with an account's store on a thread of the pool; the `async` form of the other.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    @discardableResult
    public func withStore<Result: Sendable>(
        _ account: UserID, _ body: @escaping @Sendable (MessageStore) throws -> Result
    ) async throws -> Result {
        let lease = try await lease(account)
        return try await MessageStore.runCancellable(on: queue) { _, _ in try body(lease.store) }
    }

    /// Keeps an account's store open.
    ///
    /// Blocks while the store is being opened, or all places are in use.
    ///
    /// - Throws: As `AccountStores.open`; `closed` once the pool is closed.
    public func lease(_ account: UserID) throws -> Lease {
        try lease(account, state.waitUntil({ canLease(account, $0) }) { try take(account, &$0) })
    }

    /// Keeps an account's store open; the `async` form of `lease(_:)`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func lease(_ account: UserID) async throws -> Lease {
        try Task.checkCancellation()
        let taken = try await place(of: account)
        if let store = taken.store { return Lease(store, self) }
        // Not to be cancelled: the place is taken.
        return try await queue.run { try self.lease(account, taken) }
    }

    private func lease(_ account: UserID, _ taken: Taken) throws -> Lease {
        if let oldest = taken.oldest { queue.async { self.close(oldest) } }
        if let store = taken.store { return Lease(store, self) }
        do {
            let store = try stores.open(account, configuration: configuration(account))
            change { $0.set(.open(store, uses: 1, usedAt: $0.time), for: account) }
            return Lease(store, self)
        } catch {
            change { $0.set(nil, for: account) }
            throw error
        }
    }

    /// Takes a place once there is one.
    private func place(of account: UserID) async throws -> Taken {
        let id = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                change { $0.waiting.append(Waiter(id: id, account: account, continuation: continuation)) }
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: Int) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// Changes the state, and gives places to the tasks, and then to the threads, that wait for one.
    private func change(_ body: (inout State) -> Void) {
        let served = state.signal { state in
            body(&state)
            var served: [(Waiter, Result<Taken, any Error>)] = []
            for waiter in state.waiting where canLease(waiter.account, state) {
                served.append((waiter, Result { try take(waiter.account, &state) }))
            }
            let ids = Set(served.map(\.0.id))
            if !ids.isEmpty { state.waiting.removeAll { ids.contains($0.id) } }
            return served
        }
        for (waiter, taken) in served { waiter.continuation.resume(with: taken) }
    }

    private func canLease(_ account: UserID, _ state: State) -> Bool {
        guard !state.isClosed else { return true }
        switch state.places[account] {
        case .open: return true
        case .busy: return false
        case nil:
            return state.places.count < limit || state.places.count < limit + Self.closing && state.idleCount > 0
        }
    }

    /// Takes a place that ``canLease(_:_:)`` promises.
    private func take(_ account: UserID, _ state: inout State) throws -> Taken {
        guard !state.isClosed else { throw StoreError(.closed, "the pool is closed", path: stores.path) }
        state.time += 1
        if case .open(let store, let uses, _) = state.places[account] {
            state.set(.open(store, uses: uses + 1, usedAt: state.time), for: account)
            return (store, nil)
        }
        let oldest = state.places.count >= limit ? state.takeOldest() : nil
        state.set(.busy, for: account)
        state.openings += 1
        return (nil, oldest)
    }

    private func endUse(of account: UserID) {
        change { state in
            guard case .open(let store, let uses, _) = state.places[account] else { return }
            state.time += 1
            state.set(.open(store, uses: uses - 1, usedAt: state.time), for: account)
        }
    }

    private func close(_ store: MessageStore) {
        do { try store.close() } catch {
            store.configuration.logger.warning(
                "closing a store failed", metadata: ["path": "\(store.path)", "error": "\(error)"])
        }
        change { $0.set(nil, for: store.account) }
    }

    /// Closes an account's store once nobody uses it, such as before it is removed; one that is not open is left alone.
    public func close(_ account: UserID) {
        let store = state.waitUntil({ $0.places[account].map(\.isIdle) ?? true }) { state -> MessageStore? in
            guard case .open(let store, _, _) = state.places[account] else { return nil }
            state.set(.busy, for: account)
            return store
        }
        if let store { close(store) }
    }

    /// Closes all stores as soon as nobody uses them; later uses throw `closed`. Closing twice is harmless.
    ///
    /// A store that cannot write its views is closed all the same, which is logged.
    public func close() {
        change { $0.isClosed = true }
        while let account = state.withLock({ state in
            state.places.first { $0.value.isIdle }?.key ?? state.places.keys.first
        }) {
            close(account)
        }
    }
}
