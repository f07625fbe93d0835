/// Notes on an event beyond its fields and the rows that it changed.
struct EventNotes {
    let store: MessageStore
    let session: ReplaySession

    /// Why the event changed nothing, or which receipt up to a place gave its message the status that is shown.
    func lines(at position: Position) throws -> [String] {
        guard position > .origin, let event = try store.event(at: position),
            event.position == position
        else { return [] }
        if let marker = try marker(event) {
            let status = marker.event.receipt?.isRead == true ? "read" : "delivered"
            return ["the message is shown as \(status), by \(marker.markerWords(Names(store)))"]
        }
        return try lines(event, isWithoutEffect: session.eventsWithoutEffect(among: [position]) == [position])
    }

    /// The decisions of the projections against an event.
    func lines(_ event: RecordedEvent, isWithoutEffect: Bool) throws -> [String] {
        let reports = try session.reports(at: event.position)
        let first =
            isWithoutEffect
            ? "\(event.position) changed nothing: \(try reason(event))"
            : event.loss(in: reports).map { "\(event.position) does not hold: \(event.words($0))" }
        return [first].compactMap { $0 } + reports.compactMap { $0.words(event.position) }
    }

    /// Why an event changed nothing, of one that did so.
    func reason(_ event: RecordedEvent) throws -> String {
        if let loss = event.loss(in: try session.reports(at: event.position)) { return event.words(loss) }
        // The last event that said the same, whenever it was recorded.
        var same: Position?
        if event.position > Position(1), event.event.conversation != nil {
            let filter = EventFilter(types: [event.event.type], conversation: event.event.conversation)
            let fields = Self.fields(event)
            try store.forEachEvent(
                to: Position(event.position.rawValue - 1), order: .descending, where: filter, onDamage: { _ in }
            ) { other in
                if Self.fields(other) == fields { same = other.position }
                return same == nil
            }
        }
        let held = Self.words(event.event, store.account)
        return same.map { "\($0) said the same, and \(held)" } ?? held
    }

    /// The values of an event, without its time.
    private static func fields(_ event: RecordedEvent) -> [String?] {
        event.event.payload.fieldTexts.filter { $0.type.kind != .time }.map(\.text)
    }

    private static func words(_ event: Event, _ account: UserID) -> String {
        switch event.payload {
        case is ConversationRead: "the read marker was there or above already"
        case _ where event.receipt?.member == account:
            "it is a receipt of this account itself, which says nothing of its own messages"
        case is MessageReadByPeer, is MessageDelivered: "its messages had this status or a higher one already"
        case is MembersAdded, is SelfInvited: "who is a member already is not added again"
        case is MembersRemoved, is SelfKicked: "who is no member is not removed"
        case is HistoryPageLoaded, is HistoryGapFound: "no gap in the history began or ended by it"
        case is MessageSent: "its message was acknowledged already, or is not in this conversation"
        case is MessageSendFailed, is MessageSendRetried: "its message was not in the status from which it leads"
        case is MessageRecalled, is MessagesDeleted: "its messages were so already"
        case _ where event.type.has(.mergedByTime): "it was so already"
        default: "what it says was known already, or is of no message, member or conversation that the store has"
        }
    }

    /// The receipt up to a place that gave the message of an acknowledgement its status.
    private func marker(_ event: RecordedEvent) throws -> RecordedEvent? {
        guard let sent = event.event.payload as? MessageSent,
            let status = try session.read(at: event.position, { try $0.message(sent.message)?.status })
        else { return nil }
        return try Receipts.marker(of: sent.message, in: store, session, at: event.position, status)
    }
}

extension RecordedEvent {
    /// Its loss against another event in all that it says; nil for a summary, which says more than what is merged by time.
    func loss(in reports: [FoldReport]?) -> FoldReport.Loss? {
        guard source.type != .conversationSummaryReceived else { return nil }
        for case .lost(let loss) in (reports ?? []).map(\.decision) { return loss }
        return nil
    }

    /// Its loss in words.
    func words(_ loss: FoldReport.Loss) -> String {
        let (first, second) = (loss.winnerTime, loss.time)
        let what =
            switch event.payload {
            case is MessageModified: "edited the same message"
            case is MessageReadByPeer, is MessageDelivered: "is a marker of the same member"
            default: "set the same \(loss.isDifferent ? "setting" : "value")"
            }
        guard first != second else { return "\(loss.winner) \(what) with the same time" }
        let lag = lag(of: second).map { ", which is \($0) before \(position) was recorded" } ?? ""
        return "\(loss.winner) \(what), with a later time: \(first) > \(second)\(lag)"
    }
}

extension FoldReport {
    /// The decision against the event at a position, in words; nil for a loss, which the event tells more of.
    func words(_ position: Position) -> String? {
        switch decision {
        case .lost: nil
        case .capped(let reported, let time):
            "\(position) counts as of \(time), a day after it was recorded: \(reported) is later"
        case .parked: "\(position) waits for a message that has not arrived"
        case .said(let words): "\(projection): \(words)"
        }
    }
}

extension ReplaySession {
    /// The reports of the events up to a position, or up to a damaged one.
    func reports(upTo last: Position) throws -> [Position: [FoldReport]] {
        do {
            return try reports(through: last)
        } catch let error as StoreError where error.isOfRecord {
            return try error.position.map { try reports(through: Position($0.rawValue - 1)) } ?? [:]
        }
    }
}

extension MessageStore {
    /// A session that folds only what is merged by time, and answers what lost.
    func sessionOfChoices() throws -> ReplaySession {
        let types = Set.with(.mergedByTime).union([.messageModified, .messageReadByPeer, .messageDelivered])
        return try replaySession(about: nil, of: [.settings, .messageDetails], only: types)
    }
}
