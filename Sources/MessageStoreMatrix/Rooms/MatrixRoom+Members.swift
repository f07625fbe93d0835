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

    /// A room that the list left out, as one whose invitation ended, is listed again where the account comes in or is
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

    /// Who came in since was not banned any more.
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
            guard isInvited, page.messages.isEmpty, conversation.lastMessage == nil else { return false }
            return try !views.timelineEvents(beside: page, in: key, types: [.membersAdded], limit: 1000).contains {
                guard let added = $0.event.payload as? MembersAdded else { return false }
                return added.kind == .joined && added.members.contains(account)
            }
        }
    }
}
