/// The first receipts of each member about a message: those that name it, and those up to a place that covers it.
struct Receipts {
    struct Receipt {
        let event: RecordedEvent
        let isRead: Bool
        /// The time of the place up to which it reaches; nil if it names the message.
        let upTo: Timestamp?

        /// How the receipt covers the message, in words; nil where the receipt names it.
        func words(_ names: Names?) -> String? {
            guard let upTo else { return nil }
            let (verb, who) = isRead ? ("read", "the read marker") : ("received", "the delivery marker")
            let member = event.event.receipt?.member.map { names.label(of: $0) } ?? "somebody"
            return "\(who) of \(event.position): \(member) \(verb) up to \(upTo)"
                + (event.lead(of: upTo).map { ", \($0) after it was recorded" } ?? "")
        }
    }

    /// In the order of the log.
    private(set) var all: [Receipt] = []

    /// - Parameters:
    ///   - names: The message.
    ///   - store: The store.
    ///   - last: The last event to look at.
    init(of names: MessageNames, in store: MessageStore, upTo last: Position) throws {
        guard let conversation = names.conversation, let message = try Self.message(names, store) else { return }
        let types: Set<EventType> = [
            .messageReadByPeer, .messageDelivered, .messageSnapshotReceived, .conversationRead, .threadRead,
            .conversationSummaryReceived, .unreadCountReported,
        ]
        let filter = EventFilter(types: types, conversation: conversation)
        var seen: Set<String> = []
        var uncapped: [Receipt] = []
        try store.forEachEvent(to: last, where: filter) { event in
            guard let receipt = event.event.receipt, receipt.isOwn != message.isOutgoing else { return true }
            let found = Receipt(event: event, isRead: receipt.isRead, upTo: receipt.upTo?.time)
            if let read = event.event.payload as? ThreadRead, read.root != message.root { return true }
            if let upTo = receipt.upTo {
                // The place of a receipt is at most a day after its recording, and so is a message's time.
                let capped = MessageOrder(time: event.capped(upTo.time), id: upTo.id)
                guard capped >= message.place || upTo.id == message.place.id && upTo.id != nil else {
                    if upTo >= message.place { uncapped.append(found) }
                    return true
                }
            } else if receipt.isOwn ? event.position < message.position : !names.isNamed(by: event, HostEvents([])) {
                return true
            }
            let member =
                receipt.isOwn
                ? event.event.payload.typeName : "\(receipt.isRead) \(receipt.member?.rawValue ?? "")"
            if seen.insert(member).inserted { all.append(found) }
            return true
        }
        if all.isEmpty { all = uncapped }
    }

    /// The receipt up to a place that gave a message this status; nil if a receipt that names the message did so.
    func marker(of status: MessageStatus) -> Receipt? {
        let first = status == .read ? all.first { $0.isRead } : status == .delivered ? all.first : nil
        return first?.upTo == nil ? nil : first
    }

    /// The receipt up to a place that gave an own message the status that it has after an event; nil if none did.
    static func marker(of local: LocalMessageID, in store: MessageStore, at position: Position, _ views: MessageStatus)
        throws -> Receipt?
    {
        guard views == .read || views == .delivered else { return nil }
        let names = try MessageNames("local:\(local)", in: store, conversation: nil, through: position)
        return try Receipts(of: names, in: store, upTo: position).marker(of: views)
    }

    private static func message(
        _ names: MessageNames, _ store: MessageStore
    ) throws -> (position: Position, place: MessageOrder, root: ServerMessageID?, isOutgoing: Bool)? {
        let standings = try store.read { views in try names.locals.ordered().compactMap { try views.standing(of: $0) } }
        guard let standing = standings.first(where: { $0.absence == nil }) ?? standings.first,
            let time = standing.serverTime, let first = names.locals.min(),
            let event = try store.events(from: Position(first.rawValue), limit: 1).first
        else { return nil }
        let root = (event.event.payload as? MessageReceived)?.context.replyTo
        let place = MessageOrder(time: event.capped(time), id: standing.serverID)
        return (event.position, place, root, standing.isOutgoing)
    }
}

extension Event {
    /// The content of a receipt, or of a read marker of this account, which has no place where it reads all that is
    /// known; nil for other events.
    var receipt: (isRead: Bool, isOwn: Bool, member: UserID?, upTo: MessageOrder?)? {
        switch payload {
        case let receipt as MessageReadByPeer: (true, false, receipt.reader, receipt.scope.place)
        case let receipt as MessageDelivered: (false, false, receipt.member, receipt.scope.place)
        case let snapshot as MessageSnapshotReceived where snapshot.counts?.read ?? 0 > 0: (true, false, nil, nil)
        case let snapshot as MessageSnapshotReceived where snapshot.deliveredCount ?? 0 > 0: (false, false, nil, nil)
        case let read as ConversationRead: (true, true, nil, read.upTo)
        case let read as ThreadRead: (true, true, nil, read.upTo)
        case let report as UnreadCountReported where report.count == 0: (true, true, nil, report.upTo)
        case let summary as ConversationSummaryReceived where summary.readUpTo != nil:
            (true, true, nil, summary.readUpTo)
        case let summary as ConversationSummaryReceived where summary.unread?.count == 0:
            (true, true, nil, summary.unread?.upTo)
        default: nil
        }
    }

    /// The places that it names: up to where somebody has read or received, or the server has counted.
    var places: [MessageOrder] {
        let counted: MessageOrder? =
            switch payload {
            case let report as UnreadCountReported: report.upTo
            case let summary as ConversationSummaryReceived: summary.unread?.upTo
            default: nil
            }
        let read = receipt?.upTo
        return [read, counted == read ? nil : counted].compactMap { $0 }
    }
}

extension ReceiptScope {
    fileprivate var place: MessageOrder? { if case .upTo(let time) = self { MessageOrder(time: time) } else { nil } }
}

extension RecordedEvent {
    /// A time as the views take it: at most a day after the event was recorded.
    func capped(_ time: Timestamp) -> Timestamp {
        min(
            time,
            Timestamp(
                milliseconds: correctedTime.milliseconds.addingReportingOverflow(Timestamp.greatestLead).partialValue))
    }

    /// How much later a time is than the recording, in words; nil for less than a minute.
    func lead(of time: Timestamp) -> String? {
        time.distance(from: clockTime).flatMap { $0.isLater ? $0.words : nil }
    }

    /// How much earlier a time is than the recording, in words; nil for less than a minute.
    func lag(of time: Timestamp) -> String? {
        time.distance(from: clockTime).flatMap { $0.isLater ? nil : $0.words }
    }
}
