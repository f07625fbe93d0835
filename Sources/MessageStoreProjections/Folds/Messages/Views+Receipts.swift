@_spi(Storage) public import MessageStoreLog

/// A member who received or read a message.
public struct MemberReceipt: Sendable, Hashable {
    /// Who.
    public let member: UserID
    /// When, by the server's clock; nil if it was not reported for this message.
    public let time: Timestamp?

    /// Creates a receipt, for previews and tests.
    public init(member: UserID, time: Timestamp? = nil) {
        self.member = member
        self.time = time
    }
}

/// Who received and who read a message.
public struct MessageReceipts: Sendable, Hashable {
    /// The members whose devices have it, those who read it among them; by time, those without one last.
    public let delivered: [MemberReceipt]
    /// The members who read it; by time, those without one last.
    public let read: [MemberReceipt]
    /// How many have read it and how many have not, if the server reported numbers.
    public let counts: ReadCounts?
    /// How many members' devices have it, if the server reported a number.
    public let deliveredCount: Int?

    /// Creates receipts, for previews and tests.
    public init(
        delivered: [MemberReceipt] = [], read: [MemberReceipt] = [], counts: ReadCounts? = nil,
        deliveredCount: Int? = nil
    ) {
        self.delivered = delivered
        self.read = read
        self.counts = counts
        self.deliveredCount = deliveredCount
    }
}

extension Views {
    /// Who received and who read a message, each with the time of the first receipt.
    ///
    /// Includes members named by a receipt for this message or, for this account's own messages, by a receipt up to a
    /// time that covers it. Costs a step for each member that ever sent a receipt.
    ///
    /// - Parameters:
    ///   - message: The message, by either id. Facts about a server id are returned even if its message has not
    ///     arrived.
    ///   - conversation: Its conversation.
    /// - Throws: `StoreError`.
    public borrowing func receipts(
        of message: MessageReference, in conversation: ConversationKey
    ) throws -> MessageReceipts {
        var times = try coveringMarks(message, in: conversation)
        try snapshot.forEachDetail(MessageDetails.receipts, of: message, in: conversation) { part, row in
            times[part.member, default: ReceiptTimes()].join(row)
        }
        let (counts, deliveredCount) = try receiptCounts(of: message, in: conversation)
        return MessageReceipts(
            delivered: try memberReceipts(times.mapValues(\.delivered)),
            read: try memberReceipts(times.mapValues(\.read)), counts: counts, deliveredCount: deliveredCount)
    }

    /// The numbers that a server reported of a message's receipts, without a look at who sent them.
    borrowing func receiptCounts(
        of message: MessageReference, in conversation: ConversationKey
    ) throws -> (read: ReadCounts?, delivered: Int?) {
        var counts: ReadCounts?
        try snapshot.forEachDetail(MessageDetails.readCounts, of: message, in: conversation) { _, row in
            counts = ReadCounts(read: row.value.read, unread: row.value.unread)
        }
        var deliveredCount: Int?
        try snapshot.forEachDetail(MessageDetails.deliveredCounts, of: message, in: conversation) { _, row in
            deliveredCount = Int(row.count)
        }
        return (counts, deliveredCount)
    }

    /// The server time up to which a member has read this account's messages, or nil.
    ///
    /// - Parameters:
    ///   - member: The member.
    ///   - conversation: The conversation.
    /// - Throws: `StoreError`.
    public borrowing func readMarker(of member: UserID, in conversation: ConversationKey) throws -> Timestamp? {
        try receiptMark(of: member, in: conversation).flatMap { Self.time($0.readUpTo) }
    }

    /// The server time up to which a member's devices have this account's messages, or nil; what was read was
    /// delivered.
    ///
    /// - Parameters:
    ///   - member: The member.
    ///   - conversation: The conversation.
    /// - Throws: `StoreError`.
    public borrowing func deliveredMarker(
        of member: UserID, in conversation: ConversationKey
    ) throws -> Timestamp? {
        try receiptMark(of: member, in: conversation).flatMap { Self.time($0.deliveredUpTo) }
    }

    /// Calls `body` with each user who has read this account's messages up to a time, and who got them, and that time; nil
    /// for the latest of all, which counts those whom the server does not name. Costs a step for each.
    package borrowing func forEachMarker(
        in conversation: ConversationKey, _ body: (UserID?, _ isRead: Bool, Timestamp) throws -> Void
    ) throws {
        guard let number = try snapshot.symbols.number(of: conversation) else { return }
        try snapshot.forEachRow(Messages.receiptMarks, under: number) { key, mark in
            let user = key.user == .none ? nil : try snapshot.symbols.user(key.user)
            if let time = Self.time(mark.readUpTo) { try body(user, true, time) }
            if let time = Self.time(mark.deliveredUpTo) { try body(user, false, time) }
            return true
        }
    }

