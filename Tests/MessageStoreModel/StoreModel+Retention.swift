package import MessageStore

extension StoreModel {
    /// The messages that are shown and starred or pinned.
    package func marked(in key: ConversationKey) -> Set<LocalMessageID> {
        Set((starredMessages(in: key) + pinnedMessages(in: key)).map(\.id))
    }

    /// The messages that may be unread: as many of the newest above the read marker as are unread.
    package func possiblyUnread(in key: ConversationKey) -> Set<LocalMessageID> {
        Set(visible(in: key).filter { isUnread($0) }.suffix(unread(of: key).messages).map { LocalMessageID($0.local) })
    }

    /// The messages that limits do not keep, whatever is unread, the oldest first.
    ///
    /// - Parameter marked: Those that are kept, and do not count.
    package func notKept(
        in key: ConversationKey, _ limits: RetentionPolicy.Limits, except marked: Set<LocalMessageID>, at now: Timestamp
    ) -> [LocalMessageID] {
        let sent = visible(in: key).filter { !$0.isUnacknowledged && !marked.contains(LocalMessageID($0.local)) }
        var excess = 0
        if let most = limits.messages, sent.count > most { excess = sent.count - (limits.lowWaterMark ?? most) }
        let since = limits.age.map { max(now.milliseconds - Int64($0 / .milliseconds(1)), 0) } ?? 0
        var old = sent.enumerated().prefix { $0.offset < excess || $0.element.order.time < since }
        // One without a time goes with a later one alone.
        while let last = old.last, last.offset >= excess, last.element.order.time == 0 { old.removeLast() }
        return old.map { LocalMessageID($0.element.local) }
    }
}
