@_spi(Storage) package import MessageStoreLog

extension ViewSnapshot {
    borrowing func isDeleted(_ local: LocalMessageID) throws -> Bool {
        try row(Messages.states, local)?.flags.contains(.isDeleted) ?? false
    }

    /// The earlier message that another one repeats; nil if it repeats none.
    borrowing func original(of local: LocalMessageID) throws -> LocalMessageID? {
        guard let state = try row(Messages.states, local), state.flags.contains(.isSuppressed),
            state.duplicateOf < local.rawValue
        else { return nil }
        return LocalMessageID(state.duplicateOf)
    }

    /// Whether a message is this account's own; nil if the conversation has no such message.
    borrowing func isOutgoing(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> Bool? {
        guard let record = try log.record(at: Position(local.rawValue)), record.conversationNumber == conversation,
            record.type.isMessage
        else { return nil }
        return record.flags.contains(.isOutgoing) && record.type != .messageInsertedLocally
    }

    /// Whether the conversation has this message.
    borrowing func isMessage(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> Bool {
        try isOutgoing(local, in: conversation) != nil
    }

    /// The flags that a message of its type can have (D11, D12).
    borrowing func possibleFlags(of local: LocalMessageID) throws -> MessageFlags {
        guard let record = try log.record(at: Position(local.rawValue)) else { return [] }
        return try possibleFlags(of: record)
    }

    borrowing func possibleFlags(of record: RecordView) throws -> MessageFlags {
        try symbols.contentType(record.contentType).possibleFlags
    }

    /// The position of the event that claims `identity`, or nil (I4). A hit is verified against the record.
    package borrowing func position(of identity: Identity) throws -> Position? {
        try position(of: identity, key: identity.key)
    }

    /// The same for an identity whose key is at hand.
    borrowing func position(of identity: Identity, key: IdentityKey) throws -> Position? {
        var bytes = ByteWriter(capacity: 16)
        key.write(to: &bytes)
        guard let row: NumberRow = try decoded(Messages.identities.viewTable, bytes.bytes) else { return nil }
        return try message(at: Position(row.number), claiming: identity)
    }

    /// Whether a message was queued in a conversation and no server has acknowledged it.
    borrowing func isUnacknowledged(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)), record.type == .messageSendQueued,
            record.conversationNumber == conversation
        else { return false }
        return try row(Messages.states, local)?.serverID.isEmpty ?? true
    }

