internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Records one event; see `record(_:acknowledgement:)`.
    @discardableResult
    public func record(_ event: Event, acknowledgement: Acknowledgement = .durable) throws -> RecordResult {
        try record([event], acknowledgement: acknowledgement)
    }

    /// Records events in one commit: all of them or none.
    ///
    /// When this returns, every view shows them, and with the acknowledgement `durable` they are durable. Events
    /// recorded before are recognised by server id, client token or event id and change nothing. Received messages that
    /// their policy does not keep are only delivered (see ``deliveries(bufferingNewest:)``). Costs one flush, whatever
    /// the number of events.
    ///
    /// - Parameters:
    ///   - events: In the order in which they are recorded.
    ///   - acknowledgement: The guarantee when this returns.
    /// - Throws: `StoreError`, and nothing is recorded: `invalidArgument` names the first rule that an event breaks,
    ///   `invalidTime` the first time that looks like seconds;
    ///   `tokenReused`, `packageMissing`, `diskFull`, `readOnly`, `closed`, `nestedAccess` and others.
    @discardableResult
    public func record(_ events: [Event], acknowledgement: Acknowledgement = .durable) throws -> RecordResult {
        try record(events, closing: nil, acknowledgement)
    }

    /// Records one event; the `async` form of `record(_:acknowledgement:)`.
    @discardableResult
    public func record(_ event: Event, acknowledgement: Acknowledgement = .durable) async throws -> RecordResult {
        try await record([event], closing: nil, acknowledgement)
    }

    /// Records events in one commit; the `async` form of `record(_:acknowledgement:)`.
    @discardableResult
    public func record(_ events: [Event], acknowledgement: Acknowledgement = .durable) async throws -> RecordResult {
        try await record(events, closing: nil, acknowledgement)
    }

    /// Records events, followed by a closing one, after the host's filter has judged them.
    @discardableResult
    func record(
        _ events: [Event], closing: Event?, _ acknowledgement: Acknowledgement, isHandedOver: Bool = false
    ) throws -> RecordResult {
        var (batch, judged) = try incoming(events)
        batch.isHandedOver = isHandedOver
        if !judged.isEmpty { batch.verdicts = filtering.waitForVerdicts(on: judged, of: account).verdicts }
        return try append(batch, acknowledgement) { closing }
    }

    /// Records events, followed by a closing one; the `async` form of the other.
    func record(
        _ events: [Event], closing: Event?, _ acknowledgement: Acknowledgement
    ) async throws -> RecordResult {
        try await record(events, acknowledgement) { closing }
    }

    /// Records events, followed by one that is made when nothing can be recorded before them any more.
    func record(
        _ events: [Event], _ acknowledgement: Acknowledgement, closing: @escaping @Sendable () throws -> Event?
    ) async throws -> RecordResult {
        try Task.checkCancellation()
        var (batch, judged) = try incoming(events)
        if !judged.isEmpty { batch.verdicts = await filtering.verdicts(on: judged, of: account).verdicts }
        let filtered = batch
        return try await run(on: writeQueue) { try self.append(filtered, acknowledgement, closing: closing) }
    }

    private func incoming(_ events: [Event]) throws -> (batch: IncomingBatch, judged: [JudgedMessage]) {
        _ = try openedForWriting()
        let batch = try IncomingBatch(events, contentTypes)
        guard filtering.concerns(batch.events, of: account) else { return (batch, []) }
        guard !MessageFiltering.isAsking else {
            throw StoreError(
                .nestedAccess, "the message filter records messages that it would have to judge", path: path)
        }
        return (batch, try judged(batch.events))
    }
}

extension MessageStore {
    /// Queues a message for sending. When this returns, the message is durable and shown as sending.
    ///
    /// The host's transport sends it and records `MessageSent` or `MessageSendFailed`. If the message need not be
    /// durable at once, `record(Event(message, in: conversation), acknowledgement: .visible)` queues it as well; the
    /// position that it returns is the number of the message's id.
    ///
    /// A message with the client token of a message that was queued before is that message, and is not queued again.
    ///
    /// - Returns: The message's id in this store.
    /// - Throws: As `record(_:acknowledgement:)`; `tokenReused` if the message of that token has another conversation
    ///   or content.
    public func send(_ message: MessageSendQueued, to conversation: ConversationKey) throws -> LocalMessageID {
        guard let position = try record(Event(message, in: conversation)).position else {
            throw StoreError(.invalidArgument, "a message that is not stored cannot be queued")
        }
        return LocalMessageID(position.rawValue)
    }

    /// Queues a message for sending; the `async` form of `send(_:to:)`.
    public func send(_ message: MessageSendQueued, to conversation: ConversationKey) async throws -> LocalMessageID {
        try await run(on: writeQueue) { try self.send(message, to: conversation) }
    }

    /// Queues a message of some content for sending, as `send(_:to:)` does.
    ///
    /// - Parameter token: By which the server's echo is known; sent with the message. `Views.message(_:)` has it.
    public func send(
        _ content: MessageContent, to conversation: ConversationKey, token: ClientToken = .unique()
    ) throws -> LocalMessageID {
        try send(MessageSendQueued(content: content, clientToken: token), to: conversation)
    }

