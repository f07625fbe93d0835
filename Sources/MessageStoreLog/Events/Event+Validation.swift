/// The limits that recorded events keep.
public enum EventLimits {
    /// UTF-8 bytes of an identifier or token; keeps every key within LMDB's 511 bytes.
    public static let identifierBytes = 255
    /// UTF-8 bytes of a conversation's channel.
    public static let channelBytes = 200
    /// UTF-8 bytes of a tag, a reaction, or the key of a pair.
    public static let keyBytes = 128
    /// Bytes of one event's record: text, data, attributes, lists and all.
    public static let eventBytes = 16 << 20
    /// Events recorded at once.
    public static let batchEvents = 1 << 20
}

extension Event {
    /// Checks every documented rule; what it lets through can be encoded.
    package func validate() throws(StoreError) {
        switch (body.type.needsConversation, conversation) {
        case (true, nil): throw invalid("needs a conversation")
        case (false, .some): throw invalid("belongs to the account, not to a conversation")
        default: break
        }
        if let conversation { try validate(conversation) }
        if let id { try validate(identifier: id.rawValue, "event id") }
        if let device { try validate(identifier: device.rawValue, "device id") }
        if let serverTime { try validate(serverTime, "server time") }
        try validateBody()
    }

    private func validateBody() throws(StoreError) {
        switch body {
        case .messageReceived(let event):
            try validate(identifier: event.serverID.rawValue, "server id")
            try validate(identifier: event.sender.rawValue, "sender")
            try validate(event.sentTime, "sent time")
            if let token = event.clientToken { try validate(identifier: token.rawValue, "client token") }
            try validate(event.content)
            try validate(event.context)
        case .messageSendQueued(let event):
            guard event.policy.isKept else { throw invalid("is not kept: hand it to the transport alone") }
            if let token = event.clientToken { try validate(identifier: token.rawValue, "client token") }
            try validate(event.content)
            try validate(event.context)
        case .messageSent(let event):
            try validate(identifier: event.serverID.rawValue, "server id")
            try validate(event.sentTime, "sent time")
        case .messageModified(let event):
            try validate([event.message])
            try validate(event.time, "time")
            try validate(event.content)
        case .messageRecalled(let event):
            try validate([event.message])
            if let actor = event.actor { try validate(identifier: actor.rawValue, "actor") }
        case .messagesDeleted(let event):
            try validate(named: event.messages)
        case .messageDelivered(let event):
            try validate(event.scope, event.time, event.member)
        case .messageReadByPeer(let event):
            try validate(event.scope, event.time, event.reader)
        case .historyCleared(let event):
            try validate(event.upTo)
        case .historyPageLoaded(let event):
            try validate(event.newest)
            try validate(event.oldest)
            guard !event.isInverted else { throw invalid("has an oldest end that is newer than the newest") }
        case .conversationRead(let event):
            try validate(event.upTo)
        default:
            try validateMessageStates()
            try validateConversationStates()
            try validateMembersAndProfiles()
        }
    }

    private func validateMessageStates() throws(StoreError) {
        switch body {
        case .messageStatusOverridden(let event):
            try validate([event.message])
            guard event.status != .received else { throw invalid("sets the status of messages of others") }
        case .messageInsertedLocally(let event):
            try validate(event.content)
            try validate(event.time, "time")
            if let sender = event.sender { try validate(identifier: sender.rawValue, "sender") }
        case .readReceiptRequested(let event): try validate(named: event.messages)
        case .readReceiptSent(let event): try validate(named: event.messages)
        case .messageStatusFlagsSet(let event):
            try validate(named: event.messages)
            guard !event.flags.isEmpty else { throw invalid("sets no flag") }
        case .messageExpansionChanged(let event):
            try validate([event.message])
            try validate(event.time, "time")
            try validate(keys: Array(event.values.keys) + event.removed, "key")
        case .reactionAdded(let event): try validate(event.message, event.key, event.user, event.time)
        case .reactionRemoved(let event): try validate(event.message, event.key, event.user, event.time)
        case .attachmentStateChanged(let event): try validate([event.message])
        case .messageFiltered(let event):
            try validate([event.message])
            if case .replace(let content) = event.verdict { try validate(content) }
        case .messageDuplicateSuppressed(let event): try validate(identifier: event.serverID.rawValue, "server id")
        case .historyGapFound(let event): try validate(event.before)
        default: break
        }
    }