    /// Whether a message was queued in a conversation and a server has acknowledged it.
    borrowing func isAcknowledged(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)), record.type == .messageSendQueued,
            record.conversationNumber == conversation
        else { return false }
        return try row(Messages.states, local)?.serverID.isEmpty == false
    }

    /// Whether a message is a copy of one that this account sent.
    borrowing func isEcho(_ local: LocalMessageID) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)) else { return false }
        return record.type == .messageReceived && record.flags.contains(.isOutgoing)
    }

    /// The event that `identity` names by the record at `position`: itself, or the message that it repeats.
    private borrowing func message(at position: Position, claiming identity: Identity) throws -> Position? {
        guard let record = try log.record(at: position) else { return nil }
        if record.claims(identity) { return position }
        guard identity.kind == .serverID, record.conversation == identity.scope else { return nil }
        switch record.type {
        case .messageSendQueued:
            let acknowledged = try row(Messages.states, LocalMessageID(position.rawValue))?.serverID ?? []
            return acknowledged.span.bytes.isEqual(to: identity.bytes) ? position : nil
        case .messageDuplicateSuppressed, .messageSent:
            return record.serverID.isEqual(to: identity.bytes)
                ? record.renamedMessage.map { Position($0.rawValue) } : nil
        default: return nil
        }
    }

    /// Whether the server gave the message this id itself, rather than one that was found to name it too.
    borrowing func hasServerID(_ serverID: RawSpan, _ local: LocalMessageID) throws -> Bool {
        if let acknowledged = try row(Messages.states, local)?.serverID, !acknowledged.isEmpty {
            return acknowledged.span.bytes.isEqual(to: serverID)
        }
        return try log.record(at: Position(local.rawValue))?.serverID.isEqual(to: serverID) ?? false
    }

    /// The local id of the message that the server calls `serverID`, or nil.
    borrowing func local(of serverID: RawSpan, in conversation: ConversationNumber) throws -> LocalMessageID? {
        try position(of: Identity(.serverID, scope: conversation.rawValue, bytes: serverID)).map {
            LocalMessageID($0.rawValue)
        }
    }

    /// Calls `body` with the messages of others in a conversation between two server times, both included, that are
    /// shown or were deleted.
    borrowing func forEachReceived(
        in conversation: ConversationNumber, from first: Int64, upTo last: Int64, _ body: (RecordView) throws -> Void
    ) throws {
        let time = Timestamp(milliseconds: max(first, 0))
        let start = PlaceKey(
            conversation: conversation, order: OrderKey { OrderKey.append(time: time, id: RawSpan(), to: &$0) })
        var cursor = try rows(Timeline.messages, from: start)
        while try cursor.next(), cursor.key.conversation == conversation,
            OrderKey.time(of: cursor.key.order) <= UInt64(clamping: last)
        {
            let row = try cursor.row(of: Timeline.messages)
            guard !row.flags.contains(.isOutgoing) else { continue }
            try body(record(at: Position(row.local.rawValue), namedBy: Timeline.messages.viewTable))
        }
        var deleted = try rows(Messages.deleted, from: start)
        while try deleted.next(), deleted.key.conversation == conversation,
            OrderKey.time(of: deleted.key.order) <= UInt64(clamping: last)
        {
            let row = try deleted.row(of: Messages.deleted)
            try body(record(at: Position(row.number), namedBy: Messages.deleted.viewTable))
        }
    }

    /// The place of the newest message of others that a server sent, deleted or not; where there is none, of this
    /// account's newest that the server has; nil if there is none either. Costs a step for each message of this
    /// account after it.
    borrowing func newestReceived(in conversation: ConversationNumber) throws -> OrderKey? {
        var newest: OrderKey?
        var newestOwn: OrderKey?
        let end = PlaceKey(conversation: conversation, order: OrderKey(unsent: LocalMessageID(0)))
        var cursor = try rowsBackwards(Timeline.messages, before: end)
        while newest == nil, try cursor.next(), cursor.key.conversation == conversation {
            let row = try cursor.row(of: Timeline.messages)
            let order = OrderKey(cursor.key.order)
            if order.isOfDevice { continue }
            if row.flags.contains(.isOutgoing) { newestOwn = newestOwn ?? order } else { newest = order }
        }
        var deleted = try rowsBackwards(Messages.deleted, before: end)
        guard try deleted.next(), deleted.key.conversation == conversation else { return newest ?? newestOwn }
        let order = OrderKey(deleted.key.order)
        return max(newest ?? order, order)
    }

    /// The key of the place of a message that somebody else sent; nil for every other.
    @inline(never)
    borrowing func placeOfReceived(_ local: LocalMessageID) throws -> PlaceKey? {
        guard let record = try log.record(at: Position(local.rawValue)), record.type == .messageReceived,
            !record.flags.contains(.isOutgoing)
        else { return nil }
        return PlaceKey(conversation: record.conversationNumber, order: OrderKey(record, MessageState()))
    }

    /// Whether a repeat of a message is hidden: the message has a place in its timeline, or would have but for its
    /// deletion.
    borrowing func hidesRepeats(_ local: LocalMessageID) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)) else { return false }
        var state = try row(Messages.states, local) ?? MessageState()
        state.flags.remove(.isDeleted)
        return try Messages.isShown(record, state) && !isForgotten(local, in: record.conversationNumber)
    }

    borrowing func local(of reference: MessageReference, in conversation: ConversationNumber) throws -> LocalMessageID?
    {
        switch reference {
        case .local(let local): return local
        case .server(let id):
            let bytes = Array(id.rawValue.utf8)
            let identity = Identity(.serverID, scope: conversation.rawValue, bytes: bytes.span.bytes)
            return try position(of: identity).map { LocalMessageID($0.rawValue) }
        }
    }
}

extension Messages {
    /// The timeline row that a message has in a state; nil if it is not shown.
    static func row(_ record: RecordView, _ state: MessageState) -> TimelineRow? {
        guard isShown(record, state) else { return nil }
        var row = TimelineRow(arrived: record)
        let isRecalled = state.flags.contains(.isRecalled)
        if isRecalled { row.flags.insert(.isRecalled) }
        if isRecalled || state.userFlags.contains(.read) { row.flags.remove(.counts) }
        if mentionsAccount(record, state) { row.flags.insert(.mentionsAccount) }
        if !state.isInitial { row.flags.insert(.hasState) }
        if state.flags.contains(.isTimeProvisional) || isFromFuture(record, state) {
            row.flags.insert(.isTimeUncertain)
        }
        if state.verdict == .replace { row.contentType = state.replacementType }
        return row
    }

    /// Whether somebody else sent a message, at a time of more than a day after its recording.
    @inline(__always)
    static func isFromFuture(_ record: RecordView, _ state: MessageState = MessageState()) -> Bool {
        !record.flags.contains(.isOutgoing) && record.isAhead(OrderKey.time(of: record, state))
    }

