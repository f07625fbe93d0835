package import MessageStore

extension StoreModel {
    /// What is known of a team.
    package func team(_ key: ConversationKey) -> Cached<TeamInfo> {
        teams[key] ?? Cached(TeamInfo(id: key), isPlaceholder: true)
    }

    /// This account's state in a chat room.
    package func chatRoom(_ key: ConversationKey) -> ChatRoomState {
        conversations[key]?.states.room ?? .unknown
    }

    /// The key-value pairs of a chat room.
    package func chatRoomEntries(in key: ConversationKey) -> [String: String] {
        conversations[key]?.states.roomEntries ?? [:]
    }

    /// The chat rooms that the account is in.
    package func joinedChatRooms() -> [ConversationKey] {
        knownConversations.filter { conversations[$0]?.states.room.isJoined == true }
    }

    /// The users who may not enter a conversation.
    package func blockedMembers(in key: ConversationKey) -> Set<UserID> { conversations[key]?.states.blocked ?? [] }

    /// Whether the server can be expected to take a message of the account.
    package func threadDrafts(in key: ConversationKey) -> [ServerMessageID: Draft] {
        conversations[key]?.threadDrafts ?? [:]
    }

    package func canSend(in key: ConversationKey) -> Bool {
        guard let entry = conversations[key] else { return true }
        let states = entry.states
        if states.mutes[account] == .latest || states.blocked.contains(account) { return false }
        return key.kind == .single || key.kind == .chatRoom || !states.excludesAccount
    }

    func teamName(of key: ConversationKey) -> String? {
        guard let name = teams[key]?.info.name, !name.isEmpty else { return nil }
        return name
    }

    func avatarURL(of entry: ConversationEntry) -> String? {
        if let url = entry.fields.avatarURL, !url.isEmpty { return url }
        guard let person = person(of: entry) else {
            let team = entry.kind == .single ? nil : teams[entry.key]
            return team?.info.avatarURL ?? entry.fields.avatarURL
        }
        guard let url = profiles[person]?.profile?.avatarURL, !url.isEmpty else { return entry.fields.avatarURL }
        return url
    }

    /// Whom a chat of two is shown as: the one other member, else the user whose id the conversation has, where the key says
    /// that it is of two.
    func person(of entry: ConversationEntry) -> UserID? {
        guard entry.kind == .single else { return nil }
        let others = entry.members.keys.filter { $0 != account }
        if others.count == 1 { return others[0] }
        return entry.key.kind == .single ? named(UserID(entry.key.id)) : nil
    }

    /// Whom a chat of two is with, which is never the account.
    func peer(of entry: ConversationEntry) -> UserID? { person(of: entry).flatMap { $0 == account ? nil : $0 } }

    /// The conversation whose peer is a user: one that is not deleted before one that is, then the latest activity.
    package func conversation(withPeer user: UserID) -> ConversationKey? {
        conversations.values.filter { $0.isInList && peer(of: $0) == user }.min { first, second in
            if first.isListed != second.isListed { return first.isListed }
            let activities = (activity(of: first), activity(of: second))
            return activities.0 == activities.1 ? first.number < second.number : activities.0 > activities.1
        }?.key
    }
}
