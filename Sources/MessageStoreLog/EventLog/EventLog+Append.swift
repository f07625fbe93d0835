internal import MessageStoreLMDB

/// Encoded events: visible from ``EventLog/stage(_:)`` on, durable from a commit on.
package final class PreparedAppend: @unchecked Sendable {  // Nothing of it changes once it is made.
    /// For each event its position: a new one, or that of the same event recorded before (I4).
    package let positions: [Position]
    /// How many of the events were known.
    package let duplicates: Int
    /// The new records; empty where every event was known.
    package let batch: EncodedBatch
    /// The identities that the new records claim.
    package let identities: [IdentityKey]
    /// The new messages that repeat others by what they say.
    package let repeats: Set<Position>
    let symbols: [PendingSymbols.Entry]

    init(
        positions: [Position], duplicates: Int, batch: consuming EncodedBatch, identities: [IdentityKey],
        repeats: Set<Position>, symbols: [PendingSymbols.Entry]
    ) {
        self.positions = positions
        self.duplicates = duplicates
        self.batch = batch
        self.identities = identities
        self.repeats = repeats
        self.symbols = symbols
    }
}

/// An event that the log holds already.
package struct KnownEvent: Sendable {
    package let position: Position
    /// Whether it is a queued message that no server has acknowledged yet.
    package let isUnacknowledged: Bool

    package init(position: Position, isUnacknowledged: Bool) {
        self.position = position
        self.isUnacknowledged = isUnacknowledged
    }
}

extension EventLog {
    /// Validates and encodes events for one commit, and leaves out those that the log holds already (I4).
    ///
    /// Nothing is written. Preparing and staging must not be done by two threads at once.
    ///
    /// - Parameters:
    ///   - events: The first broken rule throws.
    ///   - closing: One event more, recorded behind the others.
    ///   - account: The store's account, for the frozen flags of messages.
    ///   - now: The clock's time; recorded times never fall along the log, whatever the clock does.
    ///   - known: Finds an event of earlier commits by one of its identities.
    ///   - filtered: What the host's filter says of received messages, by the index of the event; frozen as an event right
    ///     before each message that is new (I12).
    ///   - repeatWindow: Within how many milliseconds a message without a token may repeat another of a conversation of this
    ///     kind (d12); nil where none is looked for (D21, D23).
    ///   - repeated: Finds the message of earlier commits that a record repeats within so many milliseconds.
    ///   - isMessage: Whether the conversation of this number has such a message of earlier commits.
    ///   - isUnacknowledged: Whether a message of earlier commits was queued in the conversation of this number and no
    ///     server has acknowledged it.
    package func prepare(
        _ events: [Event], closing: Event? = nil, account: UserID, now: Timestamp,
        filtered: [Int: MessageFiltered] = [:],
        repeatWindow: (ConversationKind) -> Int64? = { _ in nil },
        repeated: (RecordView, Int64) throws -> LocalMessageID? = { _, _ in nil },
        known: (Identity, IdentityKey) throws -> KnownEvent?,
        isMessage: (LocalMessageID, UInt32) throws -> Bool = { _, _ in true },
        isUnacknowledged: (LocalMessageID, UInt32) throws -> Bool = { _, _ in true }
    ) throws -> PreparedAppend {
        guard events.count <= EventLimits.batchEvents else {
            throw StoreError(.invalidArgument, "a batch of \(events.count) events; at most \(EventLimits.batchEvents)")
        }
        let end = end.withLock { $0 }
        let time = max(
            Timestamp(milliseconds: min(max(now.milliseconds, 0), Timestamp.latest.milliseconds)), end.recordedTime)
        var assembler = BatchAssembler(
            batch: EncodedBatch(firstPosition: Position(end.position.rawValue + 1), recordedTime: time),
            encoder: RecordEncoder(account: account, symbols: PendingSymbols(table: symbols)), count: events.count)
        for (index, event) in events.enumerated() {
            let isNew = try assembler.add(
                event, filtered: filtered[index], known: known, isMessage, isUnacknowledged)
            if isNew { try assembler.noteRepeat(event, repeatWindow, repeated) }
        }
        if let closing { _ = try assembler.add(closing, filtered: nil, known: known, isMessage, isUnacknowledged) }
        return assembler.finish()
    }
}
