internal import Logging
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Permanently removes personal values from the store: names, pictures, attributes, remarks, nicknames, tags,
    /// reactions, drafts, words.
    ///
    /// ```swift
    /// try store.erase(.users(["bob"], alsoMessages: true), alsoIDs: true)
    /// ```
    ///
    /// - Of a **user**: profile, remark, nicknames and attributes; the name and picture that came with messages, and
    ///   name and picture of the conversation with the user; reactions that were recorded one by one; reasons in events
    ///   that name the user as who acted; hosts' events that the user is the actor of. With ``Erasure/alsoMessages``,
    ///   also the words of the user's messages, edits included.
    /// - Of a **conversation**, and of an **event**: everything personal, see `FieldClass`; of a message, also the
    ///   words of other events about its content.
    ///
    /// With `alsoIDs`, also the **ids** of the users and conversations, in all that was recorded about them. A placeholder
    /// such as `erased:17` takes the place of an id, also in the key of the conversation with a user, and a hash with a
    /// secret key is kept: events that come under the id again are of the same user or conversation, by the
    /// placeholder. Queries accept both. The id of a conversation of two is its user's and goes with that one's. Copies
    /// of the log that were exported know it by the placeholder alone.
    ///
    /// Other ids, times and numbers stay, so that messages keep their places, unread counts stay right, and messages
    /// that the server delivers again are known. The key of a reaction becomes U+FFFD, so that several of one user to a
    /// message become one. Later events keep their values. This records a `ValuesErased`; a crash after that leaves the
    /// rest to the next opening. Costs up to four scans of the log and a rebuild of all projections, for which appends
    /// wait; reads continue, and replay sessions that are open end. No answer has the values when this returns, in any
    /// process. Files of the inbox are recorded before it, and rejected ones removed. The bytes leave the files with
    /// the next `compact(progress:)`.
    ///
    /// - Returns: The position of the event that was recorded; nil if nothing was left to erase, because an earlier
    ///   event erased the same, and none since names one of the users or conversations.
    /// - Throws: `StoreError`: `notFound` if the store does not have a user, conversation or event; `invalidArgument`
    ///   if nothing is named; `erasureUnfinished` if the event is recorded and answers may have the values, because the
    ///   disk is full, or a rebuild or compaction is under way. The store tries again within a minute and at its next
    ///   opening; so does this call, if it is repeated.
    @discardableResult
    public func erase(_ erasure: Erasure, alsoIDs: Bool = false) throws -> Position? {
        let log = try openedForWriting().log
        // The call erases events that were handed over before it as well.
        inbox?.look(self)
        guard !alsoIDs || !erasure.users.contains(account) else {
            throw StoreError(.invalidArgument, "the id of the store's own account cannot be erased")
        }
        try StoreError.translating {
            for user in erasure.users where try log.symbols.existingNumber(of: user) == nil {
                throw StoreError(.notFound, "the store has no user of a given id")
            }
            for conversation in erasure.conversations where try log.symbols.existingNumber(of: conversation) == nil {
                throw StoreError(.notFound, "the store has no conversation of a given key")
            }
            for event in erasure.events where event == .origin || event > log.lastPosition {
                throw StoreError(.notFound, "no event is recorded there", position: event)
            }
        }
        let erased = ValuesErased(
            users: erasure.users, alsoMessages: erasure.alsoMessages, conversations: erasure.conversations,
            events: erasure.events, alsoIDs: alsoIDs)
        guard try !StoreError.translating({ try log.isErased(erased) }) else {
            try finishErasures()
            return nil
        }
        let result = try record([Event(erased)])
        try result.erasure.requireDone(recordedAt: result.lastPosition, path: path)
        return result.lastPosition
    }

    /// Tries once more to finish the erasures of earlier events.
    ///
    /// - Throws: `StoreError` with code `erasureUnfinished`.
    func finishErasures() throws {
        let resources = try openedForWriting()
        guard try owesErasures() else { return }
        let progress = writer.withLock { _ in tryToFinishErasures(resources) }
        try progress.requireDone(recordedAt: lastPosition(), path: path)
    }

    /// Permanently removes personal values from the store; the `async` form of `erase(_:alsoIDs:)`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    @discardableResult
    public func erase(_ erasure: Erasure, alsoIDs: Bool = false) async throws -> Position? {
        try await run(on: writeQueue) { try self.erase(erasure, alsoIDs: alsoIDs) }
    }

    /// Removes the content that recorded events erase from the log's records and the views, as far as its time has
    /// come, and continues an erasure that a crash ended. The writer's lock is held.
    func finishErasures(_ resources: WritingResources) throws {
        let (log, views) = (resources.log, resources.views)
        let events = try log.owed().filter(isDue).compactMap(\.event)
        guard !events.isEmpty else { return }
        try log.commit()
        let positions = try views.read { try $0.wordPositions(erasedBy: events) }
        defer { signal.note(.rewritten) }
        let hasHostEvents = !configuration.events.isEmpty
        let isPartial = try views.read { try $0.takesMoreThanWords(erasedBy: events, hasHostEvents: hasHostEvents) }
        try lagging.erasing(positions, isPartial: isPartial) {
            defer { views.noteRedaction() }
            // The lens may have the words as well, and fail.
            let isAll = lens == nil
            if try log.erase(by: events, blanking: positions, finishing: isAll, now: configuration.now()) {
                replaySessions.end()
                // Whoever rebuilds already may wait for this append.
                try closing.ending({ _, _ in }) { try views.rebuild(nil, waits: false, progress: $0) }
            }
        }
        // An app extension must not show erased content.
        try lens?.replaceOrRemove(self)
        try log.noteErased(by: events)
        inbox?.removeRejected(self)
    }

    /// The same at an opening, after events that erase and from time to time: the events stay recorded if it fails, and
    /// the next look tries again.
    @discardableResult
    func tryToFinishErasures(_ resources: WritingResources) -> ErasureProgress {
        do {
            return try StoreError.translating {
                try finishErasures(resources)
                guard try resources.log.owed().contains(where: isWaiting) else { return .done }
                lookAgainLater()
                return .waiting
            }
        } catch {
            configuration.logger.error("erasing failed", metadata: ["error": "\(error)"])
            lookAgainLater()
            return .unfinished(error as? StoreError ?? StoreError(.hookFailed, "a callback failed", path: path))
        }
    }

    /// The flags of events that hide content. If this content is erased at once, a process that reads after a kill of
    /// this one must not show it.
    var hidingFlags: RecordFlags {
        configuration.privacy.removedContent.delay.map { $0 <= .zero ? [.erasesHidden, .erasesAtOnce] : .erasesHidden }
            ?? []
    }

    /// Whether the erasure waits for its time, or failed.
    private func isWaiting(_ owed: OwedErasure) -> Bool {
        owed.state == .recorded || owed.state == .hidden && configuration.privacy.removedContent.delay != nil
    }

    /// Whether the time has come to finish an erasure.
    func isDue(_ owed: OwedErasure) -> Bool {
        guard owed.state == .hidden, let delay = configuration.privacy.removedContent.delay else {
            return owed.state == .recorded
        }
        let passed = Double(configuration.now().milliseconds) - Double(owed.since.milliseconds)
        return delay <= .zero || passed >= delay / .milliseconds(1) && clockJump == nil
    }
}