    /// Whether a message of somebody else mentions this account, by name or as one of all.
    static func mentionsAccount(_ record: RecordView, _ state: MessageState) -> Bool {
        guard !record.flags.contains(.isOutgoing) else { return false }
        return state.mention == .unreported ? record.flags.contains(.mentionsAccount) : state.mention > .nobodyHere
    }

    /// Whether a message mentions this account by name.
    static func namesAccount(_ record: RecordView, _ state: MessageState) -> Bool {
        guard state.mention == .unreported else { return state.mention == .account }
        return record.flags.contains(.mentionsAccount) && record.mention == .account
    }

    /// Whether a message is neither deleted, nor a repeat, nor hidden by a verdict or its visibility list (d13).
    static func isShown(_ record: RecordView, _ state: MessageState) -> Bool {
        guard state.flags.isDisjoint(with: [.isDeleted, .isSuppressed]) else { return false }
        switch state.verdict {
        case .keep, .replace: return true
        case .hide: return false
        case .none: return !record.flags.contains(.isDirectedAtOthers)
        }
    }

    /// Notes a message as waiting for the server; nil takes it out.
    func setOutbox(_ position: Position, _ status: MessageStatus?, _ rows: inout FoldRows) {
        rows.set(Self.outbox, LocalMessageID(position.rawValue), status.map { OutboxRow(status: $0) })
    }
}

/// A row of `outbox`: the status of a message that waits for the server.
struct OutboxRow: ViewRow {
    var status = MessageStatus.sending

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("status", &status)
    }
}

/// How far members have received and read this account's messages, as server times (d19).
struct ReceiptMark: ViewRow {
    var deliveredUpTo: Int64 = -1
    var readUpTo: Int64 = -1

    init() {}

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("deliveredUpTo", &deliveredUpTo, .time)
        parts.part("readUpTo", &readUpTo, .time)
    }

    /// Raises the mark of the event's member, and of member 0, which means "anybody".
    static func raise(_ isRead: Bool, to reported: Timestamp, by event: RecordView, _ rows: inout FoldRows) throws {
        let (time, actor) = (event.capped(reported), event.actorNumber)
        for member in actor == .none ? [actor] : [.none, actor] {
            let key = MemberKey(conversation: event.conversationNumber, user: member)
            var mark = try rows.snapshot.row(Messages.receiptMarks, key) ?? ReceiptMark()
            if member == actor, let reports = rows.reports {
                // A message that was read was delivered, too.
                for part in isRead ? [1, 0] : [0] as [UInt8] {
                    let holds = part == 1 ? mark.readUpTo < time : mark.deliveredUpTo < time
                    reports.weigh(
                        time, of: Messages.receiptMarks, at: key, part: part, time, named: reported, holds: holds,
                        by: .messages, event)
                }
            }
            if isRead { mark.readUpTo = max(mark.readUpTo, time) }
            mark.deliveredUpTo = max(mark.deliveredUpTo, time)
            rows.put(Messages.receiptMarks, key, mark)
        }
    }
}

extension RecordView {
    /// Whom a message, or an edit of one, mentions; an edit only if it names mentions.
    var mention: MessageState.Mention {
        switch type {
        case .messageModified:
            mention(of: self[MessageModified.mentions], everyone: self[MessageModified.mentionsEveryone])
        case .messageSnapshotReceived:
            mention(
                of: self[MessageSnapshotReceived.Fields.mentions],
                everyone: self[MessageSnapshotReceived.Fields.mentionsEveryone])
        default:
            mention(of: self[MessageContext.Fields.mentions], everyone: self[MessageContext.Fields.mentionsEveryone])
        }
    }

    private func mention(of users: [UInt32]?, everyone: Bool) -> MessageState.Mention {
        if users?.contains(UserNumber.account.rawValue) == true { return .account }
        return everyone ? .everyone : users == nil ? .unreported : .nobodyHere
    }
}

extension FoldRows {
    mutating func setState(_ state: MessageState, of local: LocalMessageID) {
        put(Messages.states, local, state)
    }

    /// Keeps the place of a message of somebody else that is deleted, so that its repeats are found.
    mutating func noteDeleted(_ record: RecordView) {
        guard record.type == .messageReceived, !record.flags.contains(.isOutgoing) else { return }
        let key = PlaceKey(conversation: record.conversationNumber, order: OrderKey(record, MessageState()))
        put(Messages.deleted, key, NumberRow(number: record.position.rawValue))
    }
}

extension ViewSnapshot {
    /// Whether facts wait for any message, which is rare.
    @inline(__always) var hasParked: Bool { hasRows(Messages.parked) }
}
