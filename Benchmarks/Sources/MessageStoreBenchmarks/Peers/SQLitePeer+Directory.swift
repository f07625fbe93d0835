internal import GRDB
internal import MessageStore
internal import MessageStoreWorkload

/// Conversations, profiles and messages that do not come with a sync.
extension SQLitePeer {
    /// Names and members of the conversations, and the profiles of the users, of a generated backlog.
    func describe(_ directory: WorkloadDirectory) throws {
        try pool.write { db in
            let insert = try db.cachedStatement(sql: SQLiteSchema.describeConversation)
            for index in 0..<directory.conversations {
                let key = directory.conversationKey(index)
                let isGroup = key.kind == .group
                let peer = isGroup ? nil : directory.userID(directory.member(rank: 0, ofConversation: index))
                let name = isGroup ? directory.conversationName(index) : nil
                let members = Set([directory.accountID.rawValue] + (peer.map { [$0] } ?? []))
                insert.setUncheckedArguments([key.id, key.kind.rawValue, name, peer, members.count])
                try insert.execute()
                let number = db.lastInsertedRowID
                remember(key.id, number)
                for member in members { _ = try setMember(member, number, .joined, db) }
            }
            let profile = try db.cachedStatement(sql: SQLiteSchema.insertProfile)
            for user in 0..<directory.users {
                profile.setUncheckedArguments([directory.userID(user), directory.userName(user)])
                try profile.execute()
            }
        }
    }

    /// Keeps one message that the account sends, in a transaction of its own.
    func send(_ text: String, token: String, timeMs: Int64, to conversation: String) throws {
        try pool.write { db in
            let number = try known(conversation)
            let insert = try db.cachedStatement(sql: SQLiteSchema.insertMessage)
            insert.setUncheckedArguments([number, token, account, timeMs, true, text])
            try insert.execute()
            let update = try db.cachedStatement(sql: SQLiteSchema.updateLast)
            update.setUncheckedArguments([
                timeMs, token, db.lastInsertedRowID, timeMs, number, timeMs, token,
            ])
            try update.execute()
        }
    }
}
