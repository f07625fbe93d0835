internal import MessageStore

extension MatrixRoom {
    mutating func apply(member event: MatrixEvent) {
        guard let member = event.stateKey.map({ UserID($0) }), let membership = event.content["membership"]?.string
        else { return skip(.missingField) }
        let before = event.previousContent?["membership"]?.string
        switch membership {
        case "join":
            if before != "join" { add(MembersAdded([member], kind: .joined), of: event, "member") }
            setProfile(of: member, event)
        case "invite":
            add(invited(member, by: event.sender), of: event, "member")
            setProfile(of: member, event)
        case "ban":
            remove(member, event)
            memory.bans.insert([id, member.rawValue])
            add(MemberBlocked(member), of: event, "block")
        case "leave":
            if memory.bans.remove([id, member.rawValue]) != nil || before == "ban" {
                add(MemberBlocked(member, false), of: event, "block")
            } else {
                remove(member, event)
            }
        case "knock": skip(.knock)
        default: skip(.missingField)
        }
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
            add(MemberInfoChanged(member, nickname: name ?? ""), of: event, "nickname")
        }
    }
}
