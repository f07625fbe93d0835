@_spi(Storage) package import MessageStoreLog

extension Message {
    /// No log has so many events: the ids of messages that are not recorded begin here.
    private static let firstUnrecorded: UInt64 = 1 << 63

    /// Whether the store has the message; what `MessageStore.remoteHistory(of:_:limit:)` passes on may be a server's
    /// alone.
    public var isRecorded: Bool { id.rawValue < Self.firstUnrecorded }

    /// A message that a server has and the store does not.
    fileprivate init(
        _ message: MessageReceived, in conversation: ConversationKey, of account: UserID,
        _ told: MessageSnapshotReceived?, isReplaced: Bool
    ) {
        let edit = isReplaced ? nil : told?.content
        let content = edit ?? message.content
        let isRecalled = told?.isRecalled ?? false
        var context = message.context
        if let told { context.takeMentions(of: told) }
        let scope = XXH64.hash(conversation.id, seed: UInt64(conversation.kind.rawValue))
        let hash = XXH64.hash(message.serverID.rawValue, seed: XXH64.hash(conversation.channel ?? "", seed: scope))
        self.init(
            id: LocalMessageID(hash | Self.firstUnrecorded), serverID: message.serverID,
            clientToken: message.clientToken, conversation: conversation, sender: message.sender,
            senderProfile: message.senderProfile, isOutgoing: message.sender == account,
            time: told?.sentTime ?? message.sentTime, status: message.sender == account ? .sent : .received,
            content: isRecalled ? MessageContent(type: content.type) : content, context: context,
            flags: (message.flags ?? []).union(told?.flags ?? []), isModified: edit != nil, isReplaced: isReplaced,
            isRecalled: isRecalled, countsUnread: message.policy.countsUnread,
            needsReceipt: message.needsReceipt)
    }
}

extension Views {
    /// A message as the store shows it, else as the server does; nil where the store has it and does not show it.
    ///
    /// - Parameters:
    ///   - told: The server's snapshot of the message, which came with it.
    ///   - isReplaced: Whether a filter replaced its content.
    package borrowing func message(
        _ message: MessageReceived, in conversation: ConversationKey, of account: UserID,
        _ told: MessageSnapshotReceived?, isReplaced: Bool
    ) throws -> Message? {
        let reference = MessageReference.server(message.serverID)
        if let number = try snapshot.symbols.number(of: conversation),
            let local = try snapshot.local(of: reference, in: number), local.rawValue <= position.rawValue
        {
            if let shown = try self.message(reference, in: conversation) { return shown }
            // A chat room that was left shows it once it is recorded.
            guard try snapshot.isForgotten(local, in: number), try !isRemoved(local) else { return nil }
        }
        return Message(message, in: conversation, of: account, told, isReplaced: isReplaced)
    }

    /// Whether a message was deleted or hidden, or repeats another.
    private borrowing func isRemoved(_ local: LocalMessageID) throws -> Bool {
        guard let state = try snapshot.row(Messages.states, local) else { return false }
        return !state.flags.isDisjoint(with: [.isDeleted, .isSuppressed]) || state.verdict == .hide
    }
}
