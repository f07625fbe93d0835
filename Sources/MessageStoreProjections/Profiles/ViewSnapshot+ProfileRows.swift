@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The known profile of a user; stale also where all profiles were invalidated later.
    borrowing func profileRow(_ user: UserNumber) throws -> ProfileRow? {
        guard var row = try row(Profiles.profiles, user) else { return nil }
        if let all = try self.row(Profiles.all, .all), all.number > row.position {
            row.flags.insert(.isStale)
            row.flags.remove(.hasFailed)
        }
        return row
    }

    /// The key by which a known profile is found in the order of ids.
    borrowing func profileIDKey(_ user: UserNumber) throws -> UserIDKey {
        UserIDKey(user == .none ? nil : try symbols.user(user))
    }

    /// The keys of all rows of profiles.
    borrowing func profileKeys() throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try rows(Profiles.profiles.place)
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
        guard let row = try row(Profiles.profiles.place, at: user.rawValue) else { return nil }
        guard let name = ProfileRow.name(in: row) else {
            throw StoreError.unreadableRow(of: Profiles.profiles, at: user)
        }
        return name.isEmpty ? nil : name
    }
}
