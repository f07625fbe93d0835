@_spi(Storage) public import MessageStoreLog

/// The messages that wait to be sent, at a moment; see `Views.dueMessages(at:)`.
public struct DueMessages: Sendable, Hashable {
    /// The reason why a message is not sent yet.
    public enum Obstacle: Sendable, Hashable {
        /// Its time has not come; see `SendOrder.notBefore`.
        case time(Timestamp)
        /// The server has not accepted another message, with the status `sending` or `failed`; see `SendOrder.after`.
        case message(LocalMessageID, MessageStatus)
        /// The other message was deleted, cleared or recalled before the server accepted it.
        case removedMessage(LocalMessageID)
    }

    /// A message that is not sent yet.
    public struct Waiting: Sendable, Hashable {
        /// The message.
        public let message: Message
        /// The reason.
        public let obstacle: Obstacle

        /// Creates a waiting message, for previews and tests.
        public init(message: Message, obstacle: Obstacle) { (self.message, self.obstacle) = (message, obstacle) }
    }

    /// The messages to send now, in that order.
    public fileprivate(set) var due: [Message] = []
    /// The other messages, oldest first.
    public fileprivate(set) var waiting: [Waiting] = []

    /// Creates a value, for previews and tests.
    public init(due: [Message] = [], waiting: [Waiting] = []) { (self.due, self.waiting) = (due, waiting) }

    /// The earliest time for which a message waits; nil if none waits for a time.
    public var nextTime: Timestamp? {
        waiting.compactMap { if case .time(let time) = $0.obstacle { time } else { nil } }.min()
    }

    /// Whether a message waits for another one.
    package func holds(_ message: LocalMessageID) -> Bool {
        waiting.contains { if case .message(message, _) = $0.obstacle { true } else { false } }
    }
}

extension Views {
    /// This account's messages that the server has not accepted: sending and failed, oldest first.
    ///
    /// - Throws: `StoreError`.
    public borrowing func outbox() throws -> [Message] {
        var messages: [Message] = []
        try snapshot.forEachRow(Messages.outbox) { local, _ in
            if let message = try message(local) { messages.append(message) }
            return true
        }
        return messages
    }

    /// The messages of the outbox that are being sent, not failed ones, by their `SendOrder`: those to send at a moment, and the
    /// obstacles of the others.
    ///
    /// A message with a higher priority comes first, else the one that was queued first. Costs a step for each
    /// message of the outbox.
    ///
    /// - Parameter time: The moment, as `configuration.now()` has it.
    /// - Throws: `StoreError`.
    public borrowing func dueMessages(at time: Timestamp) throws -> DueMessages {
        var messages = DueMessages()
        var due: [(priority: Int32, message: Message)] = []
        for message in try outbox() where message.status == .sending {
            guard let record = try snapshot.log.record(at: Position(message.id.rawValue)) else { continue }
            if let notBefore = record[SendOrder.notBefore], notBefore > time {
                messages.waiting.append(.init(message: message, obstacle: .time(notBefore)))
            } else if let after = record[SendOrder.after], let obstacle = try obstacle(after) {
                messages.waiting.append(.init(message: message, obstacle: obstacle))
            } else {
                due.append((record[SendOrder.priority] ?? 0, message))
            }
        }
        messages.due = due.ordered { ($1.priority, $0.message.id) < ($0.priority, $1.message.id) }.map(\.message)
        return messages
    }

    /// The obstacle that another message is; nil once the server accepted it, and if it is no message to send.
    private borrowing func obstacle(_ local: LocalMessageID) throws -> DueMessages.Obstacle? {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)), record.type == .messageSendQueued
        else { return nil }
        let state = try snapshot.row(Messages.states, local) ?? MessageState()
        let status = try status(of: record, state)
        guard status < .sent else { return nil }
        let isRemoved = try state.flags.contains(.isRecalled) || absence(of: record, state) != nil
        return isRemoved ? .removedMessage(local) : .message(local, status)
    }
}