    /// The received messages that this account has read and owes their senders a receipt for, oldest first.
    ///
    /// A receipt is owed for a message that requested one, when it was sent or later by `ReadReceiptRequested`, until a
    /// `ReadReceiptSent` names it or a time that is not before its own. A message is read if it is at or below the read
    /// marker, or carries the flag `read`. Costs a step and a point read for each message that is owed one. Messages
    /// that are cleared, recalled or deleted are left out.
    ///
    /// - Parameters:
    ///   - conversation: Whose messages.
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of messages, 1 to 1000.
    ///   - isWanted: Selects the messages for which the host sends receipts; asked for each, oldest first, until there is one
    ///     more than fits.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range; what `isWanted` throws.
    public borrowing func owedReceipts(
        in conversation: ConversationKey, after cursor: PageCursor? = nil, limit: Int = 20,
        where isWanted: (Message) throws -> Bool = { _ in true }
    ) throws -> Page<Message> {
        try Self.check(limit: limit)
        guard let number = try snapshot.symbols.number(of: conversation) else { return Page([]) }
        let marker = try snapshot.unreadRow(of: number).marker
        let clearing = try snapshot.clearing(of: number)
        var (owed, orders): ([Message], [OrderKey]) = ([], [])
        let last = try cursor?.place(in: number)
        let start = last ?? (clearing.kept.isEmpty ? clearing.floor : .belowAll)
        try snapshot.forEachRow(
            MessageDetails.owed, from: PlaceKey(conversation: number, order: start), under: number
        ) { key, row in
            if key.order == last { return true }
            let record = try snapshot.record(at: Position(row.number), namedBy: MessageDetails.owed.viewTable)
            let state = try snapshot.row(Messages.states, LocalMessageID(row.number)) ?? MessageState()
            if let message = try message(LocalMessageID(row.number)),
                message.flags.contains(.read) || !marker.isBelow(record, state), try isWanted(message)
            {
                owed.append(message)
                orders.append(key.order)
            }
            return owed.count <= limit
        }
        return Page(owed, limit: limit) { _ in PageCursor(orders[limit - 1], in: number) }
    }

    /// The members whose receipts up to a time cover an own message, without times.
    private borrowing func coveringMarks(
        _ message: MessageReference, in conversation: ConversationKey
    ) throws -> [UserNumber: ReceiptTimes] {
        guard let number = try snapshot.symbols.number(of: conversation),
            let named = try snapshot.local(of: message, in: number), named.rawValue <= position.rawValue,
            try snapshot.isOutgoing(named, in: number) == true,
            let sentTime = try sentTime(of: snapshot.shownMessage(named, in: number))
        else { return [:] }
        var covered: [UserNumber: ReceiptTimes] = [:]
        try snapshot.forEachRow(Messages.receiptMarks, under: number) { key, mark in
            guard key.user != .none, sentTime <= mark.deliveredUpTo else { return true }
            covered[key.user, default: ReceiptTimes()].note(isRead: sentTime <= mark.readUpTo, at: nil)
            return true
        }
        return covered
    }

    /// The server's time of a message that a server knows, as receipts compare it.
    private borrowing func sentTime(of local: LocalMessageID) throws -> Int64? {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)) else { return nil }
        return (try snapshot.row(Messages.states, local) ?? MessageState()).serverTime(of: record).map {
            record.capped($0)
        }
    }

    private borrowing func memberReceipts(_ times: [UserNumber: Int64]) throws -> [MemberReceipt] {
        try times.filter { $0.value != ReceiptTimes.none }
            .map { (member: try snapshot.symbols.user($0.key), time: $0.value) }
            .sorted { ($0.time, $0.member) < ($1.time, $1.member) }
            .map { MemberReceipt(member: $0.member, time: Self.time($0.time)) }
    }

    private borrowing func receiptMark(
        of member: UserID, in conversation: ConversationKey
    ) throws -> ReceiptMark? {
        guard let number = try snapshot.symbols.number(of: conversation),
            let member = try snapshot.symbols.number(of: member)
        else { return nil }
        return try snapshot.row(Messages.receiptMarks, MemberKey(conversation: number, user: member))
    }

    private static func time(_ time: Int64) -> Timestamp? {
        time == ReceiptTimes.none || time == ReceiptTimes.unreported ? nil : Timestamp(milliseconds: time)
    }
}

// The received messages for which this account owes a receipt, by their order: those of the timeline that are not recalled,
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
