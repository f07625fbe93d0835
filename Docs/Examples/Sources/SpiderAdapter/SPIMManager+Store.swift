import MessageStore

extension SPIMManager {
    /// Messages older or newer than one, oldest first; 0 for the newest of all.
    ///
    /// - Parameter isForward: Whether newer ones are wanted.
    func getMessages(
        _ session: SPSessionModel, messageTypes: [String] = [], messageId: UInt64 = 0,
        direction isForward: Bool = false,
        count: Int
    ) throws -> [SPMessage] {
        guard let store else { return [] }
        let anchor = TimelineAnchor.message(.local(LocalMessageID(messageId)))
        let part: TimelinePart = messageId == 0 ? .latest : isForward ? .after(anchor) : .before(anchor)
        let types = messageTypes.isEmpty ? nil : Set(messageTypes.map { ContentType($0) })
        return try store.read { try $0.timeline(of: session.key, part, types: types, limit: count).elements }
            .compactMap { SPMessage($0, types: store.contentTypes) }
    }

    func getMessage(_ messageId: UInt64) throws -> SPMessage? {
        guard let store else { return nil }
        return try store.read { try $0.message(LocalMessageID(messageId)) }
            .flatMap { SPMessage($0, types: store.contentTypes) }
    }

    /// - Returns: Whether all of them were there.
    func deleteMessages(_ messageIds: [UInt64]) throws -> Bool {
        guard let store else { return false }
        let messages = try store.read { views in
            try messageIds.compactMap { try views.message(LocalMessageID($0)) }
        }
        let byConversation = Dictionary(grouping: messages, by: \.conversation)
        try store.record(byConversation.map { .deleted($1.map { .local($0.id) }, in: $0) })
        return messages.count == messageIds.count
    }

    func deleteSessionMessages(_ session: SPSessionModel) throws -> Bool {
        try change(.historyCleared(in: session.key), of: session)
    }

    func getSessionList(_ sessionTypes: [SPSessionType]) throws -> [SPSessionModel] {
        guard let store else { return [] }
        let kinds = Set(sessionTypes.map(\.kind))
        return try store.read { views in
            var sessions: [SPSessionModel] = []
            var cursor: PageCursor?
            repeat {
                let page = try views.conversations(kinds: kinds, after: cursor, limit: 100)
                sessions += page.elements.compactMap { SPSessionModel($0, types: store.contentTypes) }
                cursor = page.next
            } while cursor != nil
            return sessions
        }
    }

    func getSession(_ sessionId: String, sessionType: SPSessionType) throws -> SPSessionModel? {
        guard let store else { return nil }
        let key = ConversationKey(sessionType.kind, sessionId)
        guard let conversation = try store.read({ try $0.conversation(key) }), !conversation.isHidden else {
            return nil
        }
        return SPSessionModel(conversation, types: store.contentTypes)
    }

    func deleteSession(_ session: SPSessionModel) throws -> Bool {
        try change(.conversationDeleted(session.key, alsoMessages: true), of: session)
    }

    func updateSessionTopStatus(_ session: SPSessionModel, isTop: Bool) throws -> Bool {
        try change(.pinned(isTop, in: session.key), of: session)
    }

    func clearSessionUnreadStatus(_ session: SPSessionModel) throws -> Bool {
        try change(.read(in: session.key), of: session)
    }

    func updateMessageSentStatus(_ messageId: UInt64, sentStatus: SPMessageSentStatus) throws -> Bool {
        let local = LocalMessageID(messageId)
        guard let store, let message = try store.read({ try $0.message(local) }) else { return false }
        let statuses: [SPMessageSentStatus: MessageStatus] = [.sending: .sending, .failed: .failed, .sent: .sent]
        guard let status = statuses[sentStatus] else { return false }
        try store.record(Event(MessageStatusOverridden(.local(local), status: status), in: message.conversation))
        return true
    }

    func getUnreadCount(_ sessionTypes: [SPSessionType]) throws -> Int {
        let kinds = Set(sessionTypes.map(\.kind))
        return try store?.read { try $0.unreadTotals(kinds: kinds, includesMuted: true).messages } ?? 0
    }

    /// - Returns: false where there is no such session.
    private func change(_ event: Event, of session: SPSessionModel) throws -> Bool {
        guard let store, try store.read({ try $0.conversation(session.key) }) != nil else { return false }
        try store.record(event)
        return true
    }
}
