internal import Logging
internal import MessageStoreLMDB

/// Collects requests for profiles or teams, asks the host's provider in batches, and records the answers.
///
/// The ids that a request did not answer are held back for a while before they are requested again; see
/// ``HeldRequest``.
final class InfoFetcher<Info: ProvidedInfo>: Sendable {
    typealias ID = Info.ID
    /// Asks the host.
    typealias Source = @Sendable ([ID]) async throws -> [Info]

    private struct State {
        /// Requested, not asked for yet.
        var collected: [ID] = []
        /// The same, of ids whose last request failed. They are in batches of their own, which take turns with the
        /// others: neither waits for all of the other.
        var collectedAgain: [ID] = []
        /// Whether the last batch was of ids whose last request failed.
        var tookAgain = false
        /// Requested or asked for, not answered: one request in flight per id.
        var open: Set<ID> = []
        /// The open ids that the host asked for by itself.
        var wanted: Set<ID> = []
        var isCollecting = false
        var waiting: [(ids: Set<ID>, continuation: CheckedContinuation<Void, Never>)] = []
        /// The ids whose last request failed.
        var held: [ID: HeldRequest] = [:]
        /// The same, also while they are not held back any more, and how many may be in a batch with each. A batch that
        /// failed is halved, down to single ids: an id that the host cannot answer keeps no other from being answered.
        var sizes: [ID: Int] = [:]
        /// How many observers show an id and wait for an answer.
        var observers: [ID: Int] = [:]

        var hasCollected: Bool { !collected.isEmpty || !collectedAgain.isEmpty }

        /// Takes a batch of those asked for the first time.
        mutating func takeFirst(_ count: Int) -> [ID] {
            defer { collected.removeFirst(min(count, collected.count)) }
            return Array(collected.prefix(count))
        }

        /// Takes a batch of ids whose last request failed, as long as each of them allows.
        mutating func takeAgain() -> [ID] {
            var (count, size) = (0, Int.max)
            while count < collectedAgain.count {
                size = min(size, sizes[collectedAgain[count]] ?? 1)
                guard count < size else { break }
                count += 1
            }
            defer { collectedAgain.removeFirst(count) }
            return Array(collectedAgain.prefix(count))
        }

        /// When the first of the observed ids may be asked for again.
        var nextRetry: Duration? { held.compactMap { observers[$0] == nil ? nil : $1.end }.min() }
    }

    private let source: Source?
    private let hooks: MessageStore.Configuration.Hooks
    private let scheduler: Scheduler
    private let state = Locked(State())
    private let retries = Worker("MessageStore.retries", failure: "a provider cannot be asked again")

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    init(_ source: Source?, _ hooks: MessageStore.Configuration.Hooks, _ scheduler: Scheduler) {
        self.source = source
        self.hooks = hooks
        self.scheduler = scheduler
    }

    var hasProvider: Bool { source != nil }

