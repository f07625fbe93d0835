import MessageStore

/// `setFilterMessagesBlock:`; the messages stay in the log as they came.
struct BlockMessageFilter: MessageFilter {
    let version: UInt32 = 1
    let block: LCCKBlocks.FilterMessages

    func verdicts(on messages: [MessageReceived], in conversation: ConversationKey) async throws -> [FilterVerdict] {
        let asked = messages.map { AVIMTypedMessage($0) }
        let shown = try await BlockAnswer<[AVIMTypedMessage]>.wait {
            block(LCCKConversationType(conversation.kind), asked, $0)
        }
        let contents = Dictionary(shown.map { ($0.messageId, $0.content) }) { first, _ in first }
        return messages.map { message in
            guard let content = contents[message.serverID.rawValue] else { return .hide }
            return content == message.content ? .keep : .replace(content)
        }
    }
}
