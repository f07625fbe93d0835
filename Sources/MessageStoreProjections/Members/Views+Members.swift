@_spi(Storage) internal import MessageStoreLog

extension Views {
    borrowing func member(_ member: UInt32, of conversation: UInt32) throws -> MemberRow? {
        try decoded(.members, at: RowKey.pairNumber(conversation, member))
    }

    borrowing func isMember(_ user: UInt32, of conversation: UInt32) throws -> Bool {
        try member(user, of: conversation)?.flags.contains(.isMember) ?? false
    }

    borrowing func memberList(of conversation: UInt32) throws -> MemberList {
        try decoded(.memberLists, at: conversation) ?? MemberList()
    }

    borrowing func memberCount(of conversation: UInt32) throws -> UInt32 { try memberList(of: conversation).count }

    /// The numbers of a conversation's members, in the order in which the log first named them.
    borrowing func memberNumbers(of conversation: UInt32, limit: Int = .max) throws -> [UInt32] {
        try userNumbers(of: conversation, with: .isMember, limit: limit)
    }

    /// The numbers of the users for whom `flag` is set, in the order in which the log first named them.
    borrowing func userNumbers(
        of conversation: UInt32, with flag: MemberRow.Flags, limit: Int = .max
    ) throws -> [UInt32] {
        var numbers: [UInt32] = []
        var cursor = try rows(.members, from: RowKey.number(conversation).span.bytes)
        while numbers.count < limit, try cursor.next(),
            cursor.key.loadBigEndian(at: 0, as: UInt32.self) == conversation
        {
            guard let flags = MemberRow.flags(in: cursor.value) else {
                throw StoreError.unreadableRow(of: .members, at: cursor.key)
            }
            if flags.contains(flag) { numbers.append(try cursor.keyNumber(at: 4)) }
        }
        return numbers
    }

    /// Changes what is known of a user, and whether the conversation is found by that member.
    ///
    /// - Returns: Whether the user became a member or ceased to be one.
    mutating func updateMember(
        _ member: UInt32, of conversation: UInt32, _ changes: inout FoldChanges, _ body: (inout MemberRow) -> Void
    ) throws -> Bool {
        let key = RowKey.pair(conversation, member)
        let before = try self.member(member, of: conversation) ?? MemberRow()
        var after = before
        body(&after)
        guard after != before else { return false }
        // Of whom nothing is known leaves no row.
        if after == MemberRow() {
            remove(.members, key.span.bytes)
        } else {
            put(.members, key.span.bytes, after.bytes.span.bytes)
        }
        let isMember = after.flags.contains(.isMember)
        guard isMember != before.flags.contains(.isMember) else { return false }
        changes.index(.member(member), conversation, isMember)
        return true
    }

    mutating func setMemberList(
        _ list: MemberList, insteadOf old: MemberList, of conversation: UInt32, _ changes: inout FoldChanges
    ) {
        guard list != old else { return }
        changes.reindex(conversation, from: old.indexKeys, to: list.indexKeys)
        let key = RowKey.number(conversation)
        if list == MemberList() {
            remove(.memberLists, key.span.bytes)
        } else {
            put(.memberLists, key.span.bytes, list.bytes.span.bytes)
        }
    }
}
