/// The names of the conversations and users that events name by ids.
struct DebugNames {
    /// The conversations and users to name; for each user, the conversation of the first event that names it.
    private var conversations: Set<ConversationKey> = []
    private var users: [UserID: ConversationKey] = [:]

    mutating func note(_ event: RecordedEvent, _ hosts: HostEvents) {
        let key = event.event.conversation
        if let key { conversations.insert(key) }
        for field in hosts.fieldTexts(of: event.event) where field.type.kind == .user {
            for id in field.text?.split(separator: " ") ?? [] where users[UserID(String(id))] == nil {
                users[UserID(String(id))] = key ?? .single(String(id))
            }
        }
    }

    /// The names by ids, of those that have one.
    func names(_ views: borrowing Views) throws -> [String: String] {
        var names: [String: String] = [:]
        for key in conversations {
            if let name = try views.conversation(key)?.displayName { names[key.description] = name }
        }
        for (user, key) in users {
            let name = try views.displayName(of: user, in: key)
            if name != user.rawValue { names[user.rawValue] = name }
        }
        return names
    }
}
