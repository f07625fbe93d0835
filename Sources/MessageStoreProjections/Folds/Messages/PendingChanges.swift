@_spi(Storage) public import MessageStoreLog

/// The projection of changes made on this device that the host has yet to report to the server: modifications and
/// recalls of origin `local`, and events of all types that await the server.
///
/// A change waits until `PendingChangeUpdated` ends it, or its message is deleted. A recall of another origin ends all
/// modifications and recalls of its message. A modification of another origin confirms the oldest waiting one among the
/// changes that do not await the server by their own mark: a change that a host confirms itself must not be taken for
/// confirmed twice.
struct PendingChanges: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .pendingChanges, version: 3, events: .all, reads: [.messages], traits: .unchangedByPlainMessages,
        tables: changes)
    static var changes: Table<PendingChangeKey, PendingChangeRow> { Table("pendingChanges", 27, .changedByAccount) }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try leave(changes.timeline, &rows)
        switch event.type {
        case .messageModified, .messageRecalled:
            if event.origin == .local { try wait(event, &rows) } else { try confirm(event.type, event, &rows) }
        case .messageSnapshotReceived:
            if event.contentType != 0 {
                try confirm(.messageModified, event, upTo: event[MessageSnapshotReceived.Fields.modifiedTime], &rows)
            }
            if event[MessageSnapshotReceived.Fields.isRecalled] { try confirm(.messageRecalled, event, &rows) }
        case .pendingChangeUpdated: try update(event, &rows)
        default: if event.flags.contains(.awaitsServer) { try wait(event, &rows) }
        }
    }

    private func wait(_ event: RecordView, _ rows: inout FoldRows) throws {
        let message = try rows.snapshot.changedMessage(of: event)
        // A change of a message that is not known, or that no server ever knows, waits only where the host says so.
        guard
            try event.flags.contains(.awaitsServer) || message.map({ try !rows.snapshot.isLine($0) }) ?? false
        else { return }
        if let message, try rows.snapshot.isDeleted(message) { return }
        let key = PendingChangeKey(conversation: event.conversationNumber, position: event.position)
        rows.put(Self.changes, key, PendingChangeRow(event))
    }

    /// The server reported a change of the type.
    ///
    /// - Parameter time: Nil if the event is the change itself; else the server's report does not include later
    ///   changes.
    private func confirm(
        _ type: EventType, _ event: RecordView, upTo time: Timestamp? = nil, _ rows: inout FoldRows
    ) throws {
        guard let message = try rows.snapshot.namedMessage(of: event) else { return }
        let waiting = try rows.snapshot.pendingChanges(of: message, in: event.conversationNumber) { row in
            type == .messageRecalled
                ? row.isOfContent : row.type == type.rawValue && !row.flags.contains(.awaitsServer)
        }
        guard type != .messageRecalled else { return waiting.forEach { rows.remove(Self.changes, $0) } }
        guard let oldest = waiting.first else { return }
        if let time, try rows.snapshot.isLater(oldest.position, than: time) { return }
        rows.remove(Self.changes, oldest)
    }

    private func update(_ event: RecordView, _ rows: inout FoldRows) throws {
        guard let key = try rows.snapshot.pendingChangeKey(at: event[PendingChangeUpdated.change]),
            var row = try rows.snapshot.row(Self.changes, key)
        else { return }
        let status = event[PendingChangeUpdated.status]
        switch status {
        case .confirmed, .withdrawn: rows.remove(Self.changes, key)
        case .waiting, .failed:
            row.status = status
            row.failureCode = status == .failed ? event[PendingChangeUpdated.code] : 0
            rows.put(Self.changes, key, row)
        default: break
        }
    }

    /// The changes of a message end when it is deleted.
    private func leave(_ changes: borrowing TimelineChanges, _ rows: inout FoldRows) throws {
        for change in changes.list where change.after == nil {
            guard let message = change.before?.local, try rows.snapshot.isDeleted(message) else { continue }
            for key in try rows.snapshot.pendingChanges(of: message, in: change.conversation, where: { _ in true }) {
                rows.remove(Self.changes, key)
            }
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
    /// The key of the row that a change has while it waits; nil if there is no event at the position.
    fileprivate borrowing func pendingChangeKey(at position: Position) throws -> PendingChangeKey? {
        guard position > .origin, position <= self.position, let change = try log.record(at: position) else {
            return nil
        }
        return PendingChangeKey(conversation: change.conversationNumber, position: position)
    }

    /// The changes that wait for a message's sake, oldest first.
    fileprivate borrowing func pendingChanges(
        of message: LocalMessageID, in conversation: ConversationNumber, where isWanted: (PendingChangeRow) -> Bool
    ) throws -> [PendingChangeKey] {
        var changes: [PendingChangeKey] = []
        try forEachRow(PendingChanges.changes, under: conversation) { key, row in
            guard isWanted(row) else { return true }
            let change = try record(at: key.position, namedBy: PendingChanges.changes.viewTable)
            if try changedMessage(of: change) == message { changes.append(key) }
            return true
        }
        return changes
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

    /// The message that a change is of, as it is shown now; nil if it may be of several, or of one that is not known.
    borrowing func changedMessage(of change: RecordView) throws -> LocalMessageID? {
        try change.type.has(.changesOneMessage) ? namedMessage(of: change) : nil
    }

    fileprivate borrowing func namedMessage(of change: RecordView) throws -> LocalMessageID? {
        var message: LocalMessageID?
        try change.forEachReference { message = try local(of: MessageName($0), in: change.conversationNumber) }
        return try message.map { try shownMessage($0, in: change.conversationNumber) }
    }
}

/// A row of `pendingChanges`.
struct PendingChangeRow: ViewRow {
    struct Flags: RowFlags {
        let rawValue: UInt8
        static let bitNames = ["awaitsServer"]
        /// The event has the mark that it awaits the server, so that a record of the host ends it.
        static let awaitsServer = Flags(rawValue: 1)
    }

    /// The type of the event that waits.
    var type: UInt16 = 0
    var flags: Flags = []
    var status = PendingChangeStatus.waiting
    var failureCode: Int32 = 0

    init() {}

    init(_ event: RecordView) {
        type = event.type.rawValue
        if event.flags.contains(.awaitsServer) { flags = .awaitsServer }
    }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("type", &type)
        parts.part("flags", &flags)
        parts.part("status", &status)
        parts.part("failureCode", &failureCode)
    }
}

/// The key of a row of `pendingChanges`. The event's record says which message it changes.
struct PendingChangeKey: ViewKey {
    var conversation = ConversationNumber.none
    var position = Position.origin

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &conversation, .conversation)
        parts.part("position", &position)
    }
}

