@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    borrowing func memberRow(_ member: UInt32, of conversation: UInt32) throws -> MemberRow? {
        try decoded(.members, at: RowKey.pairNumber(conversation, member))
    }

    borrowing func hasMember(_ user: UInt32, in conversation: UInt32) throws -> Bool {
        try memberRow(user, of: conversation)?.flags.contains(.isMember) ?? false
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
}
