internal import Logging
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog
internal import MessageStoreProjections

extension MessageStore {
    /// Clears and erases the messages that a policy does not keep.
    ///
    /// No answer has them when this returns; their records, and the rows of views, leave the files with the next
    /// `compact(progress:)`, and the keys that recognise them stay, so that a server that delivers them again adds
    /// nothing. Members, settings and the places of conversations in the list stay as they are, and so do unread counts
    /// unless the policy includes unread messages. Messages that are starred or pinned stay unless the policy includes
    /// them; the event names them, so that a later recall, deletion or clearing removes them as any other, and a star
    /// that is taken away lets its message go the next time. Records one `HistoryCleared` for each conversation in
    /// which messages go, in one commit. Costs a step for each message that is shown, and, if messages go, one for
    /// each that has words in their conversations; the first time after an opening or a compaction a scan of the log.
    ///
    /// - Parameters:
    ///   - policy: The messages to keep.
    ///   - isDryRun: Whether nothing is cleared, only counted.
    /// - Throws: `StoreError`: `invalidArgument` if the policy contradicts itself, `notFound` if it names a
    ///   conversation that the store does not have, `invalidTime` if it has an age and the clock jumped ahead, see
    ///   ``clockJump``; `erasureUnfinished` if the events are recorded and the erasure failed, which the store tries
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
    /// Clears the messages that the configured policy does not keep, at most once a day: each time records an event for
    /// each conversation in which messages go.
    func retainIfDue() {
        guard let policy = configuration.privacy.retention, clockJump == nil else { return }
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

/// How much of the conversations' histories a store keeps.
///
/// ```swift
/// var policy = RetentionPolicy()
/// policy.standard = .init(age: .seconds(365 * 86_400), messages: 50_000, lowWaterMark: 45_000)
/// policy.conversations[.group("announcements")] = .unlimited
/// let report = try store.retain(policy)
/// ```
///
/// The oldest messages of a conversation go first: a `HistoryCleared` with `erases` and `isRetention` removes them from
/// all answers at once, and `compact(progress:)` removes their records. Unread messages, starred and pinned
/// ones, and ones that the server has yet to accept stay.
public struct RetentionPolicy: Sendable, Hashable {
    /// Limits of one conversation; nil for no limit.
    public struct Limits: Sendable, Hashable {
        /// Messages that were sent longer ago go, by the server's time; one without a time goes only with a later one.
        public var age: Duration?
        /// If a conversation has more messages, the oldest go. Messages that stay because they are starred or pinned do
        /// not count.
        public var messages: Int?
        /// How many are left then; nil for as many as ``messages``. A lower number means that a conversation that grows
        /// is cleared less often.
        public var lowWaterMark: Int?

        /// Creates limits.
        public init(age: Duration? = nil, messages: Int? = nil, lowWaterMark: Int? = nil) {
            self.age = age
            self.messages = messages
            self.lowWaterMark = lowWaterMark
        }

        /// Everything is kept.
        public static let unlimited = Limits()
    }

    /// The limits of conversations that have none of their own.
    public var standard = Limits.unlimited
    /// The limits of some conversations.
    public var conversations: [ConversationKey: Limits] = [:]
    /// Whether messages go that count as unread, too; they count no longer then.
    public var includesUnread = false
    /// Whether messages go that are starred or pinned, too. Without it a star or a pin keeps its message alone, and not
    /// the newer ones; if it is taken away, the message goes the next time.
    public var includesMarked = false

    /// A policy that keeps everything.
    public init() {}

    /// - Throws: `StoreError` with code `invalidArgument` if the policy contradicts itself.
    func check() throws {
        for limits in [standard] + conversations.values {
            if let age = limits.age, age <= .zero {
                throw StoreError(.invalidArgument, "messages are to be kept for \(age): more than nothing is needed")
            }
            if let messages = limits.messages, messages < 1 {
                throw StoreError(.invalidArgument, "at most \(messages) messages are to be kept: at least 1 is needed")
            }
            guard let mark = limits.lowWaterMark else { continue }
            guard let messages = limits.messages else {
                throw StoreError(.invalidArgument, "a low-water mark of \(mark) without a maximum number of messages")
            }
            guard (1...messages).contains(mark) else {
                throw StoreError(
                    .invalidArgument, "a low-water mark of \(mark) is not between 1 and \(messages) messages")
            }
        }
    }
}

/// The messages that a policy of retention clears.
public struct RetentionReport: Sendable, Hashable {
    /// For each conversation in which messages go, how many.
    public let messages: [ConversationKey: Int]
    /// How many more messages would go if the policy included unread ones: those, and the messages newer than the
    /// oldest of them in its conversation.
    public let keptAsUnread: Int
    /// How many messages stay for a star or a pin alone.
    public let keptAsMarked: Int
    /// How many messages go.
    public var messageCount: Int { messages.values.reduce(0, +) }
}
