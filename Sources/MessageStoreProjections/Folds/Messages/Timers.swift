@_spi(Storage) public import MessageStoreLog

/// The projection of timers: which messages disappear, and when.
///
/// All times are events' times, so it reads no clock. The store sees that a time has come, and records the deletion.
struct Timers: HandlingProjection, ~Copyable {
    static let declaration = ProjectionDeclaration(
        .timers, version: 2, events: handlers.types, reads: [.messages, .timeline, .settings, .unreadCounters],
        tables: timers)
    static var timers: Table<TimerKey, TimerRow> { Table("timers", 38, .rare) }

    static let handlers = EventHandlers<Self>(
        following: [
            .chatRoomLeft, .conversationRead, .unreadCountReported, .conversationSummaryReceived, .historyPageLoaded,
        ]
    )
    .on(.messageReceived, .messageSendQueued) { fold, event, rows, changes in
        try fold.arrive(event, changes.reading?.marker, &rows)
    }
    .on(ConversationTimerChanged.self) { fold, event, rows, changes in
        for case .timer(let timer) in changes.choices {
            let time = event[ConversationTimerChanged.time].map { event.record.timeOfChoice($0) }
            fold.choose(TimerRow(timer, time: time ?? event.record.timeOfStart), event.record.conversationNumber, &rows)
        }
    }
    .on(.messageSent) { fold, event, rows, changes in
        try fold.rename(by: event, changes.timeline, changes.reading?.marker, &rows)
        try fold.send(event[MessageSent.Fields.message], event, &rows)
    }
    .on(.messageDuplicateSuppressed) { fold, event, rows, changes in
        try fold.rename(by: event, changes.timeline, changes.reading?.marker, &rows)
    }
    .on(.messageStatusOverridden) { fold, event, rows, _ in
        guard event[MessageStatusOverridden.status] >= .sent else { return }
        try event.forEachReference { if case .local(let local) = $0 { try fold.send(local, event, &rows) } }
    }
    .on(.messageStatusFlagsSet, .messageSnapshotReceived) { fold, event, rows, changes in
        guard let marker = changes.reading?.marker else { return }
        try event.forEachReference {
            guard let local = try rows.snapshot.local(of: MessageName($0), in: event.conversationNumber) else { return }
            try fold.read(local, marker, event, &rows)
        }
    }
    .on(.messagesDeleted) { fold, event, rows, _ in
        guard event.erases else { return }
        let conversation = event.conversationNumber
        try event.forEachReference {
            guard let named = try rows.snapshot.local(of: MessageName($0), in: conversation) else { return }
            try fold.drop(named, conversation, &rows)
            // The deletion of an echo or a repeat is its message's, too.
            try fold.drop(rows.snapshot.shownMessage(named, in: conversation), conversation, &rows)
            if let original = try rows.snapshot.original(of: named) { try fold.drop(original, conversation, &rows) }
        }
    }
    .on(.historyCleared, .conversationDeleted) { fold, event, rows, _ in
        if event.erases { try fold.dropCleared(event.conversationNumber, &rows) }
    }

