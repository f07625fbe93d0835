internal import Logging
internal import MessageStoreLMDB

/// Collects requests for profiles or teams, asks the host's provider in batches, and records the answers.
final class InfoFetcher<ID: Hashable & Sendable>: Sendable {
    /// Asks the host; answers with the events to record, those about ids that were left out included.
    typealias Source = @Sendable ([ID]) async throws -> [Event]

    private struct State {
        /// Requested, not asked for yet.
        var collected: [ID] = []
        /// Requested or asked for, not answered: one request in flight per id.
        var open: Set<ID> = []
        /// Asked for in the background once, so that an id that the provider does not know is not requested on every read.
        var asked: Set<ID> = []
        var isCollecting = false
        var waiting: [(ids: Set<ID>, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let source: Source?
    private let configuration: MessageStore.ProfileFetching
    private let scheduler: Scheduler
    /// What to record where the host threw or did not answer in time.
    private let failed: @Sendable ([ID], Int32) -> [Event]
    /// Whether ids whose request brought nothing are asked for again at the next look.
    private let asksAgain: Bool
    private let state = Locked(State())

    init(
        _ source: Source?, _ configuration: MessageStore.ProfileFetching, _ scheduler: Scheduler, asksAgain: Bool,
        failed: @escaping @Sendable ([ID], Int32) -> [Event]
    ) {
        self.source = source
        self.configuration = configuration
        self.scheduler = scheduler
        self.asksAgain = asksAgain
        self.failed = failed
    }

    var hasProvider: Bool { source != nil }

    /// Asks for ids in the background; those that are open are not asked for again.
    ///
    /// - Parameters:
    ///   - ids: Only such as an event can carry: others would keep the rest of their batch from being recorded.
    ///   - isWanted: Whether somebody waits for the answer, whatever was asked before.
    ///   - store: Where the answers are recorded.
    func request(_ ids: [ID], isWanted: Bool = false, for store: MessageStore) {
        guard let source else { return }
        let shouldStart = state.withLock { state in
            for id in ids where isWanted || asksAgain || !state.asked.contains(id) {
                if !asksAgain { state.asked.insert(id) }
                if state.open.insert(id).inserted { state.collected.append(id) }
            }
            guard !state.collected.isEmpty, !state.isCollecting else { return false }
            state.isCollecting = true
            return true
        }
        guard shouldStart else { return }
        Task { [weak store] in
            try? await scheduler.sleep(for: configuration.collectionDelay)
            while let ids = takeBatch() {
                let answer = await ask(source, ids)
                let isRecorded = if let store { await self.record(answer, in: store) } else { false }
                finish(ids)
                // What was invalidated in between can be asked for from now on; those who observe it do.
                if isRecorded { store?.tailWaiters.wake() }
            }
        }
    }

    /// Asks for ids and waits until each was answered.
    func fetch(_ ids: [ID], for store: MessageStore) async {
        request(ids, isWanted: true, for: store)
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let open = state.open.intersection(ids)
                if !open.isEmpty { state.waiting.append((open, continuation)) }
                return open.isEmpty
            }
            if isDone { continuation.resume() }
        }
    }

    /// Lets an id be asked for again.
    func forget(_ ids: [ID]?) {
        state.withLock { state in
            if let ids { state.asked.subtract(ids) } else { state.asked = [] }
        }
    }

    private func takeBatch() -> [ID]? {
        state.withLock { state in
            guard !state.collected.isEmpty else {
                state.isCollecting = false
                return nil
            }
            let ids = Array(state.collected.prefix(max(1, configuration.batchSize)))
            state.collected.removeFirst(ids.count)
            return ids
        }
    }

    private func finish(_ ids: [ID]) {
        let done = state.withLock { state in
            state.open.subtract(ids)
            var done: [CheckedContinuation<Void, Never>] = []
            for index in state.waiting.indices.reversed() {
                state.waiting[index].ids.subtract(ids)
                if state.waiting[index].ids.isEmpty { done.append(state.waiting.remove(at: index).continuation) }
            }
            return done
        }
        for continuation in done { continuation.resume() }
    }

    /// The host's answer as events; never waits longer than the time-out, even where the host never returns.
    private func ask(_ source: @escaping Source, _ ids: [ID]) async -> [Event] {
        switch await scheduler.firstAnswer(within: configuration.timeout, { try await source(ids) }) {
        case .success(let events): events
        case .failure: failed(ids, FetchFailure.threw)
        case nil: failed(ids, FetchFailure.timedOut)
        }
    }

    /// Answers whether the events were recorded.
    private func record(_ events: [Event], in store: MessageStore) async -> Bool {
        do {
            try await store.record(events)
            return true
        } catch {
            store.configuration.logger.warning("recording a provider's answer failed", metadata: ["error": "\(error)"])
            return false
        }
    }
}

/// Error codes of `ProfileFetchFailed` that the store itself gives.
enum FetchFailure {
    static let leftOut: Int32 = -1
    static let threw: Int32 = -2
    static let timedOut: Int32 = -3
}

extension UserID {
    /// Whether an event may name the user.
    var isRecordable: Bool { (1...EventLimits.identifierBytes).contains(rawValue.utf8.count) }
}
