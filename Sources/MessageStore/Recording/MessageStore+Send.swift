extension MessageStore {
    /// Queues a message for sending; it is durable and shown before any network is touched.
    ///
    /// The host's transport sends it and records `MessageSent` or `MessageSendFailed`.
    ///
    /// - Returns: The message's id in this store.
    /// - Throws: As `record(_:acknowledgement:)`.
    public func send(_ message: MessageSendQueued, to conversation: ConversationKey) throws -> LocalMessageID {
        guard let position = try record(Event(message, in: conversation)) else {
            throw StoreError(.invalidArgument, "a message that is not kept cannot be sent from the store")
        }
        return LocalMessageID(position.rawValue)
    }

    /// Queues a message for sending; the `async` form of `send(_:to:)`.
    public func send(_ message: MessageSendQueued, to conversation: ConversationKey) async throws -> LocalMessageID {
        try await run(on: writeQueue) { try self.send(message, to: conversation) }
    }
}
