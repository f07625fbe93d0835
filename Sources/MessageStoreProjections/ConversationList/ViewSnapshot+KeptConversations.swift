@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// A conversation that was kept, if nothing changed since that it was made of; else what `assemble` makes of the rows,
    /// which is kept.
    borrowing func kept(
        _ number: ConversationNumber, _ assemble: () throws -> Conversation?
    ) throws -> Conversation? {
        guard let reads, let history else { return try assemble() }
        if let kept = history.conversations.conversation(number, in: history) { return kept }
        reads.begin()
        defer { reads.end() }
        let conversation = try assemble()
        if let conversation, let places = reads.end() {
            history.conversations.keep(conversation, number, readFrom: places, at: history.fold)
        }
        return conversation
    }
}
