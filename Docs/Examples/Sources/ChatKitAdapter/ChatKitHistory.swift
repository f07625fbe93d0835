import MessageStore

/// The service's messages of the past, of each conversation.
struct ChatKitHistory: HistoryProvider {
    let messages: [ConversationKey: [MessageReceived]]

    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        let all = messages[conversation] ?? []
        let older = all.filter { message in
            anchor.map { MessageOrder(time: message.sentTime, id: message.serverID) < $0 } ?? true
        }
        return RemoteHistoryPage(messages: older.suffix(limit), reachesBeginning: older.count <= limit)
    }
}
