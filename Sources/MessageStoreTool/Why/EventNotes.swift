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
            return [
                "the message is shown as \(marker.isRead ? "read" : "delivered"), by \(marker.words(Names(store)) ?? "")"
            ]
        }
        guard try session.eventsWithoutEffect(among: [position]) == [position] else {
            let loss = try MergedChoices.losses(in: store, to: position, of: event.event.conversation)[position]
            return loss.map { ["\(position) does not hold: \($0.words)"] } ?? []
        }
        return ["\(position) changed nothing: \(try Self.reason(event, in: store))"]
    }

    /// Why an event changed nothing, of one that did so.
    static func reason(_ event: RecordedEvent, in store: MessageStore) throws -> String {
        let losses = try MergedChoices.losses(in: store, to: event.position, of: event.event.conversation)
        if let loss = losses[event.position] { return loss.words }
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
        let held = words(event.event.payload, store.account)
        return same.map { "\($0) said the same, and \(held)" } ?? held
    }

    /// The values of an event, without its time.
    private static func fields(_ event: RecordedEvent) -> [String?] {
        event.event.payload.fieldTexts.filter { $0.type.kind != .time }.map(\.text)
    }

    private static let ownReceipt = "it is a receipt of this account itself, which says nothing of its own messages"

    private static func words(_ payload: any EventPayload, _ account: UserID) -> String {
        switch payload {
        case is ConversationRead: "the read marker was there or above already"
        case let receipt as MessageReadByPeer where receipt.reader == account: Self.ownReceipt
        case let receipt as MessageDelivered where receipt.member == account: Self.ownReceipt
        case is MessageReadByPeer, is MessageDelivered: "its messages had this status or a higher one already"
        case is MembersAdded, is SelfInvited: "who is a member already is not added again"
        case is MembersRemoved, is SelfKicked: "who is no member is not removed"
        case is HistoryPageLoaded, is HistoryGapFound: "no gap in the history began or ended by it"
        case is MessageSent: "its message was acknowledged already, or is not in this conversation"
        case is MessageSendFailed, is MessageSendRetried: "its message was not in the status from which it leads"
        case is MessageRecalled, is MessagesDeleted: "its messages were so already"
        case is any ConversationFlagEvent, is ConversationMuted, is ConversationTagged, is MemberInfoChanged:
            "it was so already"
        default: "what it says was known already, or is of no message, member or conversation that the store has"
        }
    }

    /// The receipt up to a place that gave the message of an acknowledgement its status.
    private func marker(_ event: RecordedEvent) throws -> Receipts.Receipt? {
        guard let sent = event.event.payload as? MessageSent,
            let status = try session.read(at: event.position, { try $0.message(sent.message)?.status })
        else { return nil }
        return try Receipts.marker(of: sent.message, in: store, at: event.position, status)
    }
}
