internal import Logging
internal import MessageStoreLMDB

/// Collects requests for profiles, asks the host's provider in batches, and records the answers.
final class ProfileFetcher: Sendable {
    /// Error codes of `ProfileFetchFailed` that the store itself gives.
    enum FailureCode {
        static let leftOut: Int32 = -1
        static let threw: Int32 = -2
        static let timedOut: Int32 = -3
    }

    private struct State {
        var provider: (any ProfileProvider)?
        /// Requested, not asked for yet.
        var collected: [UserID] = []
        /// Requested or asked for, not answered: one request in flight per user.
        var open: Set<UserID> = []
        var isCollecting = false
        var waiting: [(users: Set<UserID>, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let configuration: MessageStore.ProfileFetching
    private let state = Locked(State())

    init(_ configuration: MessageStore.ProfileFetching) {
        self.configuration = configuration
    }

    var hasProvider: Bool { state.withLock { $0.provider != nil } }

    func setProvider(_ provider: (any ProfileProvider)?) {
        state.withLock { $0.provider = provider }
    }

    /// Asks for users in the background; those that are open are not asked for again.
    ///
    /// Ids that no event can carry are passed over: they would keep the rest of their batch from being recorded.
    func request(_ users: [UserID], for store: MessageStore) {
        let shallStart = state.withLock { state in
            guard state.provider != nil else { return false }
            for user in users where user.isRecordable && state.open.insert(user).inserted {
                state.collected.append(user)
            }
            guard !state.collected.isEmpty, !state.isCollecting else { return false }
            state.isCollecting = true
            return true
        }
        guard shallStart else { return }
        Task { [weak store] in
            try? await Task.sleep(for: configuration.collectionDelay)
            while let batch = takeBatch() {
                let answer = await ask(batch)
                let isRecorded = if let store { await self.record(answer, in: store) } else { false }
                finish(batch.users)
                // A profile that was invalidated in between can be asked for from now on; those who observe it do.
                if isRecorded { store?.tailWaiters.wake() }
            }
        }
    }

    /// Asks for users and waits until each was answered.
    func fetch(_ users: [UserID], for store: MessageStore) async {
        request(users, for: store)
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                let open = state.open.intersection(users)
                if !open.isEmpty { state.waiting.append((open, continuation)) }
                return open.isEmpty
            }
            if isDone { continuation.resume() }
        }
    }

    private func takeBatch() -> (provider: any ProfileProvider, users: [UserID])? {
        var dropped: [UserID] = []
        defer { finish(dropped) }
        return state.withLock { state in
            guard let provider = state.provider, !state.collected.isEmpty else {
                // The provider was taken away: nobody will answer.
                dropped = state.collected
                state.collected = []
                state.isCollecting = false
                return nil
            }
            let users = Array(state.collected.prefix(max(1, configuration.batchSize)))
            state.collected.removeFirst(users.count)
            return (provider, users)
        }
    }

    private func finish(_ users: [UserID]) {
        guard !users.isEmpty else { return }
        let done = state.withLock { state in
            state.open.subtract(users)
            var done: [CheckedContinuation<Void, Never>] = []
            for index in state.waiting.indices.reversed() {
                state.waiting[index].users.subtract(users)
                if state.waiting[index].users.isEmpty { done.append(state.waiting.remove(at: index).continuation) }
            }
            return done
        }
        for continuation in done { continuation.resume() }
    }

    /// The provider's answer as events; never waits longer than the time-out, even where the provider never returns.
    private func ask(_ batch: (provider: any ProfileProvider, users: [UserID])) async -> [Event] {
        let answer = await FirstAnswer.of(timeout: configuration.timeout) {
            try await batch.provider.profiles(for: batch.users)
        }
        let failure: Int32
        var profiles: [Profile] = []
        switch answer {
        case .success(let answered):
            let wanted = Set(batch.users)
            profiles = answered.filter { wanted.contains($0.id) }
            failure = FailureCode.leftOut
        case .failure: failure = FailureCode.threw
        case nil: failure = FailureCode.timedOut
        }
        let answered = Set(profiles.map(\.id))
        let missing = batch.users.filter { !answered.contains($0) }
        var events: [Event] = []
        if !profiles.isEmpty { events.append(Event(.profilesFetched(ProfilesFetched(profiles)))) }
        if !missing.isEmpty { events.append(Event(.profileFetchFailed(ProfileFetchFailed(missing, code: failure)))) }
        return events
    }

    /// Answers whether the events were recorded.
    private func record(_ events: [Event], in store: MessageStore) async -> Bool {
        do {
            try await store.record(events)
            return true
        } catch {
            store.configuration.logger.warning("recording profiles failed", metadata: ["error": "\(error)"])
            return false
        }
    }
}

extension UserID {
    /// Whether an event may name the user.
    var isRecordable: Bool { (1...EventLimits.identifierBytes).contains(rawValue.utf8.count) }
}