/// A change made on this device that the host has yet to report to the server: an edit, a recall, a reaction or a pin,
/// say.
///
/// It follows the outbox: a host sends the messages of `outbox()` first, and a change once it ``isReady``. The host
/// records the outcome as a `PendingChangeUpdated` that names ``id``.
public struct PendingChange: Sendable, Hashable, Identifiable {
    /// The position of the event.
    public let id: Position
    /// The change, and its conversation; an `UnknownEvent` where its type cannot read it any more.
    public let event: Event
    /// The message that is changed; nil if the event may be about several, or is about one that the store does not
    /// know.
    public let message: LocalMessageID?
    /// `waiting` or `failed`.
    public let status: PendingChangeStatus
    /// The transport's error while the status is `failed`.
    public let failureCode: Int32?
    /// Whether the server knows the message, so that the change can be sent; true if there is no ``message``.
    public let isReady: Bool
    /// Whether its content was removed permanently, so that it can only be withdrawn.
    public let isRedacted: Bool

    /// Creates a change, for previews and tests.
    public init(
        id: Position, event: Event, message: LocalMessageID? = nil, status: PendingChangeStatus = .waiting,
        failureCode: Int32? = nil, isReady: Bool = true, isRedacted: Bool = false
    ) {
        self.id = id
        self.event = event
        self.message = message
        self.status = status
        self.failureCode = failureCode
        self.isReady = isReady
        self.isRedacted = isRedacted
    }
}

extension Views {
    /// The changes made on this device that the host has yet to report to the server, in the order of the log.
    ///
    /// Modifications and recalls of origin `local` of messages that the store knows are among them, and every event
    /// that was recorded with `awaitsServer`. A change waits until a `PendingChangeUpdated` confirms or withdraws it,
    /// or its message is deleted; clearing a history or deleting a conversation ends none. A recall of another origin
    /// ends all modifications and recalls of its message; a modification of another origin confirms the oldest one that
    /// was recorded without `awaitsServer`. Later changes do not replace earlier ones: a host that reports only the
    /// last of several reads or drafts to the server confirms the others with it. Costs a row and a record of the log
    /// for each change.
    ///
    /// - Throws: `StoreError`.
    public borrowing func pendingChanges() throws -> [PendingChange] {
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.scope.isLentToProjection)
        var changes: [PendingChange] = []
        for (key, row) in try snapshot.allRows(PendingChanges.changes) {
            let record = try snapshot.record(at: key.position, namedBy: PendingChanges.changes.viewTable)
            let message = try snapshot.changedMessage(of: record)
            // A message that was hidden when it was deleted had no row to leave.
            if let message, try snapshot.isDeleted(message) { continue }
            let name = try message.flatMap { try snapshot.name(of: $0, in: key.conversation) }
            changes.append(
                PendingChange(
                    id: key.position, event: try Self.event(from: record, decoder), message: message,
                    status: row.status,
                    failureCode: row.status == .failed ? row.failureCode : nil,
                    isReady: name.map { !$0.serverID.isEmpty } ?? true,
                    isRedacted: record.flags.contains(.isRedacted)))
        }
        return changes.ordered { $0.id < $1.id }
    }

    /// One event that its host's type cannot read does not hide the others.
    private static func event(from record: RecordView, _ decoder: RecordDecoder) throws -> Event {
        do {
            return try decoder.event(from: record)
        } catch let error as StoreError where error.code != .invalidArgument {
            throw error
        } catch {
            return try decoder.storedEvent(from: record)
        }
    }
}

extension ProjectionID {
    /// Changes made on this device that no server has confirmed: modifications, recalls and all other events that await it.
    public static let pendingChanges: ProjectionID = "PendingChanges"
}
