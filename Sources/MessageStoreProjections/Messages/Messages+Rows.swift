@_spi(Storage) internal import MessageStoreLog

extension Messages {
    /// The timeline row that a message has in a state; nil where it is not shown.
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
        return state.mention == .untold ? record.flags.contains(.mentionsAccount) : state.mention > .nobodyHere
    }

    /// Whether a message mentions this account by name.
    static func namesAccount(_ record: RecordView, _ state: MessageState) -> Bool {
        guard state.mention == .untold else { return state.mention == .account }
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

    /// Raises the mark of one member, and of member 0, which means "anybody".
    static func raise(
        _ isRead: Bool, to time: Int64, _ conversation: ConversationNumber, _ member: UserNumber, _ rows: inout FoldRows
    ) throws {
        for member in member == .none ? [member] : [.none, member] {
            let key = MemberKey(conversation: conversation, user: member)
            var mark = try rows.snapshot.row(Messages.receiptMarks, key) ?? ReceiptMark()
            if isRead { mark.readUpTo = max(mark.readUpTo, time) }
            // A message that was read was delivered, too.
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
            mention(
                of: self[MessageContext.Fields.mentions], everyone: self[MessageContext.Fields.mentionsEveryone])
        }
    }

    private func mention(of users: [UInt32]?, everyone: Bool) -> MessageState.Mention {
        if users?.contains(UserNumber.account.rawValue) == true { return .account }
        return everyone ? .everyone : users == nil ? .untold : .nobodyHere
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
