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
    /// - Throws: As `record(_:acknowledgement:)`; `tokenReused` where the message of that token has another
    ///   conversation or content.
    public func enqueue(_ message: MessageSendQueued, to conversation: ConversationKey) throws -> LocalMessageID {
        guard let position = try record(Event(message, in: conversation)).position else {
            throw StoreError(.invalidArgument, "a message that is not stored cannot be queued")
        }
        return LocalMessageID(position.rawValue)
    }

    /// Queues a message for sending; the `async` form of `enqueue(_:to:)`.
    public func enqueue(_ message: MessageSendQueued, to conversation: ConversationKey) async throws -> LocalMessageID {
        try await run(on: writeQueue) { try self.enqueue(message, to: conversation) }
    }
}
