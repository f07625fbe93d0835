extension ViewSnapshot {
    /// A conversation that was kept, if nothing changed since that it was made of; else what `assemble` makes of the
    /// rows, which is kept.
    borrowing func kept(
        _ number: ConversationNumber, _ assemble: () throws -> Conversation?
    ) throws -> KeptConversation? {
        guard let history = keepingHistory else { return try assemble().map { KeptConversation(conversation: $0) } }
        if let kept = history.conversations.conversation(number, in: history) { return kept }
        reads.begin()
        defer { reads.end() }
        guard let conversation = try assemble() else { return nil }
        guard let places = reads.end() else { return KeptConversation(conversation: conversation) }
        let kept = KeptConversation(conversation: conversation, places: places, fold: history.fold)
        history.conversations.keep(kept, number)
        return kept
    }
}
