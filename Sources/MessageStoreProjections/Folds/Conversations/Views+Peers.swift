extension Views {
    /// The conversation of two people whose ``Conversation/peer`` is a user; nil if there is none.
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

/// The person whose name and picture a chat of two shows: its peer, or oneself in a chat with oneself.
struct Counterpart {
    let id: UserID
    /// nil if the log never named the user.
    let number: UserNumber?

    /// The person, unless it is oneself.
    var peer: UserID? { number == .account ? nil : id }
}

extension ViewSnapshot {
    /// The other one of two members, else the user after whom the conversation is named; nil if there may be more than
    /// two.
    ///
    /// An id that does not show the kind names the conversation and nobody else.
    ///
    /// - Parameter kind: The conversation's kind, which may be another than the key's.
    borrowing func counterpart(
        in conversation: ConversationNumber, _ key: ConversationKey, _ kind: ConversationKind
    ) throws -> Counterpart? {
        guard kind == .single else { return nil }
        let others = try memberNumbers(of: conversation, limit: 3).filter { $0 != .account }
        if others.count == 1 { return Counterpart(id: try symbols.user(others[0]), number: others[0]) }
        guard key.kind == .single else { return nil }
        let user = UserID(key.id)
        let number = try symbols.number(of: user)
        // The log may name the user later.
        if scope.keepsValues, number == nil { reads.noteOther() }
        // The id may be erased, and come again.
        return Counterpart(id: try number.map { try symbols.user($0) } ?? user, number: number)
    }

    /// The name by which a person is known, else the id; nil for nobody.
    borrowing func name(of person: Counterpart?) throws -> String? {
        guard let person else { return nil }
        return try person.number.flatMap { try shownName(of: $0, in: nil) } ?? person.id.rawValue
    }

    /// The URL of a person's picture.
    borrowing func avatarURL(of person: Counterpart?) throws -> String? {
        guard let number = person?.number else { return nil }
        return try row(Profile.table, number)?.info.avatarURL.shown
    }

    /// The conversations that may be between the account and a user, each once.
    borrowing func conversationNumbers(withPeer user: UserID) throws -> Set<ConversationNumber> {
        var keys = [ConversationIndexKey.id(user.rawValue)]
        if let peer = try symbols.number(of: user) {
            keys += [[.account, peer], [peer]].map { .memberSet(MemberList($0).setHash) }
        }
        return try conversationNumbers(indexedBy: keys)
    }
}
