import MessageStore

/// The service's history, as the store asks for it.
struct LeanCloudHistory: HistoryProvider {
    let server: LeanCloudServer

    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        let all = server.find(conversation.id)?.messages ?? []
        let older = all.filter { message in
            anchor.map { MessageOrder(time: message.time, id: ServerMessageID(message.id)) < $0 } ?? true
        }
        return RemoteHistoryPage(
            messages: older.suffix(limit).map(\.received), reachesBeginning: older.count <= limit)
    }
}

extension LeanCloudServer.WireMessage {
    /// The message as an event's payload.
    var received: MessageReceived {
        MessageReceived(
            serverID: ServerMessageID(id), sender: UserID(sender), sentTime: time, content: content, clientToken: token,
            policy: options == .transient ? .transient : .standard, needsReceipt: options == .requestReceipt)
    }
}
