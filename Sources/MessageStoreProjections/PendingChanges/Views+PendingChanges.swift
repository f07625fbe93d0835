@_spi(Storage) public import MessageStoreLog

/// A modification or recall made on this device that the server has not confirmed.
///
/// It follows the outbox: a host sends the messages of `outbox()` first, and a change once it ``isReady``.
public struct PendingChange: Sendable, Hashable {
    /// What is to be done to the message.
    public enum Kind: UInt8, Sendable, Hashable {
        /// Its content is to be replaced.
        case modification = 1
        /// It is to be taken back.
        case recall = 2
    }

    /// The position of the change's event; `MessageSendFailed` and `MessageSendRetried` name the change by it.
    public let id: LocalMessageID
    /// The message to change.
    public let message: LocalMessageID
    /// The conversation.
    public let conversation: ConversationKey
    /// What is to be done.
    public let kind: Kind
    /// `sending` or `failed`.
    public let status: MessageStatus
    /// The transport's error while the status is `failed`.
    public let failureCode: Int32?
    /// Whether the server knows the message, so that the change can be sent.
    public let isReady: Bool

    /// Creates a change, for previews and tests.
    public init(
        id: LocalMessageID, message: LocalMessageID, conversation: ConversationKey, kind: Kind,
        status: MessageStatus = .sending, failureCode: Int32? = nil, isReady: Bool = false
    ) {
        self.id = id
        self.message = message
        self.conversation = conversation
        self.kind = kind
        self.status = status
        self.failureCode = failureCode
        self.isReady = isReady
    }
}

extension Views {
    /// The modifications and recalls made on this device that wait for the server, in the order of the log.
    ///
    /// A change waits from its event of origin `local` until an event of another origin reports the same change:
    /// a modification confirms the oldest that waits, a recall ends all. It also ends when its message is deleted.
    /// Changes of messages that the store did not know when they were made are not among them.
    ///
    /// - Throws: `StoreError`.
    public borrowing func pendingChanges() throws -> [PendingChange] {
        var changes: [PendingChange] = []
        var cursor = try snapshot.rows(.pendingChanges)
        while try cursor.next() {
            guard let key = PendingChangeKey(cursor.key), let row = PendingChangeRow(cursor.value) else {
                throw StoreError.unreadableRow(of: .pendingChanges, at: cursor.key)
            }
            let message = try snapshot.shownMessage(key.message, in: key.conversation)
            // A message that was hidden when it was deleted had no row to leave.
            guard try snapshot.messageState(of: message)?.flags.contains(.isDeleted) != true else { continue }
            changes.append(
                PendingChange(
                    id: LocalMessageID(key.position.rawValue), message: message,
                    conversation: try snapshot.symbols.conversation(key.conversation), kind: row.kind,
                    status: row.status,
                    failureCode: row.status == .failed ? row.failureCode : nil,
                    isReady: try snapshot.serverID(of: message, in: key.conversation) != nil))
        }
        return changes.sorted { $0.id < $1.id }
    }
}
