@_spi(Storage) internal import MessageStoreLog

/// Which received messages this account owes a receipt for, by their order.
///
/// A row is a message of the timeline that is not recalled, whose sender wants a receipt, with the message or by a
/// later request, and for which none is recorded as sent. Facts about a message that has not arrived wait in
/// `parkedReceipts`.
struct OwedReceipts {
    /// Whether anything is parked, looked up once until the next finish.
    private var hasParked: Bool?

    mutating func apply(_ changes: borrowing TimelineChanges, _ event: RecordView, _ rows: inout FoldRows) throws {
        var facts = ReceiptFacts()
        if event.type == .messageReceived { facts = try takeParked(event, &rows) }
        for change in changes.list {
            let after = Self.owable(change.after)
            guard after != Self.owable(change.before) else { continue }
            var isOwed = false
            if let after, after.rawValue == event.position.rawValue {
                isOwed = facts.isOwed(event.flags.contains(.needsReceipt))
                if isOwed, try rows.snapshot.isAnswered(changes.order(of: change), in: change.conversation) {
                    isOwed = false
                }
            } else if let after {
                isOwed = try rows.snapshot.receivedMessage(after, in: change.conversation)?.isOwed ?? false
            }
            guard isOwed || change.before != nil else { continue }
            let key = PlaceKey(conversation: change.conversation, order: OrderKey(changes.order(of: change)))
            try rows.setOwed(isOwed ? after : nil, key)
        }
        switch event.type {
        case .readReceiptRequested: try note(.isRequested, event, &rows)
        case .readReceiptSent:
            try note(.isSent, event, &rows)
            if let time = event[ReceiptScope.Fields.upTo] { try answer(upTo: time, event.conversationNumber, &rows) }
        case .messageDuplicateSuppressed: try share(event, &rows)
        default: break
        }
    }

    mutating func finishBatch() { hasParked = nil }

    /// The message of a row, where it can be owed a receipt.
    private static func owable(_ row: TimelineRow?) -> LocalMessageID? {
        guard let row, row.flags.isDisjoint(with: [.isOutgoing, .isRecalled]) else { return nil }
        return row.local
    }

    /// The facts recorded about a message before it arrived.
    private mutating func takeParked(_ event: RecordView, _ rows: inout FoldRows) throws -> ReceiptFacts {
        guard try findsParked(rows.snapshot) else { return ReceiptFacts() }
        let parked = ServerIDKey(conversation: event.conversationNumber, serverID: event.serverID.copied)
        let facts = try rows.snapshot.row(MessageDetails.parkedFacts, parked) ?? ReceiptFacts()
        guard facts != ReceiptFacts() else { return facts }
        rows.remove(MessageDetails.parkedFacts, parked)
        let key = DetailKey<ReceiptFactsPart>(of: parked.serverID, in: parked.conversation)
        rows.put(MessageDetails.receiptFacts, key, facts)
        return facts
    }

    private mutating func findsParked(_ snapshot: borrowing ViewSnapshot) throws -> Bool {
        if let hasParked { return hasParked }
        var cursor = try snapshot.rows(MessageDetails.parkedFacts.place)
        let isFound = try cursor.next()
        hasParked = isFound
        return isFound
    }

    /// One receipt answers for all messages up to a time, those included that come later.
    private func answer(upTo time: Timestamp, _ conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        let time = UInt64(clamping: time.milliseconds)
        guard try rows.snapshot.receiptsSent(in: conversation).map({ $0 < time }) ?? true else { return }
        rows.put(MessageDetails.receiptsSent, DetailKey(of: [], in: conversation), NumberRow(number: time))
        for key in try rows.snapshot.owedReceipts(upTo: time, in: conversation) {
            rows.remove(MessageDetails.owed, key)
        }
    }

