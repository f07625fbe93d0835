@_spi(Storage) internal import MessageStoreLog

/// The projection of changes made on this device that the host has yet to report to the server: modifications and
/// recalls of origin `local`, and events of all types that await the server.
///
/// A change waits until `PendingChangeUpdated` ends it, or its message is deleted. A recall of another origin ends all
/// modifications and recalls of its message. A modification of another origin confirms the oldest that waits of those
/// that do not await the server by their own mark: what a host confirms itself must not be taken for confirmed twice.
struct PendingChanges: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .pendingChanges, version: 2, events: .all, reads: [.messages], tables: [changes])
    static var changes: Table<PendingChangeKey, PendingChangeRow> { Table("pendingChanges", 27) }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        switch event.type {
        case .messageModified, .messageRecalled:
            if event.origin == .local { try wait(event, &rows) } else { try confirm(event.type, event, &rows) }
        case .messageSnapshotReceived:
            if event.contentType != 0 {
                try confirm(.messageModified, event, upTo: event[MessageSnapshotReceived.Fields.modifiedTime], &rows)
            }
            if event[MessageSnapshotReceived.Fields.isRecalled] { try confirm(.messageRecalled, event, &rows) }
        case .pendingChangeUpdated: try update(event, &rows)
        case .messageSent:
            try follow(event.conversationNumber, &rows)
            if event.flags.contains(.awaitsServer) { try wait(event, &rows) }
        default: if event.flags.contains(.awaitsServer) { try wait(event, &rows) }
        }
        try leave(changes.timeline, &rows)
    }

    private func wait(_ event: RecordView, _ rows: inout FoldRows) throws {
        let message = try event.type.has(.changesOneMessage) ? rows.snapshot.changedMessage(of: event) : nil
        // A change of a message that is not known, or that no server ever knows, waits only where the host says so.
        guard
            try event.flags.contains(.awaitsServer) || message.map({ try !rows.snapshot.isLine($0) }) ?? false
        else { return }
        if let message, try rows.snapshot.messageState(of: message)?.flags.contains(.isDeleted) == true { return }
        let key = PendingChangeKey(
            conversation: event.conversationNumber, message: message ?? LocalMessageID(0), position: event.position)
        rows.put(Self.changes, key, PendingChangeRow(event))
    }

    /// The server reported a change of the type.
    ///
    /// - Parameter time: Nil if the event is the change itself; else the server's report does not include later
    ///   changes.
    private func confirm(
        _ type: EventType, _ event: RecordView, upTo time: Timestamp? = nil, _ rows: inout FoldRows
    ) throws {
        guard let message = try rows.snapshot.changedMessage(of: event) else { return }
        for change in try rows.snapshot.pendingChangeRows(of: message, in: event.conversationNumber) {
            guard type != .messageRecalled else {
                if change.row.isOfContent { rows.remove(Self.changes, change.key) }
                continue
            }
            guard change.row.type == type.rawValue, !change.row.flags.contains(.awaitsServer) else { continue }
            if let time, try rows.snapshot.isLater(change.key.position, than: time) { return }
            return rows.remove(Self.changes, change.key)
        }
    }

    private func update(_ event: RecordView, _ rows: inout FoldRows) throws {
        let position = event[PendingChangeUpdated.change]
        guard let (key, waiting) = try rows.snapshot.pendingChangeRow(at: position) else { return }
        let status = event[PendingChangeUpdated.status]
        switch status {
        case .confirmed, .withdrawn: rows.remove(Self.changes, key)
        case .waiting, .failed:
            var row = waiting
            row.status = status
            row.failureCode = status == .failed ? event[PendingChangeUpdated.code] : 0
            rows.put(Self.changes, key, row)
        default: break
        }
    }

    /// Messages left their places: of one that is deleted the changes end; those of an echo whose message was
    /// acknowledged are that one's.
    private func leave(_ changes: borrowing TimelineChanges, _ rows: inout FoldRows) throws {
        for change in changes.list where change.after == nil {
            if let local = change.before?.local { try leave(local, in: change.conversation, &rows) }
        }
    }

    /// A message was acknowledged: changes of its echo are its own, also where the echo was hidden and had no place to
    /// leave.
    private func follow(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        for message in try rows.snapshot.messagesWithPendingChanges(in: conversation) {
            try leave(message, in: conversation, &rows)
        }
    }

    private func leave(_ local: LocalMessageID, in conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        let waiting = try rows.snapshot.pendingChangeRows(of: local, in: conversation)
        guard !waiting.isEmpty else { return }
        let shown = try rows.snapshot.shownMessage(local, in: conversation)
        let isDeleted = try rows.snapshot.messageState(of: shown)?.flags.contains(.isDeleted) ?? false
        guard isDeleted || shown != local else { return }
        for change in waiting {
            rows.remove(Self.changes, change.key)
            guard !isDeleted else { continue }
            var key = change.key
            key.message = shown
            rows.put(Self.changes, key, change.row)
        }
    }
}

