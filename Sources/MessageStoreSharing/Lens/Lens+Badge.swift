extension Lens {
    /// The number for the app's icon at a time, with the messages that wait in the inbox: the one that the store shows
    /// once it has recorded them.
    ///
    /// It counts a waiting message where the store would: one of somebody else, above ``Conversation/countsAbove``, that
    /// counts by its policy and does not come from history. A conversation that is not among ``conversations`` is taken
    /// for one without a read marker that is not muted. What other events that wait will change is not known here.
    ///
    /// - Parameters:
    ///   - waiting: The content of the inbox, read before or after the lens.
    ///   - time: The present, by the server's clock. Mutes that have ended by then no longer count.
    public func badge(adding waiting: Inbox.Waiting, at time: Timestamp) -> Int {
        var added: [ConversationKey: (messages: Int, mentions: Int)] = [:]
        let listed = Dictionary(conversations.map { ($0.key, $0) }) { first, _ in first }
        for message in waiting.messages where !recent.contains(message.hash) && message.canCount {
            let marker = listed[message.conversation]?.countsAbove
            if let marker, message.place <= marker || message.place.id == marker.id { continue }
            added[message.conversation, default: (0, 0)].messages += 1
            if message.mentionsAccount { added[message.conversation]?.mentions += 1 }
        }
        var badge = badge
        for conversation in conversations {
            let new = added.removeValue(forKey: conversation.key) ?? (0, 0)
            badge -= conversation.badge(at: conversation.notificationLevel, adding: (0, 0))
            badge += conversation.badge(at: conversation.notificationLevel(at: time), adding: new)
        }
        return added.values.reduce(badge) { $0 + $1.messages }
    }

    /// When to look at ``badge(adding:at:)`` again: the first mute of a conversation ends then. nil if none ends after
    /// a time.
    public func nextChange(after time: Timestamp) -> Timestamp? {
        conversations.lazy.filter { $0.notificationLevel != .all }.compactMap(\.mutedUntil).filter { $0 > time }.min()
    }

    static func hash(_ message: ServerMessageID, _ conversation: ConversationKey) -> UInt64 {
        let channel = conversation.channel.map { "\($0.utf8.count)/\($0)" } ?? "-"
        return XXH64.hash(
            "\(conversation.kind.rawValue)/\(conversation.id.utf8.count)/\(conversation.id)/\(channel)/\(message.rawValue)"
        )
    }
}

extension Lens.Conversation {
    /// The number that it adds to the badge under a level.
    fileprivate func badge(at level: NotificationLevel, adding new: (messages: Int, mentions: Int)) -> Int {
        let messages = unreadMessages + new.messages
        return switch level {
        case .all: messages == 0 && isMarkedUnread ? 1 : messages
        case .mentionsOnly: unreadMentions + new.mentions
        case .nothing: 0
        }
    }
}
