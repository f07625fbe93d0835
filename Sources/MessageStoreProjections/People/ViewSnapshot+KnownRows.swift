extension ViewSnapshot {
    /// What is known of a user or a team; stale also where all were invalidated later.
    borrowing func knownRow<Info: KnownInfo>(_ number: Info.Number) throws -> KnownRow<Info>? {
        guard number != .none, var row = try row(Info.table, number) else { return nil }
        if let all = try self.row(Known<Info>.all, .all), all.number > row.position {
            row.flags.insert(.isStale)
            row.flags.remove(.hasFailed)
        }
        return row
    }

    /// The keys of all rows of a table.
    borrowing func keys(of table: ViewTable) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try rows(table)
        while try cursor.next() { keys.append(cursor.key.copied) }
        return keys
    }

    /// The name of a user, in a conversation that is not between two people; nil where there is only the id.
    ///
    /// The account's own remark goes before what others call the user.
    borrowing func shownName(of user: UserNumber, in conversation: ConversationNumber?) throws -> String? {
        if let remark = try row(Contacts.contacts, user)?.remark.shown { return remark }
        if let conversation,
            let nickname = try row(Members.members, MemberKey(conversation: conversation, user: user))?.nickname,
            !nickname.isEmpty
        {
            return nickname
        }
        return try profileName(user)
    }

    private borrowing func profileName(_ user: UserNumber) throws -> String? {
        guard let row = try row(Profile.table.place, at: user.rawValue) else { return nil }
        guard let name = Profile.name(in: row) else { throw StoreError.unreadableRow(of: Profile.table, at: user) }
        return name.isEmpty ? nil : name
    }
}
