/// Hears of messages, members and the connection.
protocol AVIMClientDelegate: AnyObject {
    func imClientPaused(_ imClient: AVIMClient)
    func imClientResuming(_ imClient: AVIMClient)
    func imClientResumed(_ imClient: AVIMClient)
    func conversation(_ conversation: AVIMConversation, didReceiveCommonMessage message: AVIMMessage)
    func conversation(_ conversation: AVIMConversation, didReceiveTypedMessage message: AVIMTypedMessage)
    func conversation(_ conversation: AVIMConversation, messageDelivered message: AVIMMessage)
    func conversation(_ conversation: AVIMConversation, membersAdded clientIds: [String], byClientId clientId: String)
    func conversation(_ conversation: AVIMConversation, membersRemoved clientIds: [String], byClientId clientId: String)
    /// Called for the one who invites as well, by their own id; an app has nothing to do then.
    func conversation(_ conversation: AVIMConversation, invitedByClientId clientId: String)
    func conversation(_ conversation: AVIMConversation, kickedByClientId clientId: String)
    /// In unread mode: how many messages came while the client was away.
    func conversation(_ conversation: AVIMConversation, didReceiveUnread unread: Int)
}