    /// The timers of conversations that messages arrived in since the last finish.
    private var conversations = ConversationCache<TimerRow>()

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        // Nothing in nearly every store.
        guard event.setsTimer || rows.snapshot.hasTimers else { return }
        try Self.handlers[event.type]?(&self, event, &rows, &changes)
        guard let reading = changes.reading, reading.isMoved else { return }
        let waiting = TimerScope(kind: .waiting, conversation: event.conversationNumber)
        for (key, _) in try rows.snapshot.allRows(Self.timers, under: waiting) {
            try read(key.local, reading.marker, event, &rows)
        }
    }

    private mutating func choose(_ row: TimerRow, _ conversation: ConversationNumber, _ rows: inout FoldRows) {
        rows.set(Self.timers, TimerKey(.conversation, conversation), row.seconds == 0 ? nil : row)
        if let slot = conversations.slot(of: conversation) { conversations[slot] = row }
    }

    /// Whether a message that arrives has a timer, its own or its conversation's.
    mutating func setsTimer(_ message: RecordView, _ rows: borrowing FoldRows) throws -> Bool {
        try timer(of: message, rows).map { $0.seconds > 0 } ?? false
    }

    private mutating func timer(of message: RecordView, _ rows: borrowing FoldRows) throws -> MessageTimer? {
        if message.flags.contains(.hasTimer) { return message.timer }
        let conversation = message.conversationNumber
        let slot: Int
        if let known = conversations.slot(of: conversation) {
            slot = known
        } else {
            let row = try rows.snapshot.row(Self.timers, TimerKey(.conversation, conversation)) ?? TimerRow()
            slot = conversations.insert(row, of: conversation)
        }
        let row = conversations[slot]
        // Messages sent before the timer was chosen stay.
        guard message.origin != .history || message.timeOfSending >= row.time else { return nil }
        return row.timer
    }

    private mutating func arrive(_ message: RecordView, _ marker: ReadMarker?, _ rows: inout FoldRows) throws {
        if let row = try row(of: message, marker, rows) {
            start(row, LocalMessageID(message.position.rawValue), message.conversationNumber, &rows)
        }
    }

    /// The timer of a message, and when it runs from; 0 if it waits.
    private mutating func row(
        of message: RecordView, _ marker: ReadMarker?, _ rows: borrowing FoldRows
    ) throws -> TimerRow? {
        guard var timer = try timer(of: message, rows), timer.seconds > 0 else { return nil }
        if message.flags.contains(.isOutgoing) { timer.runsFromReading = false }
        guard timer.runsFromReading else {
            return TimerRow(timer, time: message.type == .messageSendQueued ? 0 : message.timeOfSending)
        }
        let state = try rows.snapshot.row(Messages.states, LocalMessageID(message.position.rawValue))
        let isRead = marker?.isRead(message, state ?? MessageState()) ?? false
        return TimerRow(timer, time: isRead ? message.timeOfStart : 0)
    }

    /// The same of a message that was recorded before. Not inlined, as `isRead`.
    @inline(never)
    private mutating func row(
        of local: LocalMessageID, _ marker: ReadMarker?, _ rows: borrowing FoldRows
    ) throws -> TimerRow? {
        guard let message = try rows.snapshot.log.record(at: Position(local.rawValue)) else { return nil }
        return try row(of: message, marker, rows)
    }

    /// The server has a message of this account.
    private func send(_ local: LocalMessageID, _ event: RecordView, _ rows: inout FoldRows) throws {
        let conversation = event.conversationNumber
        guard let row = try rows.snapshot.row(Self.timers, TimerKey(.waiting, conversation, local)),
            !row.runsFromReading
        else { return }
        start(TimerRow(row.timer, time: event.timeOfSending), local, conversation, &rows)
    }

    private func read(
        _ local: LocalMessageID, _ marker: ReadMarker, _ event: RecordView, _ rows: inout FoldRows
    ) throws {
        let conversation = event.conversationNumber
        guard let row = try rows.snapshot.row(Self.timers, TimerKey(.waiting, conversation, local)),
            row.runsFromReading, try rows.snapshot.isRead(local, marker)
        else { return }
        start(TimerRow(row.timer, time: event.timeOfStart), local, conversation, &rows)
    }

    /// - Parameter row: The timer, and when it runs from; 0 if it waits.
    private func start(
        _ row: TimerRow, _ local: LocalMessageID, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) {
        let waiting = TimerKey(.waiting, conversation, local)
        guard row.time != 0 else { return rows.put(Self.timers, waiting, row) }
        let time = min(row.time &+ UInt64(row.seconds) * 1000, UInt64(Timestamp.latest.milliseconds))
        rows.remove(Self.timers, waiting)
        rows.put(Self.timers, TimerKey(.running, conversation, local), TimerRow(row.timer, time: time))
        rows.put(Self.timers, TimerKey(due: time, conversation, local), TimerRow())
    }

    /// Drops the timer of a message whose words are erased, or are another one's.
    private func drop(
        _ local: LocalMessageID, _ conversation: ConversationNumber, _ rows: inout FoldRows
    ) throws {
        rows.remove(Self.timers, TimerKey(.waiting, conversation, local))
        let running = TimerKey(.running, conversation, local)
        guard let row = try rows.snapshot.row(Self.timers, running) else { return }
        rows.remove(Self.timers, running)
        rows.remove(Self.timers, TimerKey(due: row.time, conversation, local))
    }

    private func dropCleared(_ conversation: ConversationNumber, _ rows: inout FoldRows) throws {
        for kind in [TimerKey.Kind.waiting, .running] {
            let scope = TimerScope(kind: kind, conversation: conversation)
            for (key, _) in try rows.snapshot.allRows(Self.timers, under: scope)
            where try rows.snapshot.isCleared(key.local) {
                try drop(key.local, conversation, &rows)
            }
        }
    }

    /// An echo or a repeat goes with its message; one that is shown again, as none, has a timer of its own again.
    private mutating func rename(
        by event: RecordView, _ changes: borrowing TimelineChanges, _ marker: ReadMarker?, _ rows: inout FoldRows
    ) throws {
        let conversation = event.conversationNumber
        if let named = try rows.snapshot.local(of: event.serverID, in: conversation),
            try rows.snapshot.row(Messages.states, named)?.flags.contains(.isSuppressed) == true
        {
            try drop(named, conversation, &rows)
        }
        for change in changes.list where !change.isMove {
            if change.after == nil, let echo = change.before?.local, try rows.snapshot.isDeleted(echo) {
                try drop(echo, conversation, &rows)
            } else if change.before == nil, let shown = change.after?.local {
                guard let row = try row(of: shown, marker, rows) else { continue }
                try drop(shown, conversation, &rows)
                start(row, shown, conversation, &rows)
            }
        }
    }

    var openConversations: Int { conversations.conversations.count }

    /// Forgets what is kept decoded.
    mutating func finishBatch(_ rows: inout FoldRows) { conversations.removeAll() }
}

