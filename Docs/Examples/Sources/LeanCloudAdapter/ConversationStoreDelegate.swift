/// An app's delegate: notes what it is told, a line each.
final class ConversationStoreDelegate: AVIMClientDelegate {
    private(set) var lines: [String] = []
    /// Invitations by the client itself, of which it shows nothing.
    private(set) var ownInvitations = 0

    /// What it was told since it was asked last.
    func told() -> [String] {
        defer { lines = [] }
        return lines
    }

    func imClientPaused(_ imClient: AVIMClient) { lines.append("paused") }
    func imClientResuming(_ imClient: AVIMClient) { lines.append("resuming") }
    func imClientResumed(_ imClient: AVIMClient) { lines.append("resumed") }

    func conversation(_ conversation: AVIMConversation, didReceiveCommonMessage message: AVIMMessage) {
        lines.append("\(message.clientId): \(message.content)")
    }

    func conversation(_ conversation: AVIMConversation, didReceiveTypedMessage message: AVIMTypedMessage) {
        lines.append("\(message.clientId): \(message.mediaType) \(message.text ?? "-")")
    }

    func conversation(_ conversation: AVIMConversation, messageDelivered message: AVIMMessage) {
        lines.append("\(message.status) \((message as? AVIMTypedMessage)?.text ?? message.content)")
    }

    func conversation(_ conversation: AVIMConversation, membersAdded clientIds: [String], byClientId clientId: String) {
        lines.append("\(clientId) added \(clientIds.joined(separator: ", "))")
    }

    func conversation(_ conversation: AVIMConversation, membersRemoved clientIds: [String], byClientId clientId: String)
    {
        lines.append("\(clientId) removed \(clientIds.joined(separator: ", "))")
    }

    func conversation(_ conversation: AVIMConversation, invitedByClientId clientId: String) {
        guard clientId != conversation.client.clientId else { return ownInvitations += 1 }
        lines.append("invited by \(clientId)")
    }

    func conversation(_ conversation: AVIMConversation, kickedByClientId clientId: String) {
        lines.append("kicked by \(clientId)")
    }

    func conversation(_ conversation: AVIMConversation, didReceiveUnread unread: Int) {
        lines.append("\(unread) unread in \(conversation.conversationId)")
    }
}