    private func validateConversationStates() throws(StoreError) {
        switch body {
        case .unreadCountReported(let event):
            try validate(event.upTo)
            try validate(event.time, "time")
            guard event.mentions <= event.count else { throw invalid("counts more mentions than messages") }
        case .conversationTagged(let event): try validate(keys: event.added + event.removed, "tag")
        case .chatRoomJoined(let event): try validate(room: event.time)
        case .chatRoomLeft(let event): try validate(room: event.time)
        case .chatRoomEntriesChanged(let event):
            try validate(room: .unknown)
            try validate(keys: Array(event.values.keys) + event.removed, "key")
        case .memberMuted(let event):
            try validate(identifier: event.member.rawValue, "member")
            if let until = event.until { try validate(until, "end") }
        case .memberBlocked(let event): try validate(identifier: event.member.rawValue, "member")
        case .teamInfoFetched(let event):
            guard !event.teams.isEmpty else { throw invalid("holds no team") }
            for team in event.teams { try validate(team.id) }
        case .teamInfoInvalidated(let event):
            for id in event.ids ?? [] { try validate(id) }
        default: break
        }
    }

    private func validateMembersAndProfiles() throws(StoreError) {
        switch body {
        case .conversationCreated(let event):
            try validate(users: event.members, "member")
            if let creator = event.fields.creator { try validate(identifier: creator.rawValue, "creator") }
        case .conversationUpdated(let event):
            if let creator = event.fields.creator { try validate(identifier: creator.rawValue, "creator") }
            if let actor = event.actor { try validate(identifier: actor.rawValue, "actor") }
        case .conversationSnapshotReceived(let event):
            try validate(users: event.members ?? [], "member")
            if let creator = event.fields.creator { try validate(identifier: creator.rawValue, "creator") }
        case .membersAdded(let event):
            guard !event.members.isEmpty else { throw invalid("names no member") }
            try validate(users: event.members + [event.actor].compactMap { $0 }, "member")
        case .membersRemoved(let event):
            guard !event.members.isEmpty else { throw invalid("names no member") }
            try validate(users: event.members + [event.actor].compactMap { $0 }, "member")
        case .memberInfoChanged(let event):
            try validate(identifier: event.member.rawValue, "member")
        case .selfInvited(let event):
            try validate(users: [event.actor].compactMap { $0 }, "actor")
        case .selfKicked(let event):
            try validate(users: [event.actor].compactMap { $0 }, "actor")
        case .profilesFetched(let event):
            guard !event.profiles.isEmpty else { throw invalid("holds no profile") }
            try validate(users: event.profiles.map(\.id), "profile id")
        case .profileFetchFailed(let event):
            guard !event.ids.isEmpty else { throw invalid("names no user") }
            try validate(users: event.ids, "user")
        case .profileInvalidated(let event):
            try validate(users: event.ids ?? [], "user")
        case .syncCursorAdvanced(let event):
            try validate(identifier: event.name, "cursor name")
        case .unknown(let event):
            guard !event.type.isKnown else { throw invalid("is of a type that has its own case") }
            guard event.hasReadableFields else { throw invalid("has fields that cannot be read") }
        default:
            break
        }
    }
}

extension HistoryPageLoaded {
    /// Whether the ends stand in the wrong order; ids decide between equal times (d2).
    var isInverted: Bool {
        if oldest.time != newest.time { return oldest.time > newest.time }
        guard let first = oldest.id, let last = newest.id else { return false }
        return last < first
    }
}

