internal import Logging

extension Subscription {
    /// Hands over events until the subscription ends.
    func run() async {
        var events = EventTail.Iterator(store: store, reached: position, filter: subscriber.filter)
        var failure: (any Error)?
        do {
            while let event = try await events.next(whenCaughtUp: { await self.pass(to: $0) }) {
                try await deliver(event)
            }
        } catch {
            failure = error
        }
        if let failure { warn("a subscriber failed", failure) }
        await saveInBackground()
        finish(failure)
        release()
    }

    /// Hands an event over until it is done with; throws where it never will be.
    private func deliver(_ event: RecordedEvent) async throws {
        var failures = 0
        var delay = options.retryDelay
        while !Task.isCancelled {
            let deadline = store.scheduler.now + options.timeout
            let answer = await store.scheduler.firstAnswer(until: deadline) { [subscriber] in
                try await subscriber.handle(event)
            }
            switch answer {
            case .success(.handled): return await advance(to: event.position) { $0.handled += 1 }
            case .success(.ignored): return await advance(to: event.position) { $0.ignored += 1 }
            case .success(.retry): count { $0.retries += 1 }
            case .failure, nil:
                guard !Task.isCancelled else { return }
                failures += 1
                count { $0.failures += 1 }
            }
            if failures >= max(1, options.attempts) {
                guard options.onFailure == .skip else { throw Self.error(of: answer, at: event.position) }
                return await advance(to: event.position) { $0.skipped += 1 }
            }
            try? await store.scheduler.sleep(for: delay)
            delay = min(delay * 2, options.maximumRetryDelay)
        }
    }

    private static func error(of answer: Result<SubscriberAnswer, any Error>?, at position: Position) -> any Error {
        if case .failure(let error) = answer { return error }
        return StoreError(.hookFailed, "the subscriber did not answer in time", position: position)
    }

    /// Counts, unless the subscription has ended meanwhile.
    private func count(_ count: (inout Status) -> Void) {
        change { state in
            if state.status.isLive { count(&state.status) }
        }
    }

    /// An event is done with.
    private func advance(to position: Position, _ count: (inout Status) -> Void) async {
        let isDue = change { state in
            guard state.status.isLive else { return false }
            state.status.position = position
            count(&state.status)
            state.unsaved += 1
            return state.unsaved >= Self.checkpointInterval
        }
        if isDue { await saveInBackground() }
    }

    /// Nothing up to `position` is left for the subscriber.
    private func pass(to position: Position) async {
        let isDue = change { state in
            guard state.status.isLive else { return false }
            state.status.position = max(state.status.position, position)
            let passed = state.status.position.rawValue - state.saved.rawValue
            return state.unsaved > 0 || passed >= UInt64(Self.checkpointInterval)
        }
        if isDue { await saveInBackground() }
    }
}
