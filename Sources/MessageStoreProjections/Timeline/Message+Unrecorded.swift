@_spi(Storage) package import MessageStoreLog

extension Message {
    /// No log has so many events: the ids of messages that are not recorded begin here.
    private static let firstUnrecorded: UInt64 = 1 << 63

    /// Whether the store has the message; what `MessageStore.remoteHistory(of:_:limit:)` passes on may be a server's alone.
    public var isRecorded: Bool { id.rawValue < Self.firstUnrecorded }

    /// What a server has and the store does not.
    fileprivate init(
        _ message: MessageReceived, in conversation: ConversationKey, of account: UserID,
        _ told: MessageSnapshotReceived?
    ) {
        let scope = XXH64.hash(conversation.id, seed: UInt64(conversation.kind.rawValue))
        let hash = XXH64.hash(message.serverID.rawValue, seed: XXH64.hash(conversation.channel ?? "", seed: scope))
        self.init(
            id: LocalMessageID(hash | Self.firstUnrecorded), serverID: message.serverID,
            clientToken: message.clientToken, conversation: conversation, sender: message.sender,
            senderProfile: message.senderProfile, isOutgoing: message.sender == account,
            time: told?.sentTime ?? message.sentTime, status: message.sender == account ? .sent : .received,
            content: told?.content ?? message.content, context: message.context,
            flags: (message.flags ?? []).union(told?.flags ?? []), isModified: told?.content != nil,
            isRecalled: told?.isRecalled ?? false, countsUnread: message.policy.countsUnread,
            needsReceipt: message.needsReceipt)
    }
}

extension Views {
    /// A message as the store shows it, else as the server does.
    ///
    /// - Parameter told: What the server tells of messages beside them.
    package borrowing func message(
        _ message: MessageReceived, in conversation: ConversationKey, of account: UserID,
        _ told: [MessageSnapshotReceived]
    ) throws -> Message {
        let reference = MessageReference.server(message.serverID)
        return try self.message(reference, in: conversation)
            ?? Message(message, in: conversation, of: account, told.last { $0.message == reference })
    }
}
