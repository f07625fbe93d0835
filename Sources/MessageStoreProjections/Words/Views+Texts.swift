@_spi(Storage) package import MessageStoreLog

/// The texts of messages, as a search reads them.
extension Views {
    /// Calls `body` with every content that events between two positions gave a message, whether it is shown now or not.
    ///
    /// - Parameters:
    ///   - body: Called with the message's record, and the record that holds the content: its own, or the record of a
    ///     modification, a snapshot or a filter's verdict. One that was recorded before its message comes with it.
    /// - Throws: ``StoreError``, or what `body` throws.
    package borrowing func forEachContent(
        from first: Position, to last: Position,
        _ body: (_ message: RecordView, _ holder: RecordView) throws -> Void
    ) throws {
        try snapshot.log.scan(from: first, to: last) { record in
            if record.type.isMessage {
                try body(record, record)
                try forEachOtherContent(of: record) { holder in
                    if holder.position < record.position { try body(record, holder) }
                }
            } else {
                try forEachSubject(of: record) { message throws in
                    if record.type.has(.holdsWords) { try body(message, record) }
                    // It may have taken over what was recorded about another message.
                    if record.type.joinsMessages { try forEachOtherContent(of: message) { try body(message, $0) } }
                }
            }
            return .proceed
        }
    }

    /// Calls `body` with the contents that a message has, and may show.
    ///
    /// - Throws: ``StoreError``, or what `body` throws.
    package borrowing func forEachContent(
        of local: LocalMessageID, _ body: (_ message: RecordView, _ holder: RecordView) throws -> Void
    ) throws {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)), record.type.isMessage else { return }
        try body(record, record)
        try forEachOtherContent(of: record) { try body(record, $0) }
    }

    private borrowing func forEachOtherContent(
        of message: RecordView, _ body: (_ holder: RecordView) throws -> Void
    ) throws {
        guard let state = try snapshot.row(Messages.states, LocalMessageID(message.position.rawValue)) else { return }
        for position in Set([state.contentPosition, state.verdictPosition]) where position != 0 {
            try body(snapshot.record(at: Position(position), namedBy: Messages.states.viewTable))
        }
    }

    /// Calls `body` with each message whose content an event may change: messages that it names, the message that one
    /// of them repeats, and the own message that took the place of its echo.
    private borrowing func forEachSubject(of event: RecordView, _ body: (_ message: RecordView) throws -> Void) throws {
        guard event.type.has(.holdsWords) && event.type != .attachmentStateChanged || event.type.joinsMessages else {
            return
        }
        var subjects: Set<LocalMessageID> = []
        func insert(_ local: LocalMessageID?) throws {
            guard let local, subjects.insert(local).inserted else { return }
            if let original = try snapshot.original(of: local) { subjects.insert(original) }
            guard let id = try serverID(ofMessageAt: Position(local.rawValue)) else { return }
            if let shown = try snapshot.local(of: id.span.bytes, in: event.conversationNumber) {
                subjects.insert(shown)
            }
        }
        try insert(event.renamedMessage)
        try event.forEachReference { reference throws in try insert(local(named: reference, by: event)) }
        for local in subjects {
            guard let message = try snapshot.log.record(at: Position(local.rawValue)), message.type.isMessage else {
                continue
            }
            try body(message)
        }
    }

    /// The messages whose contents are in events: their own, and others that change them.
    package borrowing func messages(withContentsAt positions: [Position]) throws -> [LocalMessageID] {
        var messages: Set<LocalMessageID> = []
        for position in positions {
            guard let record = try snapshot.log.record(at: position) else { continue }
            if record.type.isMessage { messages.insert(LocalMessageID(position.rawValue)) }
            try forEachSubject(of: record) { messages.insert(LocalMessageID($0.position.rawValue)) }
        }
        return messages.ordered { $0.rawValue < $1.rawValue }
    }

    /// Calls `body` with each message that has a content in events between two positions; with some several times.
    package borrowing func forEachMessageWithContent(
        from first: Position, to last: Position, _ body: (LocalMessageID) throws -> Void
    ) throws {
        try snapshot.log.scan(from: first, to: last) { record in
            if record.type.isMessage {
                try body(LocalMessageID(record.position.rawValue))
            } else {
                try forEachSubject(of: record) { try body(LocalMessageID($0.position.rawValue)) }
            }
            return .proceed
        }
    }

    /// Calls `body` with the records of events between two positions that have more than so many bytes and may have a content
    /// of a message.
    package borrowing func forEachContent(
        from first: Position, to last: Position, over count: Int, _ body: (_ holder: RecordView) throws -> Void
    ) throws {
        try snapshot.log.scan(from: first, to: last) { record in
            if record.bytes.byteCount > count, record.type.isMessage || record.type.has(.holdsWords) {
                try body(record)
            }
            return .proceed
        }
    }

    /// Calls `body` with each event of some types between two positions.
    package borrowing func forEachEvent(
        of types: Set<EventType>, from first: Position, to last: Position,
        _ body: (RecordView, RecordDecoder) throws -> Void
    ) throws {
        let decoder = RecordDecoder(symbols: snapshot.symbols)
        try snapshot.log.scan(from: first, to: last, where: { types.contains($0.type) }) { record in
            // Records that are not committed yet are not asked for.
            if types.contains(record.type) { try body(record, decoder) }
            return .proceed
        }
    }

    /// Calls `body` with the content that a message shows, or would show if it were shown.
    ///
    /// - Returns: The result of `body`; nil if the message is not shown, was recalled, or has lost its content.
    package borrowing func shownContent<Result>(
        of local: LocalMessageID, _ body: (_ content: ShownContent) throws -> Result?
    ) throws -> Result? {
        guard local.rawValue <= position.rawValue, let record = try snapshot.log.record(at: Position(local.rawValue)),
            record.type.isMessage
        else { return nil }
        let state = try snapshot.row(Messages.states, local) ?? MessageState()
        guard !state.flags.contains(.isRecalled) else { return nil }
        let other = state.verdict == .replace ? state.verdictPosition : state.contentPosition
        let (time, mentions) = (
            serverTime(of: record, state) ?? record.now, Messages.mentionsAccount(record, state)
        )
        let holder = other == 0 ? nil : Position(other)
        let found = try content(of: record, heldAt: holder, time: time, mentions: mentions, body)
        // Most candidates are turned away by their content, which costs less than to find out whether they are shown.
        guard let found, try absence(of: record, state) == nil else { return nil }
        return found
    }

    private borrowing func content<Result>(
        of message: RecordView, heldAt holder: Position?, time: Timestamp, mentions: Bool,
        _ body: (_ content: ShownContent) throws -> Result?
    ) throws -> Result? {
        guard let holder else {
            return try body(ShownContent(message: message, holder: message, time: time, mentionsAccount: mentions))
        }
        let held = try snapshot.record(at: holder, namedBy: Messages.states.viewTable)
        return try body(ShownContent(message: message, holder: held, time: time, mentionsAccount: mentions))
    }
}