    /// The ids that need a fetch and can be requested; none without a provider.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func missing(of ids: some Sequence<ID>, _ views: borrowing Views) throws -> Set<ID> {
        guard hasProvider else { return [] }
        return Set(try ids.filter { try $0.isRecordable && Info.known($0, views).needsFetch })
    }

    /// Asks for ids in the background, except for open ones and, unless wanted, ones that are held back.
    ///
    /// - Parameters:
    ///   - ids: Only such as an event can carry: others would keep the rest of their batch from being recorded.
    ///   - isWanted: Whether the host asks by itself, whatever failed before.
    ///   - store: The store that records the answers.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func request(_ ids: some Collection<ID>, isWanted: Bool = false, for store: MessageStore) {
        guard let source, !ids.isEmpty else { return }
        let now = scheduler.now
        let shouldStart = state.withLock { state in
            for id in ids where isWanted || state.held[id].map({ $0.end <= now }) ?? true {
                if isWanted { state.wanted.insert(id) }
                guard state.open.insert(id).inserted else { continue }
                if state.sizes[id] == nil { state.collected.append(id) } else { state.collectedAgain.append(id) }
            }
            guard state.hasCollected, !state.isCollecting else { return false }
            state.isCollecting = true
            return true
        }
        guard shouldStart else { return }
        Task { [weak store] in
            try? await scheduler.sleep(for: hooks.profileDelay)
            while let batch = takeBatch() {
                let ids = await self.withoutAnswered(batch, in: store)
                guard !ids.isEmpty else { continue }
                let (infos, code) = await ask(source, ids)
                let answered = Set(infos.map(\.id))
                let failed = ids.filter { !answered.contains($0) }
                let isRecorded = if let store { await self.record(infos, failed, code, in: store) } else { false }
                // Any of the ids may be why there is no answer, or why it cannot be recorded.
                let size = isRecorded && code == FetchFailure.leftOut ? batchSize : max(1, ids.count / 2)
                finish(ids, failed: isRecorded ? failed : ids, nextSize: size, for: store)
                // Infos that were invalidated in between can be requested from now on; their observers do so.
                if isRecorded { store?.signal.note(.recorded) }
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

    /// Asks at once for ids that are held back: of these ids, or of all for nil.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func endDelays(of ids: [ID]? = nil, for store: MessageStore) {
        let ended = state.withLock { state in
            guard let ids else {
                defer { state.held = [:] }
                // Earlier failures, as without a network, prove nothing about single ids.
                for id in state.sizes.keys { state.sizes[id] = batchSize }
                return Array(state.held.keys)
            }
            return ids.filter { state.held.removeValue(forKey: $0) != nil }
        }
        request(ended, for: store)
    }

    /// Notes for which ids an observer waits, in place of others: if they fail, they are asked for again without it.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func observe(_ ids: Set<ID>, insteadOf others: Set<ID>, for store: MessageStore) {
        guard hasProvider, ids != others else { return }
        let next = state.withLock { state in
            for id in others.subtracting(ids) {
                let left = (state.observers[id] ?? 1) - 1
                state.observers[id] = left > 0 ? left : nil
            }
            for id in ids.subtracting(others) { state.observers[id, default: 0] += 1 }
            return state.nextRetry
        }
        if let next { retry(at: next, for: store) }
    }

    private var batchSize: Int { max(1, hooks.profileBatch) }

    private func takeBatch() -> [ID]? {
        state.withLock { state in
            guard state.hasCollected else {
                state.isCollecting = false
                return nil
            }
            state.tookAgain = !state.collectedAgain.isEmpty && (state.collected.isEmpty || !state.tookAgain)
            return state.tookAgain ? state.takeAgain() : state.takeFirst(batchSize)
        }
    }

    /// Leaves out ids that were answered since they were asked for, as by a request that ended while an older snapshot
    /// was looked at.
    private func withoutAnswered(_ ids: [ID], in store: MessageStore?) async -> [ID] {
        guard let store, let missing = try? await store.read({ try self.missing(of: ids, $0) }) else { return ids }
        let answered = state.withLock { state in ids.filter { !missing.contains($0) && !state.wanted.contains($0) } }
        if answered.isEmpty { return ids }
        finish(answered, failed: [], nextSize: batchSize, for: store)
        store.signal.note(.recorded)
        return ids.filter { !answered.contains($0) }
    }

    /// - Parameters:
    ///   - ids: A batch.
    ///   - failed: The ids of it that were not answered.
    ///   - nextSize: How many may be in a batch when these are asked for again.
    ///   - store: The store that records the answers.
    private func finish(_ ids: [ID], failed: [ID], nextSize: Int, for store: MessageStore?) {
        let now = scheduler.now
        let (done, next) = state.withLock { state in
            state.open.subtract(ids)
            state.wanted.subtract(ids)
            let before = state.held
            for id in ids {
                state.held[id] = nil
                state.sizes[id] = nil
            }
            for id in failed {
                state.held[id] = HeldRequest(after: before[id], at: now)
                state.sizes[id] = nextSize
            }
            var done: [CheckedContinuation<Void, Never>] = []
            for index in state.waiting.indices.reversed() {
                state.waiting[index].ids.subtract(ids)
                if state.waiting[index].ids.isEmpty { done.append(state.waiting.remove(at: index).continuation) }
            }
            return (done, state.nextRetry)
        }
        if let store, let next { retry(at: next, for: store) }
        for continuation in done { continuation.resume() }
    }

    /// Asks at a moment for the observed ids whose delay is over.
    private func retry(at moment: Duration, for store: MessageStore) {
        retries.wake(store, at: moment) { [weak self] store in
            guard let self else { return nil }
            let now = self.scheduler.now
            let (due, next) = self.state.withLock { state in
                let observed = state.held.filter { state.observers[$0.key] != nil }
                let due = observed.filter { $0.value.end <= now }
                return (Array(due.keys), observed.compactMap { $0.value.end > now ? $0.value.end : nil }.min())
            }
            // A store that was closed or suspended asks nobody.
            if (try? store.opened()) != nil { self.request(due, for: store) }
            return next
        }
    }

    /// The host's answer for these ids alone; never waits longer than the time-out, even if the host never returns.
    private func ask(_ source: @escaping Source, _ ids: [ID]) async -> (infos: [Info], failureCode: Int32) {
        let wanted = Set(ids)
        let deadline = scheduler.now + hooks.profileTimeout
        return switch await scheduler.firstAnswer(until: deadline, { try await source(ids) }) {
        case .success(let infos): (infos.filter { wanted.contains($0.id) }, FetchFailure.leftOut)
        case .failure: ([], FetchFailure.threw)
        case nil: ([], FetchFailure.timedOut)
        }
    }

    /// Answers whether the store has recorded all there is to record. A failure is recorded once.
    private func record(_ infos: [Info], _ failed: [ID], _ code: Int32, in store: MessageStore) async -> Bool {
        do {
            var events = infos.isEmpty ? [] : [Info.fetched(infos)]
            if let failure = Info.failure, !failed.isEmpty {
                let new = try await store.read { views in try failed.filter { try !Info.known($0, views).hasFailed } }
                if !new.isEmpty { events.append(failure(new, code)) }
            }
            if !events.isEmpty { try await store.record(events) }
            return true
        } catch {
            store.configuration.logger.warning("recording a provider's answer failed", metadata: ["error": "\(error)"])
            return false
        }
    }
}

/// A request that failed: until when it is held back.
struct HeldRequest: Sendable, Hashable {
    /// After the first failure. Longer than it takes to draw a list a few times, shorter than a user's patience.
    static let firstDelay = Duration.seconds(2)
    /// After many. A provider that is down, or that does not know a user, is asked at most twelve times an hour for
    /// each user on screen.
    static let longestDelay = Duration.seconds(300)

    private let delay: Duration
    /// When it may be asked again, on the scheduler's clock.
    let end: Duration

    /// - Parameters:
    ///   - previous: The request held after the failure before; the delay doubles with each.
    ///   - now: When the request failed.
    init(after previous: HeldRequest?, at now: Duration) {
        delay = previous.map { min($0.delay * 2, Self.longestDelay) } ?? Self.firstDelay
        end = now + delay
    }
}

/// Error codes of `ProfileFetchFailed` that the store itself gives.
enum FetchFailure {
    static let leftOut: Int32 = -1
    static let threw: Int32 = -2
    static let timedOut: Int32 = -3
}
