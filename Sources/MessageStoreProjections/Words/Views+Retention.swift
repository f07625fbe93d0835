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
    /// Whether messages that are starred or pinned are kept, and do not count.
    package var keepsMarked: Bool

    package init(since: Timestamp?, messages: Int?, lowWaterMark: Int?, keepsUnread: Bool, keepsMarked: Bool) {
        (self.since, self.messages, self.lowWaterMark) = (since, messages, lowWaterMark)
        (self.keepsUnread, self.keepsMarked) = (keepsUnread, keepsMarked)
    }
}

/// A conversation's messages that limits do not keep.
package struct NotKept: Sendable {
    /// The newest message that goes; nil if none does.
    package fileprivate(set) var last: MessageOrder?
    /// How many messages go.
    package fileprivate(set) var count = 0
    /// How many more would, but for unread ones.
    package fileprivate(set) var keptAsUnread = 0
    /// How many messages stay for a star or a pin alone.
    package fileprivate(set) var keptAsMarked = 0
    /// The messages kept as marked that are below the newest one that goes.
    package fileprivate(set) var marked: [LocalMessageID] = []
}

extension Views {
    /// The messages of a conversation that go: all up to one, but for starred and pinned ones.
    ///
    /// A message that a server has yet to accept has no place before others, and is kept; so is one without a time, which
    /// sorts first, unless a later one goes. Costs a step for each message
    /// that is shown.
    package borrowing func notKept(of conversation: ConversationKey, _ limits: RetentionLimits) throws -> NotKept {
        var found = NotKept()
        guard let number = try snapshot.symbols.number(of: conversation) else { return found }
        let marked = limits.keepsMarked ? try markedMessages(of: number) : []
        let walk = try walk(number, types: nil)
        var shown = 0
        if limits.messages != nil {
            try walk.forEach(snapshot) { order, row in
                if !OrderKey.isUnsent(order), !marked.contains(row.local) { shown += 1 }
                return true
            }
        }
        // So many go by their number.
        var excess = 0
        if let most = limits.messages, shown > most { excess = shown - (limits.lowWaterMark ?? most) }
        let since = limits.since.map { UInt64(clamping: $0.milliseconds) } ?? 0
        let unread = try snapshot.unreadRow(of: number)
        let oldestUnread = limits.keepsUnread ? try snapshot.oldestUnread(unread, in: number) : nil
        var (last, all, seen) = (OrderKey?.none, 0, 0)
        var kept: [LocalMessageID] = []
        try walk.forEach(snapshot) { order, row in
            let time = OrderKey.time(of: order)
            guard !OrderKey.isUnsent(order), seen < excess || time < since else { return false }
            let key = OrderKey(order)
            let isBelowUnread = oldestUnread.map { key < $0 } ?? true
            if marked.contains(row.local) {
                if isBelowUnread { kept.append(row.local) }
                return true
            }
            seen += 1
            // Nobody knows how old a message without a time is: it goes only with a later one.
            guard time > 0 || seen <= excess else { return true }
            all = seen
            if isBelowUnread { (last, found.count, found.marked) = (key, seen, kept) }
            return true
        }
        found.last = last.flatMap { MessageOrder($0) }
        (found.keptAsUnread, found.keptAsMarked) = (all - found.count, kept.count)
        return found
    }

    /// The messages of a conversation that are starred or pinned. Nothing is pinned that was recalled.
    borrowing func markedMessages(of conversation: ConversationNumber) throws -> Set<LocalMessageID> {
        var marked: Set<LocalMessageID> = []
        for (key, _) in try snapshot.allRows(MessageDetails.marked, under: conversation) {
            guard let local = try snapshot.local(of: key.name, in: conversation),
                try key.mark == .star || snapshot.row(Messages.states, local)?.flags.contains(.isRecalled) != true
            else { continue }
            marked.insert(local)
        }
        return marked
    }
}
