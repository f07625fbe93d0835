import MessageStore
import MessageStoreTestKit

/// Compares chat rooms, teams, blocks, and what random queries for conversations find.
func compareConversationStates(_ views: borrowing Views, _ model: StoreModel) throws {
    for key in RandomEvents.conversations {
        try Disagreement.check("team \(key)", StoreModel.ShownTeam(try views.team(key)), model.team(key))
        try Disagreement.check(
            "chat room \(key)", StoreModel.ShownChatRoom(try views.chatRoom(key)), model.chatRoom(key))
        try Disagreement.check("entries of \(key)", try views.chatRoomEntries(of: key), model.chatRoomEntries(of: key))
        try Disagreement.check(
            "blocked in \(key)", Set(try views.blockedUsers(of: key)), model.blockedUsers(of: key))
        try Disagreement.check("can send in \(key)", try views.canSend(in: key), model.canSend(in: key))
    }
    for user in RandomEvents.users {
        try Disagreement.check(
            "conversation with \(user)", try views.conversation(withPeer: user)?.key,
            model.conversation(withPeer: user))
    }
    try Disagreement.check("joined rooms", try views.joinedChatRooms(), model.joinedChatRooms())
    var random = SplitMix64(seed: model.lastPosition.rawValue)
    for _ in 0..<8 {
        let query = random.conversationQuery(model)
        let limit = 1 + random.nextIndex(10)
        try Disagreement.check(
            "\(query), at most \(limit)", try views.conversations(matching: query, limit: limit).map(\.key),
            model.conversations(matching: query, limit: limit))
    }
}

/// Compares contacts, blocks and the lists of profiles and teams, page by page.
func compareContacts(_ views: borrowing Views, _ model: StoreModel) throws {
    var contacts: [Contact] = []
    while case let page = try views.contacts(after: contacts.last?.id, limit: 2), !page.isEmpty { contacts += page }
    try Disagreement.check("contacts", contacts, model.contactList())
    var blocked: [UserID] = []
    while case let page = try views.blockedUsers(after: blocked.last, limit: 1), !page.isEmpty { blocked += page }
    try Disagreement.check("blocked users", blocked, model.blockedUsers())
    var profiles: [CachedProfile] = []
    while case let page = try views.profiles(after: profiles.last?.profile.id, limit: 3), !page.isEmpty {
        profiles += page
    }
    try Disagreement.check(
        "profiles", profiles.map { StoreModel.ShownProfile($0) }, model.profileIDs().map { model.profile($0) })
    var teams: [CachedTeam] = []
    while case let page = try views.teams(after: teams.last?.info.id, limit: 2), !page.isEmpty { teams += page }
    try Disagreement.check(
        "teams", teams.map { StoreModel.ShownTeam($0) }, model.teamIDs().map { model.team($0) })
    for user in RandomEvents.users {
        try Disagreement.check(
            "contact \(user)", try views.contact(user), model.contactList().first { $0.id == user })
        try Disagreement.check("block of \(user)", try views.isBlocked(user), model.blockedUsers().contains(user))
    }
}

extension SplitMix64 {
    /// A query of few conditions, so that it often finds something.
    fileprivate mutating func conversationQuery(_ model: StoreModel) -> ConversationQuery {
        let key = RandomEvents.conversations[nextIndex(RandomEvents.conversations.count)]
        var query = ConversationQuery(includesHidden: chance(0.4), includesChatRooms: chance(0.4))
        for _ in 0..<nextIndex(3) {
            switch nextIndex(8) {
            case 0: query.containsAny = users()
            case 1: query.containsAll = users()
            case 2: query.exactMembers = chance(0.8) ? model.members(of: key).map(\.id) : users()
            case 3: query.name = chance(0.8) ? model.conversation(key)?.fields.name : ""
            case 4: query.creator = users().first
            case 5: query.id = key.id
            case 6: query.attributes["k\(nextIndex(2))"] = "v\(nextIndex(2))"
            default: query.tag = "t\(nextIndex(4))"
            }
        }
        return query
    }

    /// Users of the world, now and then one of whom the log never heard.
    private mutating func users() -> [UserID] {
        let world = RandomEvents.users + ["stranger"]
        return (0..<nextIndex(4)).map { _ in world[nextIndex(world.count)] }
    }
}
