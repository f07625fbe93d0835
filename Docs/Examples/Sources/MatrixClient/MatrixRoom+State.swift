import MessageStore

extension MatrixRoom {
    /// The state that a conversation or its members have; all other state is left out.
    mutating func apply(state event: MatrixEvent) throws {
        switch event.type {
        case "m.room.member": apply(member: event)
        case "m.room.create":
            let kind = try isDirect ?? (lookup.kind(of: key) == .single) ? ConversationKind.single : .group
            add(ConversationCreated(ConversationFields(creator: event.sender, kind: kind)), of: event, "create")
        case "m.room.name":
            let fields = ConversationFields(name: event.content["name"]?.string ?? "")
            add(ConversationUpdated(fields, by: event.sender), of: event, "update")
        default: break
        }
    }

    private mutating func apply(member event: MatrixEvent) {
        guard let name = event.stateKey, name.isIdentifier, let membership = event.content["membership"]?.string else {
            return skip()
        }
        let user = UserID(name)
        let before = event.unsigned?["prev_content"]?["membership"]?.string
        let isOwn = user == account
        switch membership {
        case "join":
            if before != "join" { add(MembersAdded([user], kind: .joined), of: event, "members") }
            setName(of: user, event)
        case "invite":
            add(MembersAdded([user], kind: .invited, by: event.sender), of: event, "members")
            if isOwn { add(SelfInvited(by: event.sender), of: event, "self") }
            setName(of: user, event)
        case "leave" where before == "ban": add(MemberBlocked(user, false), of: event, "blocked")
        case "leave", "ban":
            let kind = event.sender == user ? LeaveKind.left : .kicked
            let reason = event.content["reason"]?.string
            add(MembersRemoved([user], kind: kind, by: event.sender, reason: reason), of: event, "members")
            if isOwn, kind == .kicked { add(SelfKicked(by: event.sender), of: event, "self") }
            if membership == "ban" { add(MemberBlocked(user), of: event, "blocked") }
        default: skip()
        }
    }

    private mutating func setName(of user: UserID, _ event: MatrixEvent) {
        let name = event.content["displayname"]?.string
        let profile = Profile(id: user, name: name, avatarURL: event.content["avatar_url"]?.string)
        add(ProfilesFetched([profile]), of: event, "profile")
        add(MemberInfoChanged(user, nickname: name ?? "", at: event.time), of: event, "nickname")
    }
}
