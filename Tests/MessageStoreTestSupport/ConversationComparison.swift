import MessageStore

/// Compares chat rooms, teams, blocks, and what random queries for conversations find.
func compareConversationStates(_ views: borrowing Views, _ model: StoreModel) throws {
    for key in model.world {
        try Disagreement.check("team \(key)", try views.team(key), model.team(key))
        try Disagreement.check(
            "chat room \(key)", try views.chatRoom(key), model.chatRoom(key))
        try Disagreement.check("entries of \(key)", try views.chatRoomEntries(in: key), model.chatRoomEntries(in: key))
        try Disagreement.check(
            "blocked in \(key)", Set(try views.blockedMembers(in: key)), model.blockedMembers(in: key))
        try Disagreement.check(
            "drafts of threads in \(key)", try views.threadDrafts(in: key), model.threadDrafts(in: key))
        try Disagreement.check("can send in \(key)", try views.canSend(in: key), model.canSend(in: key))
    }
    for user in model.people {
        try Disagreement.check(
            "conversation with \(user)", try views.conversation(withPeer: user)?.key,
            model.conversation(withPeer: user))
    }
    try Disagreement.check(
        "folders", try views.folders().map { [$0.id, $0.name ?? "-", "\($0.order)"] },
        model.folderList().map { [$0.folder, $0.name ?? "-", "\($0.order)"] })
    try Disagreement.check("joined rooms", try views.joinedChatRooms(), model.joinedChatRooms())
    var random = SplitMix64(seed: model.lastPosition.rawValue)
    for _ in 0..<8 { try compareQuery(random.conversationQuery(model), limit: 1 + random.nextIndex(4), views, model) }
}

/// Compares what a query finds, page by page, and how much.
func compareQuery(
    _ query: ConversationQuery, limit: Int, _ views: borrowing Views, _ model: StoreModel
) throws {
    let expected = model.conversations(matching: query)
    try Disagreement.check("count of \(query)", try views.conversationCount(matching: query), expected.count)
    for includesMuted in [false, true] {
        let totals = try views.unreadTotals(matching: query.condition, includesMuted: includesMuted)
        try Disagreement.check(
            "totals of \(query.condition), muted \(includesMuted)", totals,
            model.unreadTotals(matching: query.condition, includesMuted: includesMuted))
    }
    // What is saved and read again finds the same.
    var saved = query
    saved.condition = try ConversationCondition(json: query.condition.json())
    try Disagreement.check("\(query) as it is saved", try views.conversationCount(matching: saved), expected.count)
    var found: [ConversationKey] = []
    var cursor: PageCursor?
    repeat {
        let page = try views.conversations(matching: query, after: cursor, limit: limit)
        found += page.elements.map(\.key)
        cursor = page.next
    } while cursor != nil && found.count <= expected.count
    try Disagreement.check("\(query) in pages of \(limit)", found, expected)
}

/// Compares contacts, blocks and the lists of profiles and teams, page by page.
func compareContacts(_ views: borrowing Views, _ model: StoreModel) throws {
    let (expectedContacts, expectedBlocked) = (model.contactList(), model.blockedUsers())
    let (profileIDs, teamIDs) = (model.profileIDs(), model.teamIDs())
    let contacts = try views.all(atMost: expectedContacts.count) { try $0.contacts(after: $1, limit: 2) }
    try Disagreement.check("contacts", contacts, expectedContacts)
    let blocked = try views.all(atMost: expectedBlocked.count) { try $0.blockedUsers(after: $1, limit: 1) }
    try Disagreement.check("blocked users", blocked, expectedBlocked)
    let profiles = try views.all(atMost: profileIDs.count) { try $0.profiles(after: $1, limit: 3) }
    try Disagreement.check("profiles", profiles, profileIDs.map { model.profile($0) })
    let teams = try views.all(atMost: teamIDs.count) { try $0.teams(after: $1, limit: 2) }
    try Disagreement.check("teams", teams, teamIDs.map { model.team($0) })
    for user in model.people {
        try Disagreement.check(
            "contact \(user)", try views.contact(user), model.contactList().first { $0.id == user })
        try Disagreement.check("block of \(user)", try views.isBlocked(user), model.blockedUsers().contains(user))
    }
}

extension SplitMix64 {
    /// A query of few conditions, so that it often finds something.
    mutating func conversationQuery(_ model: StoreModel) -> ConversationQuery {
        var query = ConversationQuery(
            condition(model, depth: 2), includesHidden: chance(0.4), includesChatRooms: chance(0.4))
        for _ in 0..<nextIndex(3) {
            query.order.append(chance(0.5) ? .ascending(property()) : .descending(property()))
        }
        return query
    }

    private mutating func condition(_ model: StoreModel, depth: Int) -> ConversationCondition {
        let keys = model.knownConversations
        let key = keys.isEmpty ? .group("g1") : keys[nextIndex(keys.count)]
        switch nextIndex(depth > 0 ? 16 : 12) {
        case 0: return .containsAny(users())
        case 1: return .containsAll(users())
        case 2: return .exactMembers(chance(0.8) ? model.members(in: key).map(\.id) : users())
        case 3: return .name(.equal(.string(model.conversation(key)?.name ?? "")))
        case 4: return .tagged("t\(nextIndex(4))")
        case 5: return .id(chance(0.5) ? .equal(.string(key.id)) : .hasPrefix(String(key.id.prefix(1))))
        case 6: return .kinds(chance(0.5) ? [.group] : chance(0.5) ? [.single, .system, .chatRoom] : [.unspecified])
        case 7: return .creator(.oneOf(users().map { .string($0.rawValue) }))
        case 8..<12: return .property(property(), valueCondition())
        case 12, 13: return .all((0..<nextIndex(4)).map { _ in condition(model, depth: depth - 1) })
        case 14: return .any((0..<nextIndex(4)).map { _ in condition(model, depth: depth - 1) })
        default: return .not(condition(model, depth: depth - 1))
        }
    }

    private mutating func property() -> ConversationProperty {
        let plain = ConversationProperty.named
        let index = nextIndex(plain.count + 4)
        return index < plain.count ? plain[index].value : .attribute(["k0", "k1", "k2", "k2.k0"][nextIndex(4)])
    }

    private mutating func valueCondition() -> ValueCondition {
        switch nextIndex(13) {
        case 0, 1: .equal(value())
        case 2: .notEqual(value())
        case 3: .less(value())
        case 4: .lessOrEqual(value())
        case 5: .greater(value())
        case 6: .greaterOrEqual(value())
        case 7: .oneOf([value(), value()])
        case 8: .noneOf([value(), value()])
        case 9: chance(0.5) ? .hasPrefix(["v", "na", ""][nextIndex(3)]) : .hasSuffix(["1", "0", ""][nextIndex(3)])
        case 10: .contains(value())
        case 11: .exists
        default: .isMissing
        }
    }

    private mutating func value() -> JSONValue {
        let values: [JSONValue] = [0, 1, 2, 2.5, -3, true, false, "v0", "v1", "é", "name 1", "me", "g1", 1_000_500]
        return values[nextIndex(values.count)]
    }

    /// Users of the world, now and then one of whom the log never heard.
    private mutating func users() -> [UserID] {
        let world = RandomEvents.users + ["stranger"]
        return (0..<nextIndex(4)).map { _ in world[nextIndex(world.count)] }
    }
}
