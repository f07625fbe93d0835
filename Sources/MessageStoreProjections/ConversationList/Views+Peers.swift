extension Views {
    /// The conversation of two people whose ``Conversation/peer`` is a user; nil where there is none.
    ///
    /// It is found by its id or by its members, whichever way the service names such chats. Of several, such as
    /// channels or one that was deleted from the list, one that is not hidden comes first, then the one with the latest
    /// activity. Costs three index look-ups, and a few point reads for each conversation that they find, which are
    /// mostly one or none.
    ///
    /// - Parameter user: The peer. For the account itself the answer is nil.
    /// - Throws: `StoreError`.
    public borrowing func conversation(withPeer user: UserID) throws -> Conversation? {
        let peer = try snapshot.symbols.number(of: user).map { try snapshot.symbols.user($0) } ?? user
        var numbers = try snapshot.conversationNumbers(withPeer: peer)
        // The id may be erased, and come again.
        if peer != user { numbers.formUnion(try snapshot.conversationNumbers(withPeer: user)) }
        var best: (row: ConversationRow, number: ConversationNumber)?
        for number in numbers {
            let key = try snapshot.symbols.conversation(number)
            guard let row = try snapshot.row(ConversationList.conversations, number),
                try snapshot.counterpart(in: number, key, row.conversationKind)?.peer == peer
            else { continue }
            if let best, !row.isPreferred(number, to: best.row, best.number) { continue }
            best = (row, number)
        }
        guard let best else { return nil }
        return try conversation(best.number)
    }
}

extension ConversationRow {
    /// Whether one of two conversations with the same peer is the one to show.
    fileprivate func isPreferred(
        _ number: ConversationNumber, to other: ConversationRow, _ otherNumber: ConversationNumber
    ) -> Bool {
        if isListed != other.isListed { return isListed }
        return (other.activity, number) < (activity, otherNumber)
    }
}
