@_spi(Storage) package import MessageStoreLog

/// How much of one conversation is kept.
package struct RetentionLimits: Sendable {
    /// Messages before that time are not kept; nil: messages of any time are.
    package var since: Timestamp?
    /// More messages than these are not kept; nil: any number is.
    package var messages: Int?
    /// How many are left if there were more.
    package var lowWaterMark: Int?
    /// Whether messages that count as unread are kept.
    package var keepsUnread: Bool

    package init(since: Timestamp?, messages: Int?, lowWaterMark: Int?, keepsUnread: Bool) {
        (self.since, self.messages, self.lowWaterMark) = (since, messages, lowWaterMark)
        self.keepsUnread = keepsUnread
    }
}

extension Views {
    /// The newest message of a conversation that is not kept, nil where all are; how many go with it; and how many more
    /// would, but for unread ones.
    ///
    /// A message that a server has yet to accept has no place before others, and is kept; so is one without a time, which
    /// sorts first, unless a later one goes. Costs a step for each message
    /// that is shown.
    package borrowing func lastNotKept(
        of conversation: ConversationKey, _ limits: RetentionLimits
    ) throws -> (last: MessageOrder?, count: Int, keptAsUnread: Int) {
        guard let number = try snapshot.symbols.number(of: conversation) else { return (nil, 0, 0) }
        let floor = try snapshot.floor(of: number) ?? .belowAll
        var shown = 0
        if limits.messages != nil {
            try snapshot.forEachTimelineRow(above: floor, in: number) { order, _ in
                if !OrderKey.isUnsent(order) { shown += 1 }
                return true
            }
        }
        // So many go by their number.
        var excess = 0
        if let most = limits.messages, shown > most { excess = shown - (limits.lowWaterMark ?? most) }
        let since = limits.since.map { UInt64(clamping: $0.milliseconds) } ?? 0
        let unread = try snapshot.unreadRow(of: number)
        let oldestUnread = limits.keepsUnread ? try snapshot.oldestUnread(unread, in: number) : nil
        var (last, count, all, seen) = (OrderKey?.none, 0, 0, 0)
        try snapshot.forEachTimelineRow(above: floor, in: number) { order, _ in
            let time = OrderKey.time(of: order)
            guard !OrderKey.isUnsent(order), seen < excess || time < since else { return false }
            seen += 1
            // Nobody knows how old a message without a time is: it goes only with a later one.
            guard time > 0 || seen <= excess else { return true }
            all = seen
            let key = OrderKey(order)
            if oldestUnread.map({ key < $0 }) ?? true { (last, count) = (key, seen) }
            return true
        }
        return (last.flatMap { MessageOrder($0) }, count, all - count)
    }
}
