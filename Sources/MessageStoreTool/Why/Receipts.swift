/// The receipts and read markers up to a place that cover a message: the first of each member.
struct Receipts {
    /// In the order of the log.
    let positions: [Position]
    private let store: MessageStore
    private let session: ReplaySession
    private let local: LocalMessageID

    /// nil for a name of several messages, and for a message whose time the server did not report.
    ///
    /// - Parameters:
    ///   - names: The message.
    ///   - store: The store.
    ///   - session: A session that folds receipts, and for messages of others threads; nil to begin one.
    ///   - last: The last event to look at.
    init?(of names: MessageNames, in store: MessageStore, _ session: ReplaySession?, upTo last: Position) throws {
        guard let key = names.conversation else { return nil }
        self.store = store
        self.session = try session ?? store.replaySession(about: key, of: [.unreadCounters, .threads])
        let standings = try self.session.read(at: last) { views in
            try names.locals.ordered().compactMap { local in try views.standing(of: local).map { (local, $0) } }
        }
        guard let (local, standing) = standings.first(where: { $1.absence == nil }) ?? standings.first,
            let place = standing.place
        else { return nil }
        self.local = local
        let message = try names.locals.min().flatMap { try store.event(at: Position($0.rawValue)) }
        let root = (message?.event.payload as? MessageReceived)?.context.replyTo
        let types: Set<EventType> =
            standing.isOutgoing
            ? [.messageReadByPeer, .messageDelivered]
            : (ProjectionID.unreadCounters.handledTypes ?? []).union([.threadRead])
        let (changes, _) = try self.session.lastChanges(
            of: { views in
                guard standing.isOutgoing else {
                    let thread = try root.flatMap { try views.readUpTo(thread: $0, in: key) }
                    let markers = ["": try views.unread(of: key).readUpTo, "thread": thread].compactMapValues(\.self)
                    return Set(markers.filter { place <= $0.value }.keys)
                }
                var covering: Set<String> = []
                try views.forEachMarker(in: key) { user, isRead, upTo in
                    if place.time <= upTo { covering.insert("\(isRead) \(user?.rawValue ?? "")") }
                }
                return covering
            }, at: EventFilter(types: types, conversation: key), through: last)
        positions = changes.filter { !$0.after.isSubset(of: $0.before) }.map(\.position)
    }

    /// The receipt up to a place that gave an own message this status; nil if a receipt that names the message did so.
    func marker(of status: MessageStatus) throws -> RecordedEvent? {
        let events = positions.lazy.compactMap { try? store.event(at: $0) }
        guard let event = events.first(where: { status == .delivered || $0.event.receipt?.isRead == true })
        else { return nil }
        let before = Position(event.position.rawValue - 1)
        return try session.read(at: before) { try $0.standing(of: local)?.status ?? .received } < status ? event : nil
    }

    /// The receipt up to a place that gave an own message the status that it has after an event; nil if none did.
    static func marker(
        of local: LocalMessageID, in store: MessageStore, _ session: ReplaySession? = nil, at position: Position,
        _ status: MessageStatus
    ) throws -> RecordedEvent? {
        guard status == .read || status == .delivered else { return nil }
        let names = try MessageNames("local:\(local)", in: store, conversation: nil, through: position)
        return try Receipts(of: names, in: store, session, upTo: position)?.marker(of: status)
    }
}

extension RecordedEvent {
    /// How a receipt up to a place covers a message, in words.
    func markerWords(_ names: Names?) -> String {
        guard let receipt = event.receipt, let upTo = receipt.upTo?.time else { return "" }
        let (verb, who) = receipt.isRead ? ("read", "the read marker") : ("received", "the delivery marker")
        let member = receipt.member.map { names.label(of: $0) } ?? "somebody"
        return "\(who) of \(position): \(member) \(verb) up to \(upTo)"
            + (lead(of: upTo).map { ", \($0) after it was recorded" } ?? "")
    }
}

extension Event {
    /// The content of a receipt, or of a read marker of this account, which has no place where it reads all that is
    /// known; nil for other events.
    var receipt: (isRead: Bool, isOwn: Bool, member: UserID?, upTo: MessageOrder?)? {
        switch payload {
        case let receipt as MessageReadByPeer: (true, false, receipt.reader, receipt.scope.place)
        case let receipt as MessageDelivered: (false, false, receipt.member, receipt.scope.place)
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
    /// How much later a time is than the recording, in words; nil for less than a minute.
    func lead(of time: Timestamp) -> String? { time.distance(from: clockTime).flatMap { $0.isLater ? $0.words : nil } }

    /// How much earlier a time is than the recording, in words; nil for less than a minute.
    func lag(of time: Timestamp) -> String? { time.distance(from: clockTime).flatMap { $0.isLater ? nil : $0.words } }
}
