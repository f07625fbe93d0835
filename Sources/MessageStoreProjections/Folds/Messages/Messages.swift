@_spi(Storage) internal import MessageStoreLog

/// The projection of messages: identities, states, receipts and the outbox.
///
/// It turns events into ``TimelineChange``s, from which the timeline, the conversation list and the unread counters
/// follow.
struct Messages: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .messages, version: 13, events: .all, traits: [.identifiesEvents, .neededByAdmission],
        tables: identities, states, parked, outbox, receiptMarks, deleted, deviceLines)
    static var identities: Table<IdentityRowKey, NumberRow> { Table("identities", .identities) }
    static var states: Table<LocalMessageID, MessageState> {
        Table("messageStates", 1, [.notedByMessage, .ofKnownEvents])
    }
    /// The states that were recorded for messages that have not arrived.
    static var parked: Table<ServerIDKey, MessageState> { Table("parkedStates", 2, .rare) }
    static var outbox: Table<LocalMessageID, OutboxRow> { Table("outbox", 3) }
    static var receiptMarks: Table<MemberKey, ReceiptMark> { Table("receiptMarks", 4, .noted) }
    static var deleted: Table<PlaceKey, NumberRow> { Table("deletedMessages", 29) }
    static var deviceLines: Table<LocalKey, NoValue> { Table("deviceLines", 37) }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try apply(event, &rows, &changes.timeline)
    }

    private func apply(_ record: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        rows.claimIdentities(of: record)
        switch record.type {
        case .messageReceived:
            try arrive(record, MessageState(), &rows, &changes)
            if record.isAhead(OrderKey.time(ofArrival: record)) {
                noteLine(LocalMessageID(record.position.rawValue), record, &rows)
            }
        case .messageInsertedLocally:
            try arrive(record, MessageState(), &rows, &changes)
            noteLine(LocalMessageID(record.position.rawValue), record, &rows)
        case .messageSendQueued:
            var state = MessageState()
            state.status = .sending
            try arrive(record, state, &rows, &changes)
            setOutbox(record.position, .sending, &rows)
        case .messageSent: try acknowledge(record, &rows, &changes)
        case .messageSendFailed: try setSending(record, from: .sending, to: .failed, &rows)
        case .messageSendRetried: try setSending(record, from: .failed, to: .sending, &rows)
        case .messageModified: try modify(record, &rows, &changes)
        case .messageRecalled: try update(record, &rows, &changes) { $0.flags.insert(.isRecalled) }
        case .messagesDeleted: try update(record, &rows, &changes) { $0.flags.insert(.isDeleted) }
        case .messageDelivered, .messageReadByPeer: try receipt(record, &rows, &changes)
        case .historyCleared, .conversationDeleted: try clearLines(record, &rows, &changes)
        case .messageStatusOverridden: try override(record, &rows, &changes)
        case .messageStatusFlagsSet: try setFlags(record, &rows, &changes)
        case .attachmentStateChanged:
            let position = record.position.rawValue
            let index = record[AttachmentStateChanged.index] ?? 0
            try update(record, &rows, &changes) { $0.attachments.note(position, of: index) }
        case .messageFiltered:
            // A verdict of a newer version changes nothing.
            guard let verdict = MessageState.Verdict(code: record[FilterVerdict.codeField]) else { return }
            let position = record.position.rawValue
            let type = record.contentType
            try update(record, &rows, &changes) { state in
                (state.verdict, state.verdictPosition, state.replacementType) = (verdict, position, type)
            }
        case .messageDuplicateSuppressed: try suppress(record, &rows, &changes)
        case .readReceiptRequested: try update(record, &rows, &changes) { $0.flags.insert(.isReceiptRequested) }
        case .readReceiptSent: try update(record, &rows, &changes) { $0.flags.insert(.isReceiptSent) }
        case .messageSnapshotReceived:
            let reported = ReportedState(record)
            try update(record, &rows, &changes) { reported.apply(to: &$0) }
        default: break
        }
    }

    /// Notes a message whose place may be above those that are still to come.
    private func noteLine(_ local: LocalMessageID, _ event: RecordView, _ rows: inout FoldRows) {
        rows.put(Self.deviceLines, LocalKey(conversation: event.conversationNumber, local: local), NoValue())
    }

    /// Deletes the lines of this device, and messages from the future, where the whole history is cleared: a floor
    /// above them would hide what arrives later.
    private func clearLines(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        guard event.clearsWholeHistory else { return }
        for (key, _) in try rows.snapshot.allRows(Self.deviceLines, under: event.conversationNumber) {
            rows.remove(Self.deviceLines, key)
            try update(key.local, event, &rows, &changes) { $0.flags.insert(.isDeleted) }
        }
    }

    /// A message enters the timeline, with all facts that were recorded about it before.
    private func arrive(
        _ record: RecordView, _ initial: MessageState, _ rows: inout FoldRows, _ changes: inout TimelineChanges
    ) throws {
        let flags = record.type == .messageReceived ? record[MessageReceived.Fields.flags] : nil
        let mayBeParked = rows.snapshot.hasParked && record.serverID.byteCount > 0
        // Mostly nothing was recorded about it.
        guard flags != nil || mayBeParked else { return enter(record, initial, &rows, &changes) }
        var state = initial
        if let flags { state.userFlags = flags.intersection(try rows.snapshot.possibleFlags(of: record)) }
        if mayBeParked {
            if let parked = try takeParked(record.conversationNumber, record.serverID, &rows) {
                state.join(parked)
                if !record.flags.contains(.isOutgoing) { state.status = .received }
                state.userFlags.formIntersection(try rows.snapshot.possibleFlags(of: record))
                if state.flags.contains(.isDeleted) { rows.noteDeleted(record) }
            }
        }
        enter(record, state, &rows, &changes)
    }

    private func enter(
        _ record: RecordView, _ state: MessageState, _ rows: inout FoldRows, _ changes: inout TimelineChanges
    ) {
        if !state.isInitial { rows.setState(state, of: LocalMessageID(record.position.rawValue)) }
        changes.append(
            conversation: record.conversationNumber, before: nil, after: Self.row(record, state),
            record.recording, namesAccount: (false, Self.namesAccount(record, state))
        ) { OrderKey.append(record, state, to: &$0) }
    }

    /// The server's answer moves a queued message to its place (d2, d18).
    private func acknowledge(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        let local = event[MessageSent.Fields.message]
        guard try rows.snapshot.isUnacknowledged(local, in: event.conversationNumber) else {
            return try acknowledgeAgain(local, event, &rows, &changes)
        }
        guard var state = try rows.snapshot.row(Messages.states, local) else { return }
        let before = state
        state.status = max(state.status, .sent)
        state.failureCode = 0
        state.serverID = event.serverID.copied
        if let time = event.serverTime, time != .unknown {
            state.serverTime = time.milliseconds
        } else {
            state.serverTime = try Self.now(of: local, rows.snapshot)
            state.flags.insert(.isTimeProvisional)
        }
        let identity = Identity(.serverID, scope: event.conversation, bytes: event.serverID)
        // The echo came first, without a token: the queued message takes its place, and all facts recorded about it.
        if let echo = try rows.snapshot.position(of: identity),
            try rows.snapshot.hasServerID(event.serverID, LocalMessageID(echo.rawValue))
        {
            let reported = try removeEcho(LocalMessageID(echo.rawValue), &rows, &changes)
            state.join(reported)
            if let time = try Self.serverTime(ofEcho: echo, reported, rows.snapshot) { state.learn(sentTime: time) }
        }
        rows.claim(identity, for: Position(local.rawValue))
        if let parked = try takeParked(event.conversationNumber, event.serverID, &rows) {
            state.join(parked)
            state.learn(sentTime: parked.serverTime)
        }
        if state.userFlags != before.userFlags {
            state.userFlags.formIntersection(try rows.snapshot.possibleFlags(of: local))
        }
        rows.setState(state, of: local)
        setOutbox(Position(local.rawValue), nil, &rows)
        if try emit(local, from: before, to: state, rows.snapshot, &changes) { noteLine(local, event, &rows) }
    }

    /// A second acknowledgement, of another attempt to send: its id names the message as well.
    private func acknowledgeAgain(
        _ local: LocalMessageID, _ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges
    ) throws {
        let conversation = event.conversationNumber
        guard try rows.snapshot.isAcknowledged(local, in: conversation) else { return }
        // A message that came under the id repeats this one only if it may be its echo.
        if let other = try rows.snapshot.local(of: event.serverID, in: conversation),
            try other.rawValue <= local.rawValue || !rows.snapshot.isEcho(other)
        {
            return
        }
        try name(local, event, &rows, &changes)
    }

    /// Not inlined, like the next: the compiler's optimiser fails on a record that is held there.
    @inline(never)
    private static func now(
        of local: LocalMessageID, _ snapshot: borrowing ViewSnapshot
    ) throws -> Int64 {
        try snapshot.log.record(at: Position(local.rawValue))?.now.milliseconds ?? 0
    }

    @inline(never)
    static func serverTime(
        ofEcho echo: Position, _ state: MessageState, _ snapshot: borrowing ViewSnapshot
    ) throws -> Int64? {
        guard let record = try snapshot.log.record(at: echo) else { return nil }
        return state.serverTime(of: record)?.milliseconds
    }

    private func takeParked(
        _ conversation: ConversationNumber, _ serverID: RawSpan, _ rows: inout FoldRows
    ) throws -> MessageState? {
        let key = ServerIDKey(conversation: conversation, serverID: serverID.copied)
        guard let parked = try rows.snapshot.row(Self.parked, key) else { return nil }
        rows.remove(Self.parked, key)
        return parked
    }

    private func removeEcho(
        _ echo: LocalMessageID, _ rows: inout FoldRows, _ changes: inout TimelineChanges
    ) throws -> MessageState {
        let before = try rows.snapshot.row(Messages.states, echo) ?? MessageState()
        guard !before.flags.contains(.isDeleted) else { return before }
        var after = before
        after.flags.insert(.isDeleted)
        rows.setState(after, of: echo)
        _ = try emit(echo, from: before, to: after, rows.snapshot, &changes)
        return before
    }

    private func setSending(
        _ event: RecordView, from old: MessageStatus, to new: MessageStatus, _ rows: inout FoldRows
    ) throws {
        guard let local = event.queuedMessage,
            try rows.snapshot.isUnacknowledged(local, in: event.conversationNumber),
            var state = try rows.snapshot.row(Messages.states, local),
            state.status == old
        else { return }
        state.status = new
        state.failureCode = new == .failed ? event[MessageSendFailed.code] : 0
        rows.setState(state, of: local)
        setOutbox(Position(local.rawValue), new, &rows)
    }

    /// The host's correction is the one thing that may lower a status (d18).
    private func override(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        let status = event[MessageStatusOverridden.status]
        // A status of a newer version has no place in the lattice.
        guard status.isKnown else { return }
        try update(event, &rows, &changes) { $0.status = status }
        try event.forEachReference { reference in
            guard case .local(let local) = reference,
                try rows.snapshot.isUnacknowledged(local, in: event.conversationNumber)
            else {
                return
            }
            setOutbox(Position(local.rawValue), status < .sent ? status : nil, &rows)
        }
    }

    private func setFlags(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        let flags = event[MessageStatusFlagsSet.flags]
        try update(event, &rows, &changes) { $0.userFlags.formUnion(flags) }
    }

    /// Hides a repeat, or shows it again; where it was never recorded, its id names the original from now on (d12).
    private func suppress(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        try name(event[MessageDuplicateSuppressed.duplicateOf], event, &rows, &changes)
    }

    private func name(
        _ original: LocalMessageID?, _ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges
    ) throws {
        guard let local = try rows.snapshot.local(of: event.serverID, in: event.conversationNumber) else {
            guard let original else { return }
            let parked = try takeParked(event.conversationNumber, event.serverID, &rows)
            rows.claim(Identity(.serverID, scope: event.conversation, bytes: event.serverID), for: event.position)
            guard let parked else { return }
            let successor = try rows.snapshot.successor(of: original, in: event.conversationNumber)
            try update(successor, event, &rows, &changes) { $0.join(parked) }
            return
        }
        guard original != local else { return }
        try update(local, event, &rows, &changes) { state in
            if original == nil { state.flags.remove(.isSuppressed) } else { state.flags.insert(.isSuppressed) }
            state.duplicateOf = original?.rawValue ?? 0
        }
        // Facts about the repeat that were recorded before are its original's as well.
        guard let original = try rows.snapshot.original(of: local),
            let reported = try rows.snapshot.row(Messages.states, local)
        else { return }
        let successor = try rows.snapshot.successor(of: original, in: event.conversationNumber)
        try update(successor, event, &rows, &changes) { $0.join(reported) }
    }

    private func modify(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        let (time, position, mention) = (event.serverTime?.milliseconds ?? 0, event.position.rawValue, event.mention)
        var loss: FoldReport.Loss?
        try update(event, &rows, &changes) { state in
            loss = state.modify(by: position, at: time)
            state.mention(mention, by: position, at: time)
        }
        if let loss { rows.reports?.add(.lost(loss), by: .messages, at: event.position) }
    }

    private func receipt(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges) throws {
        // A reading by this account is no receipt for its own messages.
        guard event.actorNumber != .account else { return }
        let (time, isRead) = (max(event.serverTime?.milliseconds ?? 0, 1), event.type == .messageReadByPeer)
        if let upTo = event[ReceiptScope.Fields.upTo] {
            return try ReceiptMark.raise(isRead, to: upTo, by: event, &rows)
        }
        try update(event, &rows, &changes) { state in
            if isRead { state.read(at: time) } else { state.deliver(at: time) }
        }
    }

    /// Changes the state of every message that the event names; facts about unknown ones are parked (d18).
    private func update(
        _ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges,
        _ change: (inout MessageState) -> Void
    ) throws {
        let conversation = event.conversationNumber
        try event.forEachReference { reference in
            let named: LocalMessageID
            switch reference {
            case .local(let local): named = local
            case .server(let id):
                guard let local = try rows.snapshot.local(of: id, in: conversation) else {
                    let key = ServerIDKey(conversation: conversation, serverID: id.copied)
                    var parked = try rows.snapshot.row(Self.parked, key) ?? MessageState()
                    change(&parked)
                    rows.reports?.add(.parked, by: .messages, at: event.position)
                    return rows.put(Self.parked, key, parked)
                }
                named = local
            }
            try update(named: rows.snapshot.successor(of: named, in: conversation), event, &rows, &changes, change)
        }
    }

    /// - Returns: Whether the event's conversation has the message.
    @discardableResult
    private func update(
        _ local: LocalMessageID, _ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges,
        _ change: (inout MessageState) -> Void
    ) throws -> Bool {
        guard local.rawValue < event.position.rawValue,
            let isOutgoing = try rows.snapshot.isOutgoing(local, in: event.conversationNumber)
        else { return false }
        let before = try rows.snapshot.row(Messages.states, local) ?? MessageState()
        var after = before
        change(&after)
        // Receipts are about this account's messages; those of others stay `received`.
        if !isOutgoing { after.status = before.status }
        // A time is kept for an acknowledgement only while the message is not known.
        if before.serverID.isEmpty { after.serverTime = before.serverTime }
        if after.userFlags != before.userFlags {
            after.userFlags.formIntersection(try rows.snapshot.possibleFlags(of: local))
        }
        guard after != before else { return true }
        rows.setState(after, of: local)
        if after.flags.contains(.isDeleted), !before.flags.contains(.isDeleted),
            let place = try rows.snapshot.placeOfReceived(local)
        {
            rows.put(Self.deleted, place, NumberRow(number: local.rawValue))
        }
        if try emit(local, from: before, to: after, rows.snapshot, &changes) { noteLine(local, event, &rows) }
        return true
    }

    /// Changes the state of a message that the event names; a change of a repeat applies to its original as well.
    private func update(
        named local: LocalMessageID, _ event: RecordView, _ rows: inout FoldRows, _ changes: inout TimelineChanges,
        _ change: (inout MessageState) -> Void
    ) throws {
        guard try update(local, event, &rows, &changes, change) else { return }
        if let original = try rows.snapshot.original(of: local) {
            let successor = try rows.snapshot.successor(of: original, in: event.conversationNumber)
            try update(successor, event, &rows, &changes, change)
        }
    }

    /// Reports how a message's timeline row changes between two states.
    ///
    /// - Returns: Whether the message moved to a place more than a day after its recording.
    private func emit(
        _ local: LocalMessageID, from before: MessageState, to after: MessageState,
        _ snapshot: borrowing ViewSnapshot, _ changes: inout TimelineChanges
    ) throws -> Bool {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)) else { return false }
        let oldOrder = OrderKey(record, before)
        let newOrder = OrderKey(record, after)
        let oldRow = Self.row(record, before)
        let newRow = Self.row(record, after)
        let names = (Self.namesAccount(record, before), Self.namesAccount(record, after))
        if oldOrder == newOrder {
            changes.append(
                conversation: record.conversationNumber, before: oldRow, after: newRow,
                record.recording, namesAccount: names
            ) { $0.append(oldOrder.bytes) }
        } else {
            changes.append(
                conversation: record.conversationNumber, before: oldRow, after: nil,
                record.recording, namesAccount: (names.0, false)
            ) { $0.append(oldOrder.bytes) }
            changes.append(
                conversation: record.conversationNumber, before: nil, after: newRow, record.recording,
                isMove: true, namesAccount: (false, names.1)
            ) { $0.append(newOrder.bytes) }
        }
        return oldOrder != newOrder && record.isAhead(newOrder.time)
    }
}

extension ProjectionID {
    /// Identities, states, receipts and the outbox of messages.
    public static let messages: ProjectionID = "Messages"
}