extension PendingChangeRow {
    /// Whether it changes what the message says, which nobody sees any more once that is recalled.
    fileprivate var isOfContent: Bool {
        type == EventType.messageModified.rawValue || type == EventType.messageRecalled.rawValue
    }
}

extension RecordView {
    /// Whether the event is one that waits for the server, unless that ended.
    var mayAwaitServer: Bool {
        flags.contains(.awaitsServer) || origin == .local && (type == .messageModified || type == .messageRecalled)
    }
}

extension ViewSnapshot {
    /// The row of a change that waits, by its position.
    fileprivate borrowing func pendingChangeRow(
        at position: Position
    ) throws -> (key: PendingChangeKey, row: PendingChangeRow)? {
        guard position > .origin, position <= self.position, let change = try log.record(at: position) else {
            return nil
        }
        let named = try change.type.has(.changesOneMessage) ? namedMessage(of: change) : nil
        let shown = try named.map { try shownMessage($0, in: change.conversationNumber) }
        // A message that was hidden had no row to leave, and one that was not known then had no number.
        for message in [shown, named, LocalMessageID(0)].compactMap({ $0 }) {
            let key = PendingChangeKey(conversation: change.conversationNumber, message: message, position: position)
            if let row = try row(PendingChanges.changes, key) { return (key, row) }
        }
        return nil
    }

    /// The changes that wait for a message's sake, oldest first.
    fileprivate borrowing func pendingChangeRows(
        of message: LocalMessageID, in conversation: ConversationNumber
    ) throws -> [(key: PendingChangeKey, row: PendingChangeRow)] {
        var changes: [(PendingChangeKey, PendingChangeRow)] = []
        var cursor = try rows(
            PendingChanges.changes, from: PendingChangeKey(conversation: conversation, message: message))
        while try cursor.next() {
            let key = try cursor.key(of: PendingChanges.changes)
            guard key.conversation == conversation, key.message == message else { break }
            changes.append((key, try cursor.row(of: PendingChanges.changes)))
        }
        return changes
    }

    /// The messages of a conversation for whose sake changes wait.
    fileprivate borrowing func messagesWithPendingChanges(
        in conversation: ConversationNumber
    ) throws -> Set<LocalMessageID> {
        var messages: Set<LocalMessageID> = []
        var cursor = try rows(PendingChanges.changes, from: PendingChangeKey(conversation: conversation))
        while try cursor.next() {
            let key = try cursor.key(of: PendingChanges.changes)
            guard key.conversation == conversation else { break }
            if let message = key.changedMessage { messages.insert(message) }
        }
        return messages
    }

    /// Whether a message is a line of this device.
    @inline(never)
    fileprivate borrowing func isLine(_ message: LocalMessageID) throws -> Bool {
        try log.record(at: Position(message.rawValue))?.type == .messageInsertedLocally
    }

    /// Whether a change was made after a time.
    @inline(never)
    fileprivate borrowing func isLater(_ change: Position, than time: Timestamp) throws -> Bool {
        try log.record(at: change)?.serverTime.map { $0 > time } ?? false
    }

    /// The message that a change is of, as it is shown now.
    fileprivate borrowing func changedMessage(of change: RecordView) throws -> LocalMessageID? {
        try namedMessage(of: change).map { try shownMessage($0, in: change.conversationNumber) }
    }

    private borrowing func namedMessage(of change: RecordView) throws -> LocalMessageID? {
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
        return message
    }
}
