import MessageStore

extension RCCoreClient {
    /// A message by its UID; nil if there is none.
    func getMessageByUId(
        _ messageUId: String, _ type: RCConversationType, _ targetId: String
    ) throws -> RCMessage? {
        guard let store else { return nil }
        let key = type.key(targetId)
        let found = try store.read { try $0.message(.server(ServerMessageID(messageUId)), in: key) }
        return found.flatMap { RCMessage($0, types: store.contentTypes) }
    }

    /// The texts of a conversation's newest messages.
    func texts(_ type: RCConversationType, _ targetId: String, count: Int) throws -> [String] {
        let key = type.key(targetId)
        return try store?.read { try $0.timeline(of: key, limit: count).elements.compactMap(\.text) } ?? []
    }

    func getUnreadCount(_ type: RCConversationType, _ targetId: String) throws -> Int {
        let key = type.key(targetId)
        return try store?.read { try $0.unread(of: key).messages } ?? 0
    }

    /// Sets states of a message, here or on another device of the account; states that were set stay.
    func setMessageReceivedStatus(
        _ messageUId: String, _ type: RCConversationType, _ targetId: String, _ status: RCReceivedStatusInfo,
        onOtherDevice: Bool = false
    ) throws {
        try store?.record(
            Event(
                MessageStatusFlagsSet([.server(ServerMessageID(messageUId))], flags: status.flags),
                in: type.key(targetId), origin: onOtherDevice ? .otherDevice : .local))
    }
}
