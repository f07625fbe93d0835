@_spi(Storage) internal import MessageStoreLog

/// The projection of modifications and recalls made on this device that no server has confirmed.
///
/// A change waits from its event of origin `local` until the server tells of it, by an event of the same kind and
/// another origin, or until its message is deleted. A modification from the server confirms the oldest that waits; a
/// recall ends everything that waits for its message.
struct PendingChanges: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .pendingChanges, version: 1,
        events: .types(
            Set.changingTimeline
                .subtracting([.messageReceived, .messageInsertedLocally, .messageSendQueued])
                .union([.messageSendFailed, .messageSendRetried])),
        reads: [.messages], tables: [.pendingChanges])

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try apply(changes.timeline, event, &rows)
    }

    private func apply(_ changes: borrowing TimelineChanges, _ event: RecordView, _ rows: inout FoldRows) throws {
        switch event.type {
        case .messageModified: try change(.modification, event, &rows)
        case .messageRecalled: try change(.recall, event, &rows)
        case .messageSnapshotReceived:
            if event.contentType != 0 { try confirm(.modification, event, &rows) }
            if event[MessageSnapshotReceived.Fields.isRecalled] { try confirm(.recall, event, &rows) }
        case .messageSendFailed: try setStatus(.failed, event, &rows)
        case .messageSendRetried: try setStatus(.sending, event, &rows)
        default: break
        }
        for change in changes.list where change.after == nil {
            if let local = change.before?.local { try leave(local, in: change.conversation, &rows) }
        }
    }

    private func change(_ kind: PendingChange.Kind, _ event: RecordView, _ rows: inout FoldRows) throws {
        guard let message = try rows.snapshot.changedMessage(of: event) else { return }
        if event.origin == .local {
            let isDeleted = try rows.snapshot.messageState(of: message)?.flags.contains(.isDeleted) ?? false
            guard !isDeleted else { return }
            let key = PendingChangeKey(event.conversationNumber, message, event.position)
            rows.put(.pendingChanges, key.bytes.span.bytes, PendingChangeRow(kind).bytes.span.bytes)
        } else {
            try confirm(kind, event, &rows)
        }
    }

    /// The server told of a change of the kind.
    private func confirm(_ kind: PendingChange.Kind, _ event: RecordView, _ rows: inout FoldRows) throws {
        guard let message = try rows.snapshot.changedMessage(of: event) else { return }
        let waiting = try rows.snapshot.pendingChangeRows(of: message, in: event.conversationNumber)
        let confirmed = kind == .recall ? waiting[...] : waiting.filter { $0.row.kind == kind }.prefix(1)
        for change in confirmed { rows.remove(.pendingChanges, change.key.bytes.span.bytes) }
    }

    /// Sending a change failed or begins again; the event names the change by its position.
    private func setStatus(_ status: MessageStatus, _ event: RecordView, _ rows: inout FoldRows) throws {
        let position = Position(event[MessageSendFailed.Fields.message].rawValue)
        guard let message = try rows.snapshot.changedMessage(at: position, in: event.conversationNumber) else { return }
        let key = PendingChangeKey(event.conversationNumber, message, position).bytes
        guard var row = try rows.snapshot.pendingChangeRow(key), row.status != status else { return }
        row.status = status
        row.failureCode = status == .failed ? event[MessageSendFailed.Fields.code] : 0
        rows.put(.pendingChanges, key.span.bytes, row.bytes.span.bytes)
    }

    /// A message left its place: deleted, its changes end; an echo whose message was acknowledged, they are that one's.
    private func leave(_ local: LocalMessageID, in conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        let waiting = try rows.snapshot.pendingChangeRows(of: local, in: conversation)
        guard !waiting.isEmpty else { return }
        let shown = try rows.snapshot.shownMessage(local, in: conversation)
        let isDeleted = try rows.snapshot.messageState(of: shown)?.flags.contains(.isDeleted) ?? false
        guard isDeleted || shown != local else { return }
        for change in waiting {
            rows.remove(.pendingChanges, change.key.bytes.span.bytes)
            guard !isDeleted else { continue }
            let key = PendingChangeKey(conversation, shown, change.key.position)
            rows.put(.pendingChanges, key.bytes.span.bytes, change.row.bytes.span.bytes)
        }
    }
}

extension ViewSnapshot {
    fileprivate borrowing func pendingChangeRow(_ key: [UInt8]) throws -> PendingChangeRow? {
        try decoded(.pendingChanges, key.span.bytes)
    }

    /// The changes that wait for a message's sake, oldest first.
    fileprivate borrowing func pendingChangeRows(
        of message: LocalMessageID, in conversation: ConversationNumber
    ) throws -> [(key: PendingChangeKey, row: PendingChangeRow)] {
        var changes: [(PendingChangeKey, PendingChangeRow)] = []
        var cursor = try rows(.pendingChanges, from: RowKey.pendingChange(of: message, in: conversation).span.bytes)
        while try cursor.next() {
            guard let key = PendingChangeKey(cursor.key), let row = PendingChangeRow(cursor.value) else {
                throw StoreError.unreadableRow(of: .pendingChanges, at: cursor.key)
            }
            guard key.conversation == conversation, key.message == message else { break }
            changes.append((key, row))
        }
        return changes
    }

    /// The message that the modification or recall at `position` is about, as it is shown now.
    fileprivate borrowing func changedMessage(
        at position: Position, in conversation: ConversationNumber
    ) throws -> LocalMessageID? {
        guard position <= self.position, let change = try log.record(at: position),
            change.conversationNumber == conversation,
            change.type == .messageModified || change.type == .messageRecalled
        else { return nil }
        return try changedMessage(of: change)
    }

    fileprivate borrowing func changedMessage(of change: RecordView) throws -> LocalMessageID? {
        var message: LocalMessageID?
        try change.forEachReference { reference in
            switch reference {
            case .local(let local): message = local
            case .server(let id): message = try local(of: id, in: change.conversationNumber)
            }
        }
        guard let message, message.rawValue <= position.rawValue,
            try isOutgoing(message, in: change.conversationNumber) != nil
        else { return nil }
        return try shownMessage(message, in: change.conversationNumber)
    }
}
