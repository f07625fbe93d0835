internal import MessageStore

/// What queries ask for: the busiest of the conversations on the list's first page, and messages of it.
struct QueryTarget {
    let busiest: ConversationKey
    let newest: Message
    /// The oldest of the newest thousand.
    let deep: Message
    /// How many messages stand behind `deep`, itself included.
    let depth: Int
    /// The name of some conversation that has one.
    let name: String
    /// One in the middle of the list's first page.
    let listed: ConversationKey

    init(_ store: MessageStore) throws {
        let all = try store.read { try $0.conversations(limit: 1000).elements }
        var best: (key: ConversationKey, messages: [Message])?
        for conversation in all.prefix(50) {
            let messages = try store.read { try $0.timeline(of: conversation.key, limit: 1000).elements }
            if messages.count > best?.messages.count ?? 0 { best = (conversation.key, messages) }
        }
        guard let best, let newest = best.messages.last(where: { $0.sender != store.account }),
            let deep = best.messages.first, let name = all.lazy.compactMap(\.name).first,
            let listed = all.prefix(25).last
        else { throw Failure("the store has too little to ask for") }
        (busiest, self.newest, self.deep, depth) = (best.key, newest, deep, best.messages.count)
        (self.name, self.listed) = (name, listed.key)
    }
}

extension Message {
    /// The server's id as a string; empty for messages without one.
    var storedID: String { serverID?.rawValue ?? "" }
}

/// The store and its peer answer a question differently, so that their times cannot be compared.
struct DifferentAnswers: Error, CustomStringConvertible {
    let question: String
    let store: [String]
    let sqlite: [String]
    var description: String { "\(question): the store says \(store.prefix(5)), SQLite says \(sqlite.prefix(5))" }
}
