@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// What is known of a user; stale also where all profiles were invalidated later.
    borrowing func profileRow(_ user: UserNumber) throws -> ProfileRow? {
        guard var row: ProfileRow = try decoded(.profiles, at: user) else { return nil }
        let all: NumberRow? = try decoded(.profiles, at: Profiles.allInvalidated)
        if let all, all.number > row.position {
            row.flags.insert(.isStale)
            row.flags.remove(.hasFailed)
        }
        return row
    }

    /// The keys of all profiles, that of row 0 included.
    borrowing func profileKeys() throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        var cursor = try rows(.profiles)
        while try cursor.next() { keys.append(cursor.key.copied) }
        return keys
    }

    /// The name of a user, in a conversation that is not between two people; nil where there is only the id.
    borrowing func shownName(of user: UserNumber, in conversation: ConversationNumber?) throws -> String? {
        if let conversation, let nickname = try memberRow(user, of: conversation)?.nickname, !nickname.isEmpty {
            return nickname
        }
        return try profileName(user)
    }

    borrowing func profileName(_ user: UserNumber) throws -> String? {
        guard let row = try row(.profiles, at: user.rawValue) else { return nil }
        guard let name = ProfileRow.name(in: row) else {
            throw StoreError.unreadableRow(of: .profiles, at: RowKey.number(user).span.bytes)
        }
        return name.isEmpty ? nil : name
    }
}
