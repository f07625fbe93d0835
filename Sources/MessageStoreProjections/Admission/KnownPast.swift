@_spi(Storage) internal import MessageStoreLog

/// Decides which messages from history are of the past: messages not above the newest message of others that the store
/// had of their conversation, or, if there is none of others, of this account (d31). If the store does not know up to
/// where the conversation was read, messages above its oldest unread one are unread as well.
///
/// A live copy of a message may come after the page that contained it, and changes nothing any more. So messages newer
/// than all that was there before a batch count as if they came live; except into a conversation without messages, and
/// while a number is in force that the server reported alone: all fetched messages belong to it.
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

/// The views at the log's end, taken when a batch first asks them something.
///
/// Most batches contain only events that the filter of identities does not know: they ask nothing, and need not wait
/// for the fold of the batch before.
final class LateViews {
    private let take: () throws -> ViewSnapshot
    private var taken: ViewSnapshot?

    init(_ take: @escaping () throws -> ViewSnapshot) { self.take = take }

    /// Runs `body` with the views; the same ones each time.
    func ask<Answer>(_ body: (borrowing ViewSnapshot) throws -> Answer) throws -> Answer {
        while true {
            switch taken {
            case .some(let views): return try body(views)
            case .none: break
            }
            taken = try take()
        }
    }

    /// The event of earlier commits that an identity names.
    func position(of identity: Identity, _ key: IdentityKey) throws -> Position? {
        try ask { try $0.position(of: identity, key: key) }
    }

    /// The event for which the one of an identity was cut off; nil if none was.
    func cutPosition(of key: IdentityKey) throws -> Position? {
        try ask { try $0.log.isCut(key) ? $0.log.replayStart : nil }
    }
}

extension RecordView {
    /// Whether a queued message has the type and content of this one. A server's copy carries fields that are not
    /// queued, and lacks the text of the notification.
    func saysSame(as queued: RecordView) -> Bool {
        guard contentType == queued.contentType else { return false }
        if type == .messageSendQueued { return content.isEqual(to: queued.content) }
        let parts = MessageContent.Fields.self
        return [parts.text.number, parts.data.number, parts.attributes.number].allSatisfy { part in
            FieldReader(content).first(part)?.bytes.copied == FieldReader(queued.content).first(part)?.bytes.copied
        }
    }

    /// A time by a server's clock that looks like seconds: the event's own, or the time of the place up to which
    /// something is read.
    var timeInSeconds: Int64? {
        if let time = serverTime?.milliseconds, AdmissionDoubts.seconds.contains(time) { return time }
        switch type {
        case .conversationRead: return timeInSeconds(ConversationRead.Fields.upTo.number)
        case .threadRead: return timeInSeconds(ThreadRead.upTo.field.number)
        case .unreadCountReported: return timeInSeconds(UnreadCountReported.upTo.field.number)
        case .conversationSummaryReceived:
            return timeInSeconds(ConversationSummaryReceived.upTo.field.number)
                ?? timeInSeconds(ConversationSummaryReceived.readUpTo.field.number)
        case .messageDelivered, .messageReadByPeer, .readReceiptSent:
            return timeInSeconds(ReceiptScope.Fields.upTo.number)
        default: return nil
        }
    }

    private func timeInSeconds(_ field: UInt32) -> Int64? {
        guard let time = fields.firstNumber(field).map({ Int64(bitPattern: $0) }),
            AdmissionDoubts.seconds.contains(time)
        else { return nil }
        return time
    }

    /// The position that `identity` names by this record: its own, or the position of the message that it acknowledges
    /// or repeats.
    func message(claiming identity: Identity) -> Position? {
        if claims(identity) { return position }
        guard identity.kind == .serverID, identity.scope == conversation, identity.bytes.isEqual(to: serverID) else {
            return nil
        }
        return renamedMessage.map { Position($0.rawValue) }
    }
}
