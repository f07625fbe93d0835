import MessageStore

extension Server.WireMessage {
    /// The message as an event.
    func event(origin: Origin) -> Event {
        .received(
            ServerMessageID(id), from: UserID(sender), in: .group(conversation), at: Timestamp(milliseconds: time),
            content: .text(text), clientToken: token.map { ClientToken($0) }, origin: origin)
    }
}

/// Older messages from the server.
struct ServerHistory: HistoryProvider {
    let server: Server

    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        let (messages, reachesBeginning) = await server.history(
            of: conversation.id, before: anchor.map { ($0.time.milliseconds, $0.id?.rawValue) }, limit: limit)
        return RemoteHistoryPage(
            messages: messages.compactMap { $0.event(origin: .history).payload as? MessageReceived },
            reachesBeginning: reachesBeginning)
    }
}
