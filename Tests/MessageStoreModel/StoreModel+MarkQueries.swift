package import MessageStore

extension StoreModel {
    /// The messages for which a receipt is owed.
    package func owedReceipts(in key: ConversationKey) -> [LocalMessageID] {
        let answered = log.compactMap { event in
            if event.conversation == key, let body = event.payload as? ReadReceiptSent,
                case .upTo(let time) = body.scope
            {
                time
            } else {
                nil
            }
        }.max()
        return visible(in: key).filter { message in
            guard let body = body(of: message) as? MessageReceived, let id = message.serverID,
                !message.isOutgoing, !message.facts.isRecalled,
                !isAboveMarker(message) || message.facts.userFlags.contains(.read)
            else { return false }
            if let answered, let time = message.serverTime, time <= answered { return false }
            var isWanted = body.needsReceipt
            for (_, payload) in events(of: .server(id), in: key) {
                if payload is ReadReceiptRequested { isWanted = true }
                if payload is ReadReceiptSent { return false }
            }
            return isWanted
        }.map { LocalMessageID($0.local) }
    }

    /// The messages of some types that are not recalled, oldest first.
    package func media(in key: ConversationKey, types: Set<ContentType>) -> [LocalMessageID] {
        visible(in: key).filter { types.contains(contentType(of: $0)) && !$0.facts.isRecalled }.map {
            LocalMessageID($0.local)
        }
    }

    /// The messages that mention the account and are not recalled, oldest first; the unread ones alone if wanted.
    package func mentions(in key: ConversationKey, unread: Bool = false) -> [LocalMessageID] {
        visible(in: key).filter {
            $0.mentionsNow && !$0.isOutgoing && !$0.facts.isRecalled && (!unread || isUnread($0))
        }.map { LocalMessageID($0.local) }
    }

    /// How many messages of some types are unread.
    package func unreadCount(of key: ConversationKey, types: Set<ContentType>) -> Int {
        visible(in: key).filter { types.contains(contentType(of: $0)) && isUnread($0) }.count
    }

    /// How the sender of a message called itself then.
    package func senderProfile(of message: LocalMessageID) -> SenderProfile? {
        guard let entry = messages[message.rawValue], let body = body(of: entry) as? MessageReceived,
            body.senderProfile != SenderProfile()
        else { return nil }
        return body.senderProfile
    }

    /// The name to show for the sender of a message.
    package func senderName(of message: LocalMessageID) -> String? {
        guard let entry = messages[message.rawValue], let conversation = conversations[entry.conversation] else {
            return nil
        }
        let carried = senderProfile(of: message)?.name.flatMap { $0.isEmpty ? nil : $0 }
        if conversation.key.kind == .chatRoom, let carried { return carried }
        let known = name(of: entry.sender, in: conversation)
        return known == entry.sender.rawValue ? carried ?? known : known
    }

    /// Whether a message came with content of one of these types.
    package func isOriginally(_ message: LocalMessageID, of types: Set<ContentType>) -> Bool {
        messages[message.rawValue].map { types.contains(contentType(of: $0)) } ?? false
    }

    func body(of message: MessageEntry) -> any EventPayload { log[Int(message.local) - 1].payload }

    /// The type under which a message is in the timeline: that of its own event, or of a filter's replacement.
    private func contentType(of message: MessageEntry) -> ContentType {
        if case .replace(let content) = message.facts.verdict?.verdict { return content.type }
        return message.content.type
    }
}
