internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Answers with the events that take the place of one in a replay: itself, others, or none.
    public typealias EventTransform = @Sendable (RecordedEvent) throws -> [Event]

    /// A session that reads the views at positions of the past; see ``ReplaySession``.
    ///
    /// With a transform it reads the views as they would be had other events been recorded: if the transform returns no
    /// event for one, that event is left out; if it returns others, they replace it. Nothing is recorded, and positions
    /// stay those of the log, so that both can be compared:
    ///
    /// ```swift
    /// let without = try store.replaySession { $0.position == 323 ? [] : [$0.event] }
    /// let unread = try without.read(at: last) { try $0.unreadTotals().badge }
    /// ```
    ///
    /// Events that take the place of one share its position and recorded time. One of them at most may be a message, a
    /// modification, recall or verdict of one, a draft, or a session's or attachment's state: those are found by their
    /// positions. The store's earlier decisions stay: a message that was recorded as a repeat of one that is left out
    /// is still a repeat, unless that verdict, an event of its own, is left out, too.
    ///
    /// - Parameter transform: Answers with the events in the place of one, the same whenever it is asked; nil to read
    ///   what was recorded. It is called with each event that is folded, and must not use the store or the session.
    /// - Throws: `StoreError`. The session's calls throw the transform's errors, and `invalidArgument` with the
    ///   position if its events break a rule.
    public func replaySession(transform: EventTransform? = nil) throws -> ReplaySession {
        var options = ReplayedViews.Options()
        if let transform { options.rewriting = try rewriting(transform) }
        return try replaySession(options)
    }

    /// The same, where only some events are others: those for which `isOffered` answers true.
    package func replaySession(
        where isOffered: @escaping @Sendable (EventType, Position) -> Bool, transform: @escaping EventTransform
    ) throws -> ReplaySession {
        var options = ReplayedViews.Options()
        options.rewriting = try rewriting(where: isOffered, transform)
        return try replaySession(options)
    }

    /// Other events in the place of some.
    package func rewriting(
        where isOffered: @escaping @Sendable (EventType, Position) -> Bool = { _, _ in true },
        _ transform: @escaping EventTransform
    ) throws -> LogRewriting {
        LogRewriting(of: try opened().log, account: account) { record, decoder in
            guard isOffered(record.type, record.position) else { return nil }
            let recorded = try RecordedEvent(record, decoder)
            let events = try transform(recorded)
            return events == [recorded.event] ? nil : events
        }
    }

    /// A session that folds only what one conversation and the account as a whole went through, into some projections.
    ///
    /// It answers about the conversation as a session of all events would. Queries of projections that are neither
    /// named nor read by those throw.
    ///
    /// - Parameters:
    ///   - conversation: The conversation; nil for the events of all.
    ///   - projections: The projections; nil for all.
    ///   - types: The types of events to fold, which must be those that decide what is asked; nil for all.
    ///   - left: The positions of events that are left out.
    package func replaySession(
        about conversation: ConversationKey?, of projections: Set<ProjectionID>?, only types: Set<EventType>? = nil,
        without left: Set<Position> = []
    ) throws -> ReplaySession {
        var options = ReplayedViews.Options()
        options.projections = projections
        if conversation != nil || types != nil || !left.isEmpty {
            let log = try opened().log
            let number = try StoreError.translating { try conversation.map(log.symbols.existingNumber) }
            options.rewriting = LogRewriting { record in
                types?.contains(record.type) != false && !left.contains(record.position)
                    && (number.map { record.conversation == 0 || record.conversation == $0 } ?? true)
            }
        }
        return try replaySession(options)
    }

    /// A session with other options.
    package func replaySession(_ options: ReplayedViews.Options) throws -> ReplaySession {
        let resources = try opened()
        removeLeftReplays()
        return try StoreError.translating {
            let session = ReplaySession(self, try resources.views.makeReplayed(options))
            replaySessions.add(session)
            return session
        }
    }
}

/// The sessions of a store that are to end when it is closed.
final class ReplaySessions: Sendable {
    private struct Reference: Sendable { weak let session: ReplaySession? }

    private let references = Locked<[Reference]>([])

    func add(_ session: ReplaySession) {
        references.withLock { references in
            references.removeAll { $0.session == nil }
            references.append(Reference(session: session))
        }
    }

    func end() {
        for reference in references.withLock({ $0 }) { reference.session?.end() }
    }
}
