/// Turns the part of one response about one room into events. `Docs/MatrixSync.md` states the rules.
struct MatrixRoom {
    /// The parts by whose ids an event's place is found.
    static let parts = ["reaction", "edit", "redaction", "member", "update", "create", "block", "profile", "nickname"]

    let rules: MatrixRules
    let key: ConversationKey
    let isDirect: Bool
    let origin: Origin
    /// The response's `next_batch`, which names events without an id of their own.
    let cursor: String

    private(set) var events: [Event] = []
    private(set) var skipped: [MatrixSkip: Int] = [:]
    /// The places of the response's own events, which the store does not have yet.
    private(set) var places: [String: MessageOrder] = [:]
    /// The places of those among them that the log has nothing of.
    private(set) var unnamed: [String: MessageOrder] = [:]
    /// The senders of the response's own messages.
    private(set) var senders: [String: UserID] = [:]
    /// The events that the response redacts.
    private(set) var redacted: Set<String> = []
    /// The response's own reactions and edits, by the ids of their events.
    var changes: [String: any EventPayload] = [:]
    /// The members that the response bans.
    var bans: Set<String> = []
    /// The room's attributes, once the response changes one.
    var attributes: [String: String]?
    /// The transaction ids of the response's own messages that are echoes.
    var echoes: Set<String> = []
    /// Up to where the response's receipts of the account read.
    var readUpTo: MessageOrder?
    /// The response's receipts of the account.
    var ownReceipts: [MatrixReceipt] = []
    /// The membership of the account before it left the room, if the response says so.
    var membershipBefore: String?

    init(_ rules: MatrixRules, key: ConversationKey, isDirect: Bool, origin: Origin, cursor: String) {
        (self.rules, self.key, self.isDirect) = (rules, key, isDirect)
        (self.origin, self.cursor) = (origin, cursor)
    }

    var account: UserID { rules.store.account }

    /// A room that the account is in, or has left, in which case nothing is said of its unread messages.
    mutating func apply(_ room: JSONValue, isJoined: Bool) throws {
        for event in read(room.events("state")) {
            guard event.stateKey != nil else { skip(.missingField); continue }
            try apply(event)
        }
        let timeline = read(room.events("timeline"))
        if room["timeline"]?["limited"]?.bool == true {
            add(HistoryGapFound(before: timeline.first?.place), id: timeline.first?.id ?? cursor, "gap")
        }
        try apply(timeline: timeline)
        for value in room.events("account_data") { try apply(accountData: value) }
        for value in room.events("ephemeral") { try apply(ephemeral: value) }
        if !isJoined { return try end(timeline) }
        let counts = MatrixCounts(room)
        guard counts.areKnown else { return }
        guard !timeline.isEmpty || !ownReceipts.isEmpty else { return skip(.unreadCount) }
        try report(counts, timeline)
    }

    /// Events of the timeline, oldest first.
    mutating func apply(timeline: [MatrixEvent]) throws {
        for event in timeline where event.isMessage { senders[event.id] = event.sender }
        redacted = Set(timeline.filter { $0.type == "m.room.redaction" }.compactMap(\.redacts))
        for event in timeline { try apply(event) }
    }

    /// A room that the account is invited to.
    mutating func apply(invitation room: JSONValue) throws {
        for value in room.events("invite_state") {
            guard let event = MatrixEvent(stripped: value, cursor: cursor), event.stateKey != nil else {
                skip(.missingField)
                continue
            }
            try apply(state: event)
        }
        let isReported = events.contains { $0.payload is SelfInvited }
        if !isReported { add(SelfInvited(), id: cursor, "invite") }
        try list(cursor) { $0.payload is SelfInvited }
    }

    /// The events of a list that have every event's fields, and a time that the store accepts.
    private mutating func read(_ values: [JSONValue]) -> [MatrixEvent] {
        var events: [MatrixEvent] = []
        for value in values {
            guard let event = MatrixEvent(value) else { skip(.missingField); continue }
            guard rules.allows(event.time) else { skip(.timeInSeconds); continue }
            places[event.id] = event.place
            events.append(event)
        }
        return events
    }

    private mutating func apply(_ event: MatrixEvent) throws {
        let before = events.count
        if event.stateKey == nil { try apply(timeline: event) } else { try apply(state: event) }
        // Roles belong to users, and are named by them.
        if events.count == before || event.type == "m.room.power_levels" { unnamed[event.id] = event.place }
    }

    /// The sender of a message; nil if neither the response nor the store has it.
    func sender(of message: String) throws -> UserID? {
        try senders[message]
            ?? rules.store.read { try $0.message(.server(ServerMessageID(message)), in: key)?.sender }
    }