    /// Queues a message of some content for sending; the `async` form of `send(_:to:token:)`.
    public func send(
        _ content: MessageContent, to conversation: ConversationKey, token: ClientToken = .unique()
    ) async throws -> LocalMessageID {
        try await send(MessageSendQueued(content: content, clientToken: token), to: conversation)
    }
}

extension MessageStore {
    /// Adds the descriptions of hosts' types in another store's log to this one's, which has no events yet.
    package func describe(_ descriptions: [EventDescription]) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try writer.withLock { _ throws in
                guard resources.log.lastPosition == .origin else {
                    throw StoreError(.invalidArgument, "the store has events already", path: path)
                }
                try resources.log.describe(descriptions)
            }
        }
    }
}

/// The result of recording events.
public struct RecordResult: Sendable, Hashable {
    /// The position of each event: a new one, or that of the same event recorded before; nil for a message that its
    /// policy does not keep.
    public let positions: [Position?]
    /// The indices of the events that were known, in increasing order. They changed nothing, except that the server's
    /// echo of a message whose acknowledgement was lost is recorded as that acknowledgement, and that a copy of a
    /// message which adds a time or flags is recorded as a `MessageSnapshotReceived`.
    public let known: [Int]
    /// The indices of new events about messages that the store does not have: an acknowledgement or a failure of a
    /// message that was not queued in its conversation, or an edit, recall, deletion, receipt or snapshot of unknown
    /// messages, or an update of a change that never waited for the server.
    ///
    /// They are recorded all the same. An event that names a message by its server id takes effect when that message
    /// arrives; an event that names one by a local id never does. The logger is warned.
    public let unmatched: [Int]
    /// The position of the log's last event after the call.
    public let lastPosition: Position
    /// Whether the content that the new events erase is erased. A host that shows "deleted" shows it for
    /// ``ErasureProgress/done``.
    public let erasure: ErasureProgress

    /// The position of the first event, which is the one of a call with one event.
    public var position: Position? { positions.first ?? nil }
    /// How many of the events were known.
    public var duplicates: Int { known.count }
}

extension RecordResult {
    /// The same for the first events alone.
    func first(_ count: Int) -> RecordResult {
        // Not by `prefix(_:)`, which goes through a sequence if an array is asked for.
        var positions = positions
        positions.removeLast(positions.count - count)
        return RecordResult(
            positions: positions, known: known.filter { $0 < count }, unmatched: unmatched, lastPosition: lastPosition,
            erasure: erasure)
    }
}

/// The guarantee about events when the call that records them returns.
///
/// In both cases every view shows them, and a package is recorded as a whole or not at all.
public enum Acknowledgement: Sendable, Hashable {
    /// They are in the log, with the durability that the store is configured with.
    case durable
    /// They are visible in this process and become durable later, together with others.
    ///
    /// Durability follows within the limits of `configuration.durability.groupCommit`; if the process
    /// ends before it, they are lost, the newest first. Confirm a package to a server only after
    /// `waitUntilDurable(through:)` has returned. Other processes, tails and subscribers see only durable events.
    case visible
}

extension MessageStore {
    /// Records that this account joined a chat room and left the others.
    ///
    /// All of it is one commit: `ChatRoomLeft` with the reason `switched` for each other room that it was in, which
    /// purges that room, and `ChatRoomJoined`. Calls wait for each other, so that the account ends up in one room.
    ///
    /// - Parameters:
    ///   - room: The chat room.
    ///   - time: When, by the server's clock.
    ///   - leavingOthers: Whether the server allows only one room at a time.
    /// - Throws: As `record(_:acknowledgement:)`; `invalidArgument` if `room` is no chat room.
    public func joinChatRoom(_ room: ConversationKey, at time: Timestamp, leavingOthers: Bool = true) throws {
        // From inside a read this throws, rather than wait for a thread that waits for that read to end.
        _ = try openedForWriting()
        try chatRoomSwitch.withLock { _ throws in
            let others = leavingOthers ? try read { try $0.joinedChatRooms() }.filter { $0 != room } : []
            let left = others.map { Event(ChatRoomLeft(.switched, at: time), in: $0) }
            try record(left + [Event(ChatRoomJoined(at: time), in: room)])
        }
    }

    /// Records that this account joined a chat room; the `async` form of `joinChatRoom(_:at:leavingOthers:)`.
    ///
    /// - Parameters:
    ///   - room: The chat room.
    ///   - time: When, by the server's clock.
    ///   - leavingOthers: Whether the server allows only one room at a time.
    /// - Throws: As the synchronous one.
    public func joinChatRoom(_ room: ConversationKey, at time: Timestamp, leavingOthers: Bool = true) async throws {
        try await run(on: writeQueue) { try self.joinChatRoom(room, at: time, leavingOthers: leavingOthers) }
    }
}