    private mutating func note(_ fact: ReceiptFacts.Flags, _ event: RecordView, _ rows: inout FoldRows) throws {
        try event.forEachReference { reference in
            var known: LocalMessageID?
            switch reference {
            case .local(let local): known = local
            case .server(let id):
                known = try rows.snapshot.local(of: id, in: event.conversationNumber)
                if known == nil { try park(fact, id, event, &rows) }
            }
            guard let known else { return }
            for local in [known, try rows.snapshot.original(of: known)].compactMap(\.self) {
                try note(fact, of: local, event.conversationNumber, &rows)
            }
        }
    }

    private func note(
        _ facts: ReceiptFacts.Flags, of local: LocalMessageID, _ conversation: ConversationNumber,
        _ rows: inout FoldRows
    ) throws {
        guard let message = try rows.snapshot.receivedMessage(local, in: conversation) else { return }
        var changed = message
        changed.facts.flags.formUnion(facts)
        rows.put(MessageDetails.receiptFacts, message.factsKey, changed.facts)
        let key = PlaceKey(conversation: conversation, order: message.order)
        var isOwed = false
        if changed.isOwed, let row = try rows.snapshot.row(Timeline.messages, key) {
            isOwed = Self.owable(row) == local
        }
        try rows.setOwed(isOwed ? local : nil, key)
    }

    /// A message turned out to repeat another, or a server id to name one: what was recorded of it is that one's as
    /// well.
    private func share(_ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        guard let named = try rows.snapshot.local(of: event.serverID, in: conversation) else { return }
        let parked = ServerIDKey(conversation: conversation, serverID: event.serverID.copied)
        if let facts = try rows.snapshot.row(MessageDetails.parkedFacts, parked) {
            rows.remove(MessageDetails.parkedFacts, parked)
            try note(facts.flags, of: named, conversation, &rows)
        }
        if let original = try rows.snapshot.original(of: named),
            let message = try rows.snapshot.receivedMessage(named, in: conversation), message.facts != ReceiptFacts()
        {
            try note(message.facts.flags, of: original, conversation, &rows)
        }
    }

    private mutating func park(
        _ fact: ReceiptFacts.Flags, _ serverID: RawSpan, _ event: RecordView, _ rows: inout FoldRows
    ) throws {
        let key = ServerIDKey(conversation: event.conversationNumber, serverID: serverID.copied)
        var facts = try rows.snapshot.row(MessageDetails.parkedFacts, key) ?? ReceiptFacts()
        facts.flags.insert(fact)
        rows.put(MessageDetails.parkedFacts, key, facts)
        hasParked = true
    }
}

/// The facts that decide whether a received message is owed a receipt.
private struct ReceivedMessage {
    let order: OrderKey
    let factsKey: DetailKey<ReceiptFactsPart>
    let needsReceipt: Bool
    var facts: ReceiptFacts
    /// Whether a receipt up to a time was sent that covers it.
    let isAnswered: Bool

    var isOwed: Bool { !isAnswered && facts.isOwed(needsReceipt) }
}

extension ViewSnapshot {
    /// A message that somebody else sent; nil for every other.
    fileprivate borrowing func receivedMessage(
        _ local: LocalMessageID, in conversation: ConversationNumber
    ) throws -> ReceivedMessage? {
        guard local.rawValue <= position.rawValue, let record = try log.record(at: Position(local.rawValue)),
            record.conversationNumber == conversation, record.type == .messageReceived,
            !record.flags.contains(.isOutgoing)
        else { return nil }
        let key = DetailKey<ReceiptFactsPart>(of: record.serverID.copied, in: conversation)
        let order = OrderKey(record, MessageState())
        return ReceivedMessage(
            order: order, factsKey: key,
            needsReceipt: record.flags.contains(.needsReceipt),
            facts: try row(MessageDetails.receiptFacts, key) ?? ReceiptFacts(),
            isAnswered: try isAnswered(order.bytes.span.bytes, in: conversation))
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
        try row(MessageDetails.receiptsSent, DetailKey(of: [], in: conversation))?.number
    }

    fileprivate borrowing func isAnswered(_ order: RawSpan, in conversation: ConversationNumber) throws -> Bool {
        try receiptsSent(in: conversation).map { OrderKey.time(of: order) <= $0 } ?? false
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