    mutating func skip(_ reason: MatrixSkip) { skipped[reason, default: 0] += 1 }

    /// The id of an event, by that of its source and its part of that source.
    static func eventID(_ room: String, _ source: String, _ part: String) -> EventID {
        EventID("\(room) \(source) \(part)")
    }

    /// Adds an event that is recognised again by the id of its source, and its part of that source.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func add(_ body: some EventPayload, id source: String, _ part: String, at time: Timestamp = .unknown) {
        let conversation = body is ProfilesFetched ? nil : key
        add(
            Event(
                any: body, in: conversation, id: Self.eventID(key.id, source, part), origin: origin,
                serverTime: time == .unknown ? nil : time))
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func add(_ body: some EventPayload, of event: MatrixEvent, _ part: String) {
        add(body, id: event.id, part, at: event.time)
    }

    /// Adds an event, unless a store does not allow it.
    mutating func add(_ event: Event) {
        do {
            try event.validate()
            guard rules.allows(event.serverTime ?? .unknown) else { return skip(.timeInSeconds) }
            events.append(event)
        } catch {
            skip(.notAllowed)
        }
    }
}

extension MatrixRoom {
    mutating func apply(member event: MatrixEvent) throws {
        guard let name = event.stateKey, let membership = event.content["membership"]?.string else {
            return skip(.missingField)
        }
        let member = UserID(name)
        let before = event.previousContent?["membership"]?.string
        if member == account { membershipBefore = before }
        switch membership {
        case "join":
            if before != "join" { try join(member, event) }
            setProfile(of: member, event)
        case "invite":
            add(invited(member, by: event.sender), of: event, "member")
            setProfile(of: member, event)
        case "ban":
            remove(member, event)
            bans.insert(name)
            add(MemberBlocked(member), of: event, "block")
        case "leave":
            if try before == "ban" || bans.remove(name) != nil || isBanned(member) {
                add(MemberBlocked(member, false), of: event, "block")
            } else {
                remove(member, event)
            }
        case "knock": skip(.knock)
        default: skip(.missingField)
        }
    }

    private mutating func join(_ member: UserID, _ event: MatrixEvent) throws {
        bans.remove(member.rawValue)
        add(MembersAdded([member], kind: .joined), of: event, "member")
        if member == account { try list(event.id) { $0.payload is MembersAdded } }
    }

    /// A room that the list left out, as one whose invitation ended, is listed again if the account comes in or is
    /// invited, unless that is known already.
    mutating func list(_ source: String, by isCause: (Event) -> Bool) throws {
        guard let cause = events.last(where: isCause), let id = cause.id else { return }
        let activity = try rules.store.read { views -> Timestamp? in
            guard try views.event(id: id) == nil, let conversation = try views.conversation(key),
                conversation.isHidden
            else { return nil }
            return conversation.activity ?? .unknown
        }
        guard let activity else { return }
        let next = Timestamp(milliseconds: activity.milliseconds + 1)
        add(ConversationSummaryReceived(activity: max(next, cause.serverTime ?? .unknown)), id: source, "listed")
    }

    /// Whether a member is banned; one who came in since is not.
    private func isBanned(_ member: UserID) throws -> Bool {
        try rules.store.read { try $0.isBlocked(member, in: key) && !$0.isMember(member, in: key) }
    }

    private func invited(_ member: UserID, by sender: UserID) -> any EventPayload {
        if member == account { return SelfInvited(by: sender) }
        return MembersAdded([member], kind: .invited, by: sender)
    }

    private mutating func remove(_ member: UserID, _ event: MatrixEvent) {
        let body: any EventPayload
        let reason = event.content["reason"]?.string
        if member == event.sender {
            body = MembersRemoved([member], kind: .left, reason: reason)
        } else if member == account {
            body = SelfKicked(by: event.sender)
        } else {
            body = MembersRemoved([member], kind: .kicked, by: event.sender, reason: reason)
        }
        add(body, of: event, "member")
    }

    /// The name within the room is the user's name as well, until another room reports another one.
    private mutating func setProfile(of member: UserID, _ event: MatrixEvent) {
        let name = event.content["displayname"]?.string
        let picture = event.content["avatar_url"]?.string
        if name != nil || picture != nil {
            let profile = Profile(id: member, name: name, avatarURL: picture)
            add(ProfilesFetched([profile]), of: event, "profile")
        }
        if name != nil || event.previousContent?["displayname"]?.string != nil {
            let time = event.time == .unknown ? nil : event.time
            add(MemberInfoChanged(member, nickname: name ?? "", at: time), of: event, "nickname")
        }
    }