extension RecordView {
    /// When the server got the message, in milliseconds since 1970, at most a day after the event was recorded; at
    /// least 1.
    fileprivate var timeOfSending: UInt64 {
        let time = serverTime.flatMap { $0 == .unknown ? nil : $0 } ?? correctedTime
        return max(1, UInt64(clamping: capped(time)))
    }
}

/// The key of a row of `timers`.
struct TimerKey: ViewKey {
    /// The kind of the row's value.
    enum Kind: UInt8, RowValue {
        /// The timer of a conversation, and when it was chosen.
        case conversation = 1
        /// The timer of a message that was not sent yet, or not read.
        case waiting
        /// When a message disappears.
        case running
        /// The messages by that time.
        case due
    }

    private(set) var kind = Kind.conversation
    /// Only where messages are ordered by it.
    private(set) var time: UInt64 = 0
    private(set) var conversation = ConversationNumber.none
    private(set) var local = LocalMessageID(0)

    init() {}

    init(_ kind: Kind, _ conversation: ConversationNumber, _ local: LocalMessageID = LocalMessageID(0)) {
        (self.kind, self.conversation, self.local) = (kind, conversation, local)
    }

    init(due time: UInt64, _ conversation: ConversationNumber, _ local: LocalMessageID) {
        self.init(.due, conversation, local)
        self.time = time
    }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("kind", &kind)
        if kind == .due { parts.part("time", &time, .time) }
        parts.part("conversation", &conversation, .conversation)
        if kind != .conversation { parts.part("local", &local) }
    }

    static var forms: [TimerKey] { [TimerKey(), TimerKey(.waiting, .none), TimerKey(.due, .none)] }
}

/// The beginning of the keys of one kind, of a conversation or of all.
struct TimerScope: ViewKey {
    var kind = TimerKey.Kind.due
    var conversation: ConversationNumber?

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("kind", &kind)
        if var conversation { parts.part("conversation", &conversation, .conversation) }
    }
}

/// A row of `timers`; of the messages by their time, it has no more than the key.
struct TimerRow: ViewRow {
    /// When the conversation's timer was chosen, or the message disappears, in milliseconds since 1970; 0 for none.
    var time: UInt64 = 0
    var seconds: UInt32 = 0
    var runsFromReading = false

    init() {}

    init(_ timer: MessageTimer, time: UInt64 = 0) {
        (seconds, runsFromReading, self.time) = (timer.seconds, timer.runsFromReading, time)
    }

    var timer: MessageTimer { MessageTimer(seconds: seconds, runsFromReading: runsFromReading) }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("time", &time, .time)
        parts.part("seconds", &seconds)
        parts.part("runsFromReading", &runsFromReading)
    }
}

extension Views {
    /// After how long messages of a conversation disappear that carry no timer of their own; nil if they stay.
    ///
    /// - Throws: `StoreError`.
    public borrowing func timer(of conversation: ConversationKey) throws -> MessageTimer? {
        guard let number = try snapshot.symbols.number(of: conversation) else { return nil }
        return try snapshot.row(Timers.timers, TimerKey(.conversation, number))?.timer
    }

    /// Whether anything may disappear.
    package var hasTimers: Bool { snapshot.scope.sees(Timers.timers.viewTable) && snapshot.hasTimers }

    /// The messages whose time has come, the earliest time first, and when the next one's comes.
    package borrowing func expired(
        at now: Timestamp, limit: Int
    ) throws -> (messages: [ConversationKey: [LocalMessageID]], next: Timestamp?) {
        var (expired, count): ([ConversationNumber: [LocalMessageID]], Int) = ([:], 0)
        var next: Timestamp?
        try snapshot.forEachRow(Timers.timers, under: TimerScope()) { key, _ in
            let time = Timestamp(milliseconds: Int64(clamping: key.time))
            guard time <= now, count < limit else {
                next = time
                return false
            }
            expired[key.conversation, default: []].append(key.local)
            count += 1
            return true
        }
        let messages = try expired.map { (try snapshot.symbols.conversation($0), $1) }
        return (Dictionary(uniqueKeysWithValues: messages), next)
    }
}

extension ViewSnapshot {
    /// When a message disappears; nil if it does not, or that is not known.
    borrowing func expiry(of message: RecordView) throws -> Timestamp? {
        guard hasTimers, scope.sees(Timers.timers.viewTable) else { return nil }
        let key = TimerKey(.running, message.conversationNumber, LocalMessageID(message.position.rawValue))
        return try row(Timers.timers, key).map { Timestamp(milliseconds: Int64(clamping: $0.time)) }
    }

    /// Whether this account has read a message. Not inlined: the compiler's optimiser fails on a record that is held
    /// in a fold.
    @inline(never)
    borrowing func isRead(_ local: LocalMessageID, _ marker: ReadMarker) throws -> Bool {
        guard let record = try log.record(at: Position(local.rawValue)) else { return false }
        return marker.isRead(record, try row(Messages.states, local) ?? MessageState())
    }
}

extension ProjectionID {
    /// When messages disappear.
    public static let timers: ProjectionID = "Timers"
}

extension ViewSnapshot {
    /// Whether anything has a timer, or had one: mostly nothing.
    @inline(__always) var hasTimers: Bool { hasRows(Timers.timers) }
}
