internal import Logging
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreProjections

extension MessageStore {
    /// Clears and erases the messages that a policy does not keep.
    ///
    /// No answer has them when this returns; their records, and the rows of views, leave the files with the next
    /// `compact(progress:)`, and what they are recognised by stays, so that a server that delivers them again adds
    /// nothing. Members, settings and the places of conversations in the list stay as they are, and so do unread counts
    /// unless the policy includes unread messages. Messages that are starred or pinned stay unless the policy includes
    /// them; the event names them, so that a later recall, deletion or clearing removes them as any other, and a star
    /// that is taken away lets its message go the next time. Records one `HistoryCleared` for each conversation in which
    /// messages go, in one commit. Costs a step for each message that is shown, and, if messages go, four scans of the
    /// log.
    ///
    /// - Parameters:
    ///   - policy: What is kept.
    ///   - isDryRun: Whether nothing is cleared, only counted.
    /// - Throws: `StoreError`: `invalidArgument` where the policy contradicts itself, `notFound` where it names a
    ///   conversation that the store does not have, `invalidTime` where it has an age and the clock jumped ahead, see
    ///   ``clockJump``; `erasureUnfinished` where the events are recorded and the erasure failed, which the store tries
    ///   again within a minute and at its next opening, and this call, if it is repeated.
    @discardableResult
    public func retain(_ policy: RetentionPolicy, isDryRun: Bool = false) throws -> RetentionReport {
        try policy.check()
        let log = try openedForWriting().log
        var named: [ConversationKey: RetentionPolicy.Limits] = [:]
        try StoreError.translating {
            for (conversation, limits) in policy.conversations {
                guard let number = try log.symbols.existingNumber(of: conversation) else {
                    throw StoreError(.notFound, "the store has no conversation of a given key")
                }
                // The id may be erased.
                named[try log.symbols.conversation(number)] = limits
            }
        }
        let limits = [policy.standard] + policy.conversations.values
        if let jump = clockJump, limits.contains(where: { $0.age != nil }) {
            throw StoreError(
                .invalidTime, "the clock jumped from \(jump.expected) to \(jump.shown); confirm it before messages go")
        }
        let now = configuration.now()
        let found = try read { views in
            var found: [(conversation: ConversationKey, notKept: NotKept)] = []
            for conversation in try views.snapshot.symbols.allConversations() {
                let limits = named[conversation] ?? policy.standard
                guard limits != .unlimited else { continue }
                found.append((conversation, try views.notKept(of: conversation, .init(limits, now: now, policy))))
            }
            return found
        }
        let cleared = found.compactMap { conversation, notKept in
            notKept.last.map { last in
                Event(
                    HistoryCleared(
                        upTo: last, erases: true, isRetention: !policy.includesUnread,
                        kept: notKept.marked.map { .local($0) }),
                    in: conversation)
            }
        }
        if !isDryRun, cleared.isEmpty { try finishErasures() }
        if !isDryRun, !cleared.isEmpty {
            let result = try record(cleared)
            try result.erasure.requireDone(recordedAt: result.lastPosition, path: path)
        }
        return RetentionReport(
            messages: Dictionary(
                uniqueKeysWithValues: found.filter { $0.notKept.count > 0 }.map { ($0.conversation, $0.notKept.count) }),
            keptAsUnread: found.reduce(0) { $0 + $1.notKept.keptAsUnread },
            keptAsMarked: found.reduce(0) { $0 + $1.notKept.keptAsMarked })
    }

    /// Clears and erases the messages that a policy does not keep; the `async` form of `retain(_:isDryRun:)`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    @discardableResult
    public func retain(_ policy: RetentionPolicy, isDryRun: Bool = false) async throws -> RetentionReport {
        try await run(on: writeQueue) { try self.retain(policy, isDryRun: isDryRun) }
    }
}

extension MessageStore {
    /// Clears what the configured policy does not keep, at most once a day: each time records an event for each
    /// conversation in which messages go.
    func retainIfDue() {
        guard let policy = configuration.retention, clockJump == nil else { return }
        let now = scheduler.now
        let isDue = writer.withLock { state in
            if let last = state.retainedAt, now - last < .seconds(86_400) { return false }
            state.retainedAt = now
            return true
        }
        guard isDue else { return }
        do { try retain(policy) } catch let error as StoreError where error.code == .rebuilding || error.isOfClosedStore
        {
            // The next look tries again.
            writer.withLock { $0.retainedAt = nil }
        } catch {
            configuration.logger.error("the policy of retention failed", metadata: ["error": "\(error)"])
        }
    }
}

extension RetentionLimits {
    fileprivate init(_ limits: RetentionPolicy.Limits, now: Timestamp, _ policy: RetentionPolicy) {
        // No server's time is below 0.
        let since = limits.age.map { max(Double(now.milliseconds) - $0 / .milliseconds(1), 0) }
        self.init(
            since: since.map { Timestamp(milliseconds: Int64(exactly: $0.rounded(.down)) ?? .max) },
            messages: limits.messages,
            lowWaterMark: limits.lowWaterMark, keepsUnread: !policy.includesUnread,
            keepsMarked: !policy.includesMarked)
    }
}