    /// A room that the account is no longer in, or never was: of an invitation that ended nothing is listed.
    mutating func end(_ timeline: [MatrixEvent]) throws {
        guard membershipBefore != "join", !timeline.contains(where: \.isMessage), try wasOnlyInvited() else { return }
        if membershipBefore == nil, try rules.store.read({ try $0.isMember(account, in: key) }),
            !events.contains(where: { $0.payload is MembersRemoved || $0.payload is SelfKicked })
        {
            add(MembersRemoved([account], kind: .left), id: cursor, "ended")
        }
        add(ConversationDeleted(), id: timeline.last?.id ?? cursor, "deleted")
    }

    /// Whether the store has nothing of the room but that the account was invited, or nothing at all.
    private func wasOnlyInvited() throws -> Bool {
        try rules.store.read { views in
            guard let conversation = try views.conversation(key) else { return true }
            let page = try views.timeline(of: key, limit: 1)
            let wasAsked = membershipBefore == "invite" || membershipBefore == "knock"
            let isInvited = try wasAsked || views.isMember(account, in: key)
            guard isInvited, page.elements.isEmpty, conversation.lastMessage == nil else { return false }
            return try !views.timelineEvents(on: page, in: key, types: [.membersAdded], limit: 1000).contains {
                guard let added = $0.event.payload as? MembersAdded else { return false }
                return added.kind == .joined && added.members.contains(account)
            }
        }
    }
}

extension MatrixRoom {
    /// The state that becomes an attribute: by its type, the member of its content that holds the value.
    private static let attributes = [
        "m.room.topic": "topic", "m.room.canonical_alias": "alias", "m.room.join_rules": "join_rule",
        "m.room.history_visibility": "history_visibility", "m.room.guest_access": "guest_access",
        "m.room.encryption": "algorithm", "m.room.tombstone": "replacement_room",
    ]

    mutating func apply(state event: MatrixEvent) throws {
        if event.type == "m.room.member" { return try apply(member: event) }
        guard event.stateKey == "" else { return skip(.state) }
        switch event.type {
        case "m.room.create":
            let creator = event.content["creator"]?.string.map { UserID($0) } ?? event.sender
            add(ConversationCreated(ConversationFields(creator: creator, kind: try kind())), of: event, "create")
            let names = ["type", "room_version"].filter { event.content[$0] != nil }
            if !names.isEmpty { try setAttributes(names, event) }
        case "m.room.name":
            update(ConversationFields(name: event.content["name"]?.string ?? ""), event)
        case "m.room.avatar":
            update(ConversationFields(avatarURL: event.content["url"]?.string ?? ""), event)
        case "m.room.power_levels":
            setRoles(event)
        default:
            guard let name = Self.attributes[event.type] else { return skip(.state) }
            try setAttributes([name], event)
        }
    }

    /// The kind if the key does not have it.
    private func kind() throws -> ConversationKind? {
        guard rules.keys == .byID else { return nil }
        if isDirect { return .single }
        return try rules.store.read { try $0.conversation(key)?.kind } == .single ? .single : .group
    }

    private mutating func update(_ fields: ConversationFields, _ event: MatrixEvent) {
        add(ConversationUpdated(fields, by: event.sender), of: event, "update")
    }

    /// Each change has all attributes.
    private mutating func setAttributes(_ names: [String], _ event: MatrixEvent) throws {
        var all = try attributes ?? recordedAttributes()
        for name in names { all[name] = event.content[name]?.string }
        attributes = all
        let indexed = all.filter { $0.value.utf8.count <= EventLimits.keyBytes }
        let bytes = JSONValue.object(all.mapValues { .string($0) }).bytes
        update(ConversationFields(attributes: bytes, indexed: indexed), event)
    }

    private func recordedAttributes() throws -> [String: String] {
        let bytes = try rules.store.read { views in try views.conversation(key)?.attributes } ?? []
        return (try? JSONBytes.decode([String: String].self, from: bytes)) ?? [:]
    }

    /// A member's role is its power level; who is no longer named has the default again.
    private mutating func setRoles(_ event: MatrixEvent) {
        let usual = event.content["users_default"]?.integer ?? 0
        let levels = event.content["users"]?.object ?? [:]
        let before = event.previousContent?["users"]?.object ?? [:]
        for user in Set(levels.keys).union(before.keys).sorted() {
            let role = UInt8(clamping: levels[user]?.integer ?? usual)
            add(MemberInfoChanged(UserID(user), role: role), of: event, "role \(user)")
        }
    }
}
