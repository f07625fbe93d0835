@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Appends recorded events to an empty store, with conversations under other keys.
    ///
    /// For a log in which one conversation got two keys, as where its kind had been guessed, or whose keys have a kind
    /// that is no part of the identity (see `ConversationKey.id(_:)`). Every event of a conversation becomes one of the
    /// key that `keys` gives for it, at its position and with its times, so that the store answers as if that key had
    /// been named from the beginning. Decisions that were made when an event was recorded, such as whether a message
    /// mentions the account, stay.
    ///
    /// A message that two conversations had under one server id stays where it was recorded first. The later record
    /// becomes a `MessageSnapshotReceived` with its data, and events that name that record name the message.
    ///
    /// Joining itself records no kind: record a `ConversationUpdated` afterwards to set the kind of a conversation that
    /// goes by its id alone from now on. Keys in the fields of a host's events stay as they are.
    ///
    /// Costs what ``restore(_:)-(Sequence<RecordedEvent>)`` costs, and memory for the server ids of the joined
    /// conversations.
    ///
    /// - Parameters:
    ///   - events: In the order of their positions.
    ///   - keys: The new key of each conversation that gets one; each is looked up once.
    /// - Throws: `StoreError`: as ``restore(_:)-(Sequence<RecordedEvent>)``; `invalidArgument` where a chat room would
    ///   become another kind of conversation, or another kind a chat room.
    public func restore(
        _ events: some Sequence<RecordedEvent>, joining keys: [ConversationKey: ConversationKey]
    ) throws {
        var join = try ConversationJoin(keys)
        var rest = events.makeIterator()
        try restore(restored: { rest.next().map { join.restored($0) } })
    }

    /// Appends recorded events to an empty store, with conversations under other keys; the `async` form of
    /// ``restore(_:joining:)-(Sequence<RecordedEvent>,_)``.
    ///
    /// - Throws: As the synchronous one; `CancellationError` where the task was cancelled before.
    public func restore(
        _ events: some Sequence<RecordedEvent> & Sendable, joining keys: [ConversationKey: ConversationKey]
    ) async throws {
        try await run(on: writeQueue) { try self.restore(events, joining: keys) }
    }
}

/// Gives the events of conversations other keys.
private struct ConversationJoin {
    private let keys: [ConversationKey: ConversationKey]
    private let joined: Set<ConversationKey>
    /// The messages of the joined conversations by their server ids, and the records that repeat them.
    private var messages: [ConversationKey: [ServerMessageID: LocalMessageID]] = [:]
    private var repeats: [LocalMessageID: LocalMessageID] = [:]

    init(_ keys: [ConversationKey: ConversationKey]) throws {
        for (old, new) in keys where (old.kind == .chatRoom) != (new.kind == .chatRoom) {
            throw StoreError(.invalidArgument, "a chat room and another conversation cannot become one: \(old), \(new)")
        }
        self.keys = keys
        joined = Set(keys.values)
    }

    mutating func restored(_ recorded: RecordedEvent) -> RestoredEvent {
        var event = recorded.event.naming({ keys[$0] ?? $0 }, { repeats[$0] ?? $0 })
        guard let key = event.conversation, joined.contains(key) else { return RestoredEvent(recorded, event) }
        let local = LocalMessageID(recorded.position.rawValue)
        switch event.payload {
        case let received as MessageReceived:
            guard let first = messages[key]?[received.serverID] else {
                messages[key, default: [:]][received.serverID] = local
                break
            }
            repeats[local] = first
            event.payload = received.asCopy
            event.awaitsServer = false
            return RestoredEvent(recorded, event, keepsFlags: false)
        case let sent as MessageSent: messages[key, default: [:]][sent.serverID] = sent.message
        case let verdict as MessageDuplicateSuppressed:
            if let original = verdict.duplicateOf { messages[key, default: [:]][verdict.serverID] = original }
        default: break
        }
        return RestoredEvent(recorded, event)
    }
}

extension MessageReceived {
    /// The data that a copy of a known message reports of it.
    fileprivate var asCopy: MessageSnapshotReceived {
        MessageSnapshotReceived(.server(serverID), sentTime: sentTime, flags: flags)
    }
}

extension RestoredEvent {
    fileprivate init(_ recorded: RecordedEvent, _ event: Event, keepsFlags: Bool = true) {
        self.init(
            position: recorded.position, commit: recorded.commit, recordedTime: recorded.recordedTime,
            flags: keepsFlags ? RecordFlags(rawValue: recorded.flags) : nil, event: event, byteCount: nil)
    }
}
