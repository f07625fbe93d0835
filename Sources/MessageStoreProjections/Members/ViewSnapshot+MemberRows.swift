extension ViewSnapshot {
    borrowing func hasMember(_ user: UserNumber, in conversation: ConversationNumber) throws -> Bool {
        try row(Members.members, MemberKey(conversation: conversation, user: user))?.flags.contains(.isMember) ?? false
    }

    borrowing func memberList(of conversation: ConversationNumber) throws -> MemberList {
        try row(Members.lists, conversation) ?? MemberList()
    }

    borrowing func memberCount(of conversation: ConversationNumber) throws -> UInt32 {
        try memberList(of: conversation).count
    }

    /// The numbers of a conversation's members, in the order in which the log first named them.
    borrowing func memberNumbers(of conversation: ConversationNumber, limit: Int = .max) throws -> [UserNumber] {
        try userNumbers(of: conversation, with: .isMember, limit: limit)
    }

    /// The numbers of the users for whom `flag` is set, in the order in which the log first named them.
    borrowing func userNumbers(
        of conversation: ConversationNumber, with flag: MemberRow.Flags, limit: Int = .max
    ) throws -> [UserNumber] {
        var numbers: [UserNumber] = []
        try forEachRow(Members.members, under: conversation) { key, row in
            if row.flags.contains(flag) { numbers.append(key.user) }
            return numbers.count < limit
        }
        return numbers
    }
}
