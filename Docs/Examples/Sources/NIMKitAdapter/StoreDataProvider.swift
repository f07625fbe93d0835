import MessageStore

/// The provider on a store: answers with what is known, or with the id, and has the rest fetched.
struct StoreDataProvider: NIMKitDataProvider {
    let store: MessageStore

    func infoByUser(_ userId: String, inSession session: NIMSession?) throws -> NIMKitInfo {
        // Asks the server where nothing is known, or it is stale.
        let known = try store.profile(UserID(userId))
        let name = try session.map { session in
            try store.read { try $0.displayName(of: UserID(userId), in: session.key) }
        }
        return NIMKitInfo(
            infoId: userId, showName: name ?? known.displayName, avatarUrlString: known.info.avatarURL)
    }

    /// In a chat room the name came with the message, and nobody is asked.
    func infoByUser(_ userId: String, withMessage message: Message) throws -> NIMKitInfo {
        guard message.conversation.kind == .chatRoom else {
            return try infoByUser(userId, inSession: NIMSession(message.conversation))
        }
        return NIMKitInfo(
            infoId: userId, showName: try store.read { try $0.senderName(of: message) },
            avatarUrlString: message.senderProfile?.avatarURL)
    }

    func infoByTeam(_ teamId: String) throws -> NIMKitInfo {
        let team = try store.team(.group(teamId))
        return NIMKitInfo(
            infoId: teamId, showName: team.info.name ?? teamId, avatarUrlString: team.info.avatarURL)
    }

    func tipMessage(_ message: Message) throws -> String? {
        guard case .payload(let tip as TipPayload) = store.contentTypes.decode(message.content),
            let who = tip.fields["who"]?.stringValue
        else { return nil }
        let name = try infoByUser(who, inSession: NIMSession(message.conversation)).showName
        return tip.fields["operation"] == "invite" ? "\(name) joined" : nil
    }
}