extension UnknownEvent {
    /// Whether the fields can be read to their end, so that the record can be read again.
    var hasReadableFields: Bool {
        var reader = FieldReader(fields.span.bytes)
        while reader.next() != nil {}
        return !reader.isMalformed
    }

    func holdsField(_ id: UInt32) -> Bool {
        var reader = FieldReader(fields.span.bytes)
        while let field = reader.next() {
            if field.id == id { return true }
        }
        return false
    }
}

extension Event {
    private func invalid(_ problem: String) -> StoreError {
        StoreError(.invalidArgument, "\(body.type) \(problem)")
    }

    private func validate(identifier: String, _ what: String) throws(StoreError) {
        let count = identifier.utf8.count
        guard count > 0 else { throw invalid("has an empty \(what)") }
        guard count <= EventLimits.identifierBytes else {
            throw invalid("has a \(what) of \(count) bytes; at most \(EventLimits.identifierBytes) are allowed")
        }
    }

    private func validate(_ conversation: ConversationKey) throws(StoreError) {
        try validate(identifier: conversation.id, "conversation id")
        guard let channel = conversation.channel else { return }
        guard !channel.isEmpty, channel.utf8.count <= EventLimits.channelBytes else {
            throw invalid("has a channel that is empty or above \(EventLimits.channelBytes) bytes")
        }
    }

    private func validate(_ time: Timestamp, _ what: String) throws(StoreError) {
        guard time.isValid else {
            throw invalid("has a \(what) of \(time.milliseconds) ms; 0 to \(Timestamp.latest.milliseconds) are allowed")
        }
    }

    private func validate(users: [UserID], _ what: String) throws(StoreError) {
        for user in users { try validate(identifier: user.rawValue, what) }
    }

    private func validate(_ content: MessageContent) throws(StoreError) {
        try validate(identifier: content.type.rawValue, "content type")
    }

    private func validate(_ context: MessageContext) throws(StoreError) {
        try validate(users: context.mentions, "mentioned user")
        try validate(users: context.visibleTo ?? [], "user that may see it")
        if let id = context.replyTo { try validate(identifier: id.rawValue, "reply reference") }
        if let id = context.forwardOf { try validate(identifier: id.rawValue, "forward reference") }
    }

    private func validate(keys: [String], _ what: String) throws(StoreError) {
        for key in keys {
            guard (1...EventLimits.keyBytes).contains(key.utf8.count) else {
                throw invalid("has a \(what) of \(key.utf8.count) bytes; 1 to \(EventLimits.keyBytes) are allowed")
            }
        }
    }

    private func validate(
        _ message: MessageReference, _ key: String, _ user: UserID, _ time: Timestamp
    ) throws(StoreError) {
        try validate([message])
        try validate(keys: [key], "reaction")
        try validate(identifier: user.rawValue, "user")
        try validate(time, "time")
    }

    private func validate(room time: Timestamp) throws(StoreError) {
        guard conversation?.kind == .chatRoom else { throw invalid("is about a conversation that is no chat room") }
        try validate(time, "time")
    }

    private func validate(named messages: [MessageReference]) throws(StoreError) {
        guard !messages.isEmpty else { throw invalid("names no message") }
        try validate(messages)
    }

    private func validate(_ messages: [MessageReference]) throws(StoreError) {
        for case .server(let id) in messages { try validate(identifier: id.rawValue, "server id") }
    }

    private func validate(_ order: MessageOrder?) throws(StoreError) {
        guard let order else { return }
        try validate(order.time, "time")
        if let id = order.id { try validate(identifier: id.rawValue, "server id") }
    }

    private func validate(_ scope: ReceiptScope, _ time: Timestamp, _ member: UserID?) throws(StoreError) {
        try validate(time, "time")
        if let member { try validate(identifier: member.rawValue, "member") }
        switch scope {
        case .upTo(let time):
            try validate(time, "time")
        case .messages(let messages):
            try validate(named: messages)
        }
    }
}