/// The users, conversations and events whose personal values an erasure removes.
public struct Erasure: Hashable, Sendable {
    /// Users.
    public var users: [UserID]
    /// Whether the words of the users' messages are erased as well.
    public var alsoMessages: Bool
    /// Conversations, with the words of their messages.
    public var conversations: [ConversationKey]
    /// Single events, by their positions.
    public var events: [Position]

    /// Names users, conversations and events.
    public init(
        users: [UserID] = [], alsoMessages: Bool = false, conversations: [ConversationKey] = [],
        events: [Position] = []
    ) {
        self.users = users
        self.alsoMessages = alsoMessages
        self.conversations = conversations
        self.events = events
    }

    /// Names users.
    ///
    /// - Parameter alsoMessages: Whether the words of their messages are erased as well.
    public static func users(_ users: [UserID], alsoMessages: Bool = false) -> Erasure {
        Erasure(users: users, alsoMessages: alsoMessages)
    }

    /// Names conversations.
    public static func conversations(_ conversations: [ConversationKey]) -> Erasure {
        Erasure(conversations: conversations)
    }

    /// Names events.
    public static func events(_ positions: [Position]) -> Erasure { Erasure(events: positions) }
}

/// How far the erasing has come that recorded events order.
public enum ErasureProgress: Hashable, Sendable {
    /// No answer has the content that the events erase, in any process; or they erase nothing.
    case done
    /// It begins when the time has come that `configuration.privacy.removedContent` says.
    case waiting
    /// The events are recorded, and answers may have the content that they erase, because of an error. The store tries
    /// again within a minute and at its next opening for writing.
    case unfinished(StoreError)

    /// - Throws: `StoreError` with code `erasureUnfinished`.
    func requireDone(recordedAt position: Position, path: String) throws {
        guard case .unfinished(let cause) = self else { return }
        throw StoreError(
            .erasureUnfinished,
            "the event is recorded and the erasure is not finished: \(cause.message); the store tries again within a minute and at its next opening for writing",
            position: position, path: path)
    }
}

extension MessageStore {
    /// Permanently removes the content of a message; the fact that it was sent, by whom and when, is kept.
    ///
    /// Modifications of the message, and its echoes, are redacted as well. Costs a look at the messages of its
    /// conversation that have words, the first time after an opening or a compaction a scan of the log. No answer has the
    /// content from then on; its bytes leave the store's files with the next `compact(progress:)`.
    ///
    /// - Throws: `StoreError`: `notFound` if the position holds no event, `invalidArgument` if its type has no content.
    public func redact(_ position: Position) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try writer.withLock { state throws in
                try closing.check()
                let positions = try resources.views.read { try $0.wordPositions(of: position) }
                defer { resources.views.noteRedaction() }
                try lagging.erasing(positions) { try resources.log.redact(positions, now: configuration.now()) }
                scheduleIdleFlush(&state)
            }
        }
        inbox?.removeRejected(self)
        signal.note(.rewritten)
    }
    /// Permanently removes the content of a message; the `async` form of `redact(_:)`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func redact(_ position: Position) async throws {
        try await run(on: writeQueue) { try self.redact(position) }
    }
}
