public import MessageStore

extension WorkloadDirectory {
    /// The account whose store a workload fills.
    public var accountID: UserID { UserID(userID(Self.account)) }

    /// The key of a conversation.
    public func conversationKey(_ index: Int) -> ConversationKey {
        ConversationKey(kind(ofConversation: index) == .single ? .single : .group, conversationID(index))
    }

    /// The event that a store records for an event of the workload.
    ///
    /// - Parameters:
    ///   - event: The event of the workload.
    ///   - origin: How the store learns of it; the account's own messages come from its other device.
    public func event(_ event: WorkloadEvent, origin: Origin = .offline) -> Event {
        let key = conversationKey(event.conversation)
        let time = Timestamp(milliseconds: event.timeMs)
        let sender = UserID(userID(event.sender))
        switch event.kind {
        case .text:
            let message = MessageReceived(
                serverID: ServerMessageID(event.serverID), sender: sender, sentTime: time, content: .text(event.text))
            return Event(message, in: key, origin: event.isOwn ? .otherDevice : origin)
        case .memberJoined:
            return Event(
                MembersAdded([sender], kind: .joined), in: key, id: EventID(event.serverID),
                origin: origin, serverTime: time)
        case .memberLeft:
            return Event(
                MembersRemoved([sender], kind: .left), in: key, id: EventID(event.serverID),
                origin: origin, serverTime: time)
        }
    }

    /// The event that describes a conversation: its name for a group, the two people otherwise.
    public func creation(ofConversation index: Int) -> Event {
        let key = conversationKey(index)
        guard kind(ofConversation: index) == .group else {
            let peer = UserID(userID(member(rank: 0, ofConversation: index)))
            return Event(
                ConversationCreated(members: [accountID, peer]), in: key,
                id: EventID("created/\(conversationID(index))"))
        }
        let fields = ConversationFields(name: conversationName(index))
        return Event(
            ConversationCreated(fields, members: [accountID]), in: key,
            id: EventID("created/\(conversationID(index))"))
    }

    /// The event that a profile provider's answer for these users would be.
    public func profiles(of users: Range<Int>) -> Event {
        Event(ProfilesFetched(users.map { Profile(id: UserID(userID($0)), name: userName($0)) }))
    }
}
