internal import GRDB
internal import MessageStore

/// One question that a chat's screens ask, put to the store and to SQLite; both answer with what must be equal.
struct Question {
    let name: String
    let store: () throws -> [String]
    let sqlite: () throws -> [String]
    /// What both record before they are asked, which is not timed; its argument counts the times.
    var change: (Int) throws -> Void = { _ in }

    static func all(_ store: MessageStore, _ pool: DatabasePool) throws -> [Question] {
        let target = try QueryTarget(store)
        return lists(store, pool, target) + timelines(store, pool, target) + points(store, pool, target)
    }

    private static func lists(_ store: MessageStore, _ pool: DatabasePool, _ target: QueryTarget) -> [Question] {
        [
            Question(
                name: "first page of the conversation list, 50",
                store: { try store.read { try $0.conversations(limit: 50).elements.map(\.key.id) } },
                sqlite: { try pool.read { try SQLiteQueries.list($0).map(\.id) } }),
            Question(
                name: "first page of the conversation list, 50, one of them changed before",
                store: { try store.read { try $0.conversations(limit: 50).elements.map(\.key.id) } },
                sqlite: { try pool.read { try SQLiteQueries.list($0).map(\.id) } },
                change: { time in
                    try store.record(.muted(time % 2 == 0, in: target.listed))
                    try pool.write { try SQLiteQueries.mute($0, target.listed.id, time % 2 == 0) }
                }),
            Question(
                name: "unread total",
                store: { [String(try store.read { try $0.unreadTotals().messages })] },
                sqlite: { [String(try pool.read { try SQLiteQueries.unreadTotal($0) })] }),
            Question(
                name: "conversations by name",
                store: {
                    try store.read {
                        try $0.conversations(matching: ConversationQuery(.name(.equal(.string(target.name)))))
                            .elements.map(\.key.id)
                    }
                },
                sqlite: { try pool.read { try SQLiteQueries.conversations($0, named: target.name).map(\.id) } }),
        ]
    }

    private static func timelines(_ store: MessageStore, _ pool: DatabasePool, _ target: QueryTarget) -> [Question] {
        let (key, deep) = (target.busiest, target.deep)
        return [
            Question(
                name: "timeline, newest 20",
                store: { try store.read { try $0.timeline(of: key).elements.reversed().map(\.storedID) } },
                sqlite: { try pool.read { try SQLiteQueries.newest($0, key.id).map(\.serverID) } }),
            Question(
                name: "timeline, 20 before the \(target.depth)th newest",
                store: {
                    let anchor = TimelineAnchor.message(.local(deep.id))
                    return try store.read { try $0.timeline(of: key, .before(anchor)).elements }
                        .reversed().map(\.storedID)
                },
                sqlite: {
                    let time = deep.time.milliseconds
                    return try pool.read { try SQLiteQueries.before($0, key.id, time: time, id: deep.storedID) }
                        .map(\.serverID)
                }),
        ]
    }

    private static func points(_ store: MessageStore, _ pool: DatabasePool, _ target: QueryTarget) -> [Question] {
        let (key, deep, user) = (target.busiest, target.deep, target.newest.sender)
        return [
            Question(
                name: "message by server id",
                store: {
                    let id = MessageReference.server(ServerMessageID(deep.storedID))
                    return [try store.read { try $0.message(id, in: key) }?.content.text ?? ""]
                },
                sqlite: { [try pool.read { try SQLiteQueries.message($0, key.id, id: deep.storedID) }?.text ?? ""] }),
            Question(
                name: "profile",
                store: { [try store.read { try $0.profile(user).displayName }] },
                sqlite: { [try pool.read { try SQLiteQueries.profileName($0, user.rawValue) } ?? ""] }),
            Question(
                name: "one conversation",
                store: {
                    let found = try store.read { try $0.conversation(key) }
                    return [found?.displayName ?? "", "\(found?.unread.messages ?? 0)"]
                },
                sqlite: {
                    let found = try pool.read { try SQLiteQueries.conversation($0, id: key.id) }
                    return [found?.name ?? "", "\(found?.unread ?? 0)"]
                }),
        ]
    }
}
