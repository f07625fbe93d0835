import MessageStore

/// The list of conversations, with the menu of a swipe.
struct LCCKConversationList {
    let store: MessageStore

    /// The name, the line of the last message, and the number of unread ones; "*" where it was marked.
    func rows() throws -> [String] {
        try store.read { try $0.conversations().elements }.map { row in
            let line = row.lastMessage.flatMap { store.contentTypes.preview(of: $0) } ?? ""
            return "\(row.displayName): \(line) (\(row.unread.isMarkedUnread ? "*" : "\(row.unread.messages)"))"
        }
    }

    func delete(_ key: ConversationKey) throws { try store.record(.conversationDeleted(key)) }
    func markUnread(_ key: ConversationKey) throws { try store.record(.markedUnread(in: key)) }
    func read(_ key: ConversationKey) throws { try store.record(.read(in: key)) }
}
