@_spi(Storage) internal import MessageStoreLog

// Which received messages this account owes a receipt for, by their order: those of the timeline that are not recalled,
// whose senders want a receipt, with the message or by a later request, and for which none is recorded as sent.

extension MessageDetails {
    func owe(_ changes: borrowing TimelineChanges, _ event: RecordView, _ rows: inout FoldRows) throws {
        for change in changes.list {
            let after = Self.owable(change.after)
            guard after != Self.owable(change.before) else { continue }
            // Nobody wants a receipt for most of the messages that arrive.
            if let row = change.after, row.local.rawValue == event.position.rawValue, !row.flags.contains(.hasState),
                !event.flags.contains(.needsReceipt)
            {
                continue
            }
            let isOwed = try after.map {
                try rows.snapshot.receivedMessage($0, in: change.conversation)?.isOwed ?? false
            }
            guard isOwed == true || change.before != nil else { continue }
            let key = PlaceKey(conversation: change.conversation, order: OrderKey(changes.order(of: change)))
            try rows.setOwed(isOwed == true ? after : nil, key)
        }
        switch event.type {
        case .readReceiptRequested, .readReceiptSent:
            try event.forEachReference { try decide(MessageName($0), event.conversationNumber, &rows) }
            if event.type == .readReceiptSent, let time = event[ReceiptScope.Fields.upTo] {
                try answer(upTo: time, event.conversationNumber, &rows)
            }
        case .messageDuplicateSuppressed:
            try decide(.server(event.serverID.copied), event.conversationNumber, &rows)
        default: break
        }
    }

    /// The message of a row, where it can be owed a receipt.
    private static func owable(_ row: TimelineRow?) -> LocalMessageID? {
        guard let row, row.flags.isDisjoint(with: [.isOutgoing, .isRecalled]) else { return nil }
        return row.local
    }

    /// One receipt answers for all messages up to a time, those included that come later.
    private func answer(upTo time: Timestamp, _ conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        let time = UInt64(clamping: time.milliseconds)
        guard try rows.snapshot.receiptsSent(in: conversation).map({ $0 < time }) ?? true else { return }
        rows.put(MessageDetails.receiptsSent, .ofConversation(conversation), NumberRow(number: time))
        for key in try rows.snapshot.owedReceipts(upTo: time, in: conversation) {
            rows.remove(MessageDetails.owed, key)
        }
    }

    /// The facts about a message and its original changed.
    private func decide(
        _ name: MessageName, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        guard let named = try rows.snapshot.local(of: name, in: conversation) else { return }
        for local in [named, try rows.snapshot.original(of: named)].compactMap(\.self) {
            guard let message = try rows.snapshot.receivedMessage(local, in: conversation) else { continue }
            let key = PlaceKey(conversation: conversation, order: message.order)
            let isOwed = try message.isOwed && Self.owable(rows.snapshot.row(Timeline.messages, key)) == local
            try rows.setOwed(isOwed ? local : nil, key)
        }
    }
}

extension DetailKey<ReceiptsSentPart> {
    fileprivate static func ofConversation(_ conversation: ConversationNumber) -> Self {
        Self(of: .local(LocalMessageID(0)), in: conversation)
    }
}

extension ViewSnapshot {
    /// The place of a message that somebody else sent, and whether a receipt is owed for it; nil for every other.
    fileprivate borrowing func receivedMessage(
        _ local: LocalMessageID, in conversation: ConversationNumber
    ) throws -> (order: OrderKey, isOwed: Bool)? {
        guard let record = try log.record(at: Position(local.rawValue)), record.conversationNumber == conversation,
            record.type == .messageReceived, !record.flags.contains(.isOutgoing)
        else { return nil }
        let order = OrderKey(record, MessageState())
        let flags = try row(Messages.states, local)?.flags ?? []
        let isWanted = record.flags.contains(.needsReceipt) || flags.contains(.isReceiptRequested)
        guard isWanted, !flags.contains(.isReceiptSent) else { return (order, false) }
        let isAnswered = try receiptsSent(in: conversation).map { OrderKey.time(of: order.bytes.span.bytes) <= $0 }
        return (order, isAnswered != true)
    }

    /// The keys of the rows of messages up to a time.
    fileprivate borrowing func owedReceipts(
        upTo time: UInt64, in conversation: ConversationNumber
    ) throws -> [PlaceKey] {
        var keys: [PlaceKey] = []
        try forEachRow(MessageDetails.owed, under: conversation) { key, _ in
            guard key.order.time <= time else { return false }
            keys.append(key)
            return true
        }
        return keys
    }

    /// The time up to which this account reported to others that it has read a conversation.
    fileprivate borrowing func receiptsSent(in conversation: ConversationNumber) throws -> UInt64? {
        try row(MessageDetails.receiptsSent, .ofConversation(conversation))?.number
    }
}

extension FoldRows {
    fileprivate mutating func setOwed(_ local: LocalMessageID?, _ key: PlaceKey) throws {
        if let local {
            put(MessageDetails.owed, key, NumberRow(number: local.rawValue))
        } else if try snapshot.row(MessageDetails.owed, key) != nil {
            remove(MessageDetails.owed, key)
        }
    }
}
