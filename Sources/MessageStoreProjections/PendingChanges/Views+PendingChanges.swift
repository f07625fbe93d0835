@_spi(Storage) public import MessageStoreLog

/// A change made on this device that the host has yet to report to the server: an edit, a recall, a reaction or a pin,
/// say.
///
/// It follows the outbox: a host sends the messages of `outbox()` first, and a change once it ``isReady``. The host
/// records the outcome as a `PendingChangeUpdated` that names ``id``.
public struct PendingChange: Sendable, Hashable, Identifiable {
    /// The position of the event.
    public let id: Position
    /// The change, and its conversation; an `UnknownEvent` where its type cannot read it any more.
    public let event: Event
    /// The message that is changed; nil where the event may be about several, or is about one that the store does not
    /// know.
    public let message: LocalMessageID?
    /// `waiting` or `failed`.
    public let status: PendingChangeStatus
    /// The transport's error while the status is `failed`.
    public let failureCode: Int32?
    /// Whether the server knows the message, so that the change can be sent; true where there is no ``message``.
    public let isReady: Bool
    /// Whether its content was removed permanently, so that it can only be withdrawn.
    public let isRedacted: Bool

    /// Creates a change, for previews and tests.
    public init(
        id: Position, event: Event, message: LocalMessageID? = nil, status: PendingChangeStatus = .waiting,
        failureCode: Int32? = nil, isReady: Bool = true, isRedacted: Bool = false
    ) {
        self.id = id
        self.event = event
        self.message = message
        self.status = status
        self.failureCode = failureCode
        self.isReady = isReady
        self.isRedacted = isRedacted
    }
}

extension Views {
    /// The changes made on this device that the host has yet to report to the server, in the order of the log.
    ///
    /// Modifications and recalls of origin `local` of messages that the store knows are among them, and every event
    /// that was recorded with `awaitsServer`. A change waits until a `PendingChangeUpdated` confirms or withdraws it,
    /// or its message is deleted; clearing a history or deleting a conversation ends none. A recall of another origin
    /// ends all modifications and recalls of its message; a modification of another origin confirms the oldest one that
    /// was recorded without `awaitsServer`. Later changes do not replace earlier ones: a host that reports only the
    /// last of several reads or drafts to the server confirms the others with it. Costs a row and a record of the log
    /// for each change.
    ///
    /// - Throws: `StoreError`.
    public borrowing func pendingChanges() throws -> [PendingChange] {
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.isLentToProjection)
        var changes: [PendingChange] = []
        for (key, row) in try snapshot.allRows(PendingChanges.changes) {
            let record = try snapshot.record(at: key.position, namedBy: PendingChanges.changes.place)
            let message = try snapshot.changedMessage(of: record)
            // A message that was hidden when it was deleted had no row to leave.
            if let message, try snapshot.isDeleted(message) { continue }
            let name = try message.flatMap { try snapshot.name(of: $0, in: key.conversation) }
            changes.append(
                PendingChange(
                    id: key.position, event: try Self.event(from: record, decoder), message: message,
                    status: row.status,
                    failureCode: row.status == .failed ? row.failureCode : nil,
                    isReady: name.map { !$0.serverID.isEmpty } ?? true,
                    isRedacted: record.flags.contains(.isRedacted)))
        }
        return changes.ordered { $0.id < $1.id }
    }

    /// One event that its host's type cannot read does not hide the others.
    private static func event(from record: RecordView, _ decoder: RecordDecoder) throws -> Event {
        do {
            return try decoder.event(from: record)
        } catch let error as StoreError where error.code != .invalidArgument {
            throw error
        } catch {
            return try decoder.storedEvent(from: record)
        }
    }
}