/// The content that a message shows.
package struct ShownContent: ~Escapable {
    package let message: RecordView
    /// The record that has the content: the message's own, its last modification, or a filter's verdict.
    package let holder: RecordView
    /// The server's time, or the queueing's while the server's is not known.
    package let time: Timestamp
    /// Whether it mentions this account, by name or as one of all.
    package let mentionsAccount: Bool

    @_lifetime(copy message, copy holder)
    init(message: RecordView, holder: RecordView, time: Timestamp, mentionsAccount: Bool) {
        self.message = message
        self.holder = holder
        self.time = time
        self.mentionsAccount = mentionsAccount
    }
}

extension RecordView {
    /// The bytes of the text of a message's content; nil if there is none.
    package var messageText: RawSpan? {
        @_lifetime(copy self)
        get { FieldReader(content).first(MessageContent.Fields.text.number)?.bytes }
    }

    /// The host's data of a message's content; nil if there are none.
    package var messageData: RawSpan? {
        @_lifetime(copy self)
        get { FieldReader(content).first(MessageContent.Fields.data.number)?.bytes }
    }
}

extension EventType {
    /// Whether the events let a message take over what was recorded about another one.
    fileprivate var joinsMessages: Bool { self == .messageSent || self == .messageDuplicateSuppressed }
}

extension Views {
    /// Whether a message that was queued in a conversation with this token has no id of the server yet, so that a copy
    /// with the token may be its echo. Costs a few point reads.
    package borrowing func awaitsEcho(
        _ token: ClientToken, of sender: UserID, in conversation: ConversationKey
    ) throws -> Bool {
        guard let number = try snapshot.symbols.number(of: conversation),
            let user = try snapshot.symbols.number(of: sender)
        else { return false }
        let bytes = Array(token.rawValue.utf8)
        let identity = Identity(.clientToken, scope: user.rawValue, bytes: bytes.span.bytes)
        guard let position = try snapshot.position(of: identity) else { return false }
        return try snapshot.isUnacknowledged(LocalMessageID(position.rawValue), in: number)
    }
}
