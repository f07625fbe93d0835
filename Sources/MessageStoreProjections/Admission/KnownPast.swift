@_spi(Storage) internal import MessageStoreLog

/// Decides which messages from history are of the past: those that are not above the newest message of others that the
/// store had of their conversation, or, if there is none of others, of this account (d31). If the store does not know
/// up to where the conversation was read, messages above its oldest unread one are unread as well.
///
/// A live copy of a message may come after the page that contained it, and changes nothing any more. So messages newer
/// than all that was there before a batch count as if they came live; except into a conversation of which no message
/// was there, and while a number is in force that the server reported alone: all fetched messages belong to it.
struct KnownPast {
    private enum Extent {
        case everything
        case upTo(OrderKey)
    }

    private var extents: [ConversationKey: Extent] = [:]

    /// Takes over what an event of the batch means for those after it.
    mutating func note(_ event: Event) {
        guard let conversation = event.conversation, event.reportsNumberAlone else { return }
        extents[conversation] = .everything
    }

    /// Whether a message of the batch is of the past; a look-up for each conversation.
    mutating func contains(
        _ message: MessageReceived, in conversation: ConversationKey, _ views: LateViews
    ) throws -> Bool {
        let extent = try extents[conversation] ?? views.ask { try Self.extent(in: conversation, $0) }
        extents[conversation] = extent
        switch extent {
        case .everything: return true
        case .upTo(let newest): return OrderKey(MessageOrder(time: message.sentTime, id: message.serverID)) <= newest
        }
    }

    private static func extent(
        in conversation: ConversationKey, _ snapshot: borrowing ViewSnapshot
    ) throws -> Extent {
        guard let number = try snapshot.symbols.number(of: conversation) else { return .everything }
        let unread = try snapshot.unreadRow(of: number)
        guard !unread.report.isOpen,
            let newest = try snapshot.newestReceived(in: number)
        else { return .everything }
        return .upTo(try unread.showsHistory ? newest : snapshot.oldestUnread(unread, in: number) ?? newest)
    }
}

extension Event {
    /// Whether it is a message from the server's history.
    var isFromHistory: Bool { origin == .history && type == .messageReceived }

    /// Whether it reports how much is unread, and neither up to where nor when.
    fileprivate var reportsNumberAlone: Bool {
        switch payload {
        case let report as UnreadCountReported:
            report.count > 0 && report.upTo == nil && report.time == nil && serverTime == nil
        case let summary as ConversationSummaryReceived:
            summary.unread.map { $0.count > 0 && $0.upTo == nil } ?? false && serverTime == nil
        default: false
        }
    }
}

extension ViewSnapshot {
    /// The place of the oldest message of a conversation that may be unread, or nil. A number in force counts the newest
    /// messages. Costs a step for each row above the read marker up to that message, and with a number in force a step for
    /// every such row.
    borrowing func oldestUnread(
        _ unread: UnreadRow, in conversation: ConversationNumber
    ) throws -> OrderKey? {
        guard unread.messages > 0 else { return nil }
        let marker = unread.marker
        var oldest: OrderKey?
        var read = 0
        if unread.isReportInForce {
            try forEachRow(above: marker, in: conversation) { _, row in
                if marker.isUnread(row) { read += 1 }
                return true
            }
            read -= min(read, Int(clamping: unread.messages))
        }
        try forEachRow(above: marker, in: conversation) { order, row in
            guard marker.isUnread(row) else { return true }
            if read == 0 { oldest = OrderKey(order) }
            read -= 1
            return oldest == nil
        }
        return oldest
    }
}
