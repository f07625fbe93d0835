internal import MessageStoreLMDB
@_spi(Storage) public import MessageStoreLog

extension Views {
    /// The message that `reference` names, or nil.
    ///
    /// Messages that are not shown are not found: messages deleted or cleared with the history, repeats of another,
    /// messages of a chat room that was left, until they are delivered again, and messages that a filter's verdict or a
    /// visibility list hides. Costs a few point reads, independent of the store's size.
    ///
    /// - Throws: `StoreError`.
    public borrowing func message(_ reference: MessageReference, in conversation: ConversationKey) throws -> Message? {
        guard let number = try snapshot.symbols.number(of: conversation),
            let local = try snapshot.local(of: reference, in: number),
            let message = try message(local), try message.conversation == snapshot.symbols.conversation(number)
        else { return nil }
        return message
    }

    /// The message with this local id, in any conversation, or nil; messages that are not shown are not found, as by
    /// ``message(_:in:)``.
    ///
    /// - Throws: `StoreError`.
    public borrowing func message(_ local: LocalMessageID) throws -> Message? {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)), record.position <= position,
            record.type.isMessage
        else { return nil }
        let state = try snapshot.row(Messages.states, local) ?? MessageState()
        guard try absence(of: record, state) == nil else { return nil }
        return try message(record, state, snapshot.knownMarker(of: record.conversationNumber))
    }

    /// The message of this account to which its device gave `token`, or nil; messages that are not shown are not found,
    /// as by ``message(_:in:)``.
    ///
    /// - Throws: `StoreError`.
    public borrowing func message(token: ClientToken, of sender: UserID) throws -> Message? {
        guard let number = try snapshot.symbols.number(of: sender) else { return nil }
        let bytes = Array(token.rawValue.utf8)
        guard
            let position = try snapshot.position(
                of: Identity(.clientToken, scope: number.rawValue, bytes: bytes.span.bytes))
        else {
            return nil
        }
        return try message(LocalMessageID(position.rawValue))
    }

    /// Joins a record and its state to the shown message.
    ///
    /// `marker` is the read marker of its conversation; nil if it is not known.
    borrowing func message(_ record: RecordView, _ state: MessageState, _ marker: ReadMarker?) throws -> Message {
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: snapshot.scope.isLentToProjection)
        let isOutgoing = record.flags.contains(.isOutgoing)
        let serverTime = serverTime(of: record, state)
        let (content, isRedacted) = try content(of: record, state)
        let isLocal = record.type == .messageInsertedLocally
        let status = try status(of: record, state)
        return Message(
            id: LocalMessageID(record.position.rawValue),
            serverID: serverID(of: record, state),
            clientToken: record.clientToken.byteCount > 0 ? ClientToken(record.clientToken.string) : nil,
            conversation: try snapshot.symbols.conversation(record.conversationNumber),
            sender: try snapshot.symbols.user(record.actorNumber),
            senderProfile: try decoder.senderProfile(of: record),
            isOutgoing: isOutgoing,
            time: serverTime ?? record.now,
            isTimeProvisional: serverTime == nil,
            recordedTime: record.clockTime,
            status: status,
            failureCode: status == .failed ? state.failureCode : nil,
            deliveredTime: state.deliveredTime == 0 ? nil : Timestamp(milliseconds: state.deliveredTime),
            readTime: state.readTime == 0 ? nil : Timestamp(milliseconds: state.readTime),
            content: content,
            context: state.mentionsPosition == 0
                ? try decoder.context(of: record) : try editedContext(of: record, state, decoder),
            flags: state.userFlags,
            isRead: isRead(record, state, marker),
            expires: try snapshot.expiry(of: record),
            attachments: state.attachments.bytes.isEmpty ? [] : try attachments(state),
            isLocal: isLocal,
            isModified: state.contentPosition != 0,
            isReplaced: state.verdict == .replace,
            isRecalled: state.flags.contains(.isRecalled),
            isRedacted: isRedacted,
            countsUnread: record.flags.contains(.countsUnread),
            needsReceipt: record.flags.contains(.needsReceipt))
    }

    /// Whether this account has read a message of somebody else.
    private borrowing func isRead(_ record: RecordView, _ state: MessageState, _ marker: ReadMarker?) -> Bool? {
        record.flags.contains(.isOutgoing) ? nil : marker?.isRead(record, state)
    }

    /// The context of a message, without its content, with the mentions of its last edit that has any.
    private borrowing func editedContext(
        of record: RecordView, _ state: MessageState, _ decoder: RecordDecoder
    ) throws -> MessageContext {
        var context = try decoder.context(of: record)
        let edit = try snapshot.record(at: Position(state.mentionsPosition), namedBy: Messages.states.viewTable)
        switch try decoder.event(from: edit).payload {
        case let reported as MessageModified:
            (context.mentions, context.mentionsEveryone) = (reported.mentions ?? [], reported.mentionsEveryone)
        case let reported as MessageSnapshotReceived: context.takeMentions(of: reported)
        default: break
        }
        return context
    }

    /// Whether nobody may read what a message says.
    private borrowing func omitsContent(_ state: MessageState) -> Bool {
        snapshot.scope.isLentToProjection || state.flags.contains(.isRecalled)
    }

    /// A message's present content, which is nothing after a recall, and whether it was redacted.
    borrowing func content(
        of record: RecordView, _ state: MessageState
    ) throws -> (content: MessageContent, isRedacted: Bool) {
        let decoder = RecordDecoder(symbols: snapshot.symbols, omitsContent: omitsContent(state))
        let position = state.verdict == .replace ? state.verdictPosition : state.contentPosition
        guard position != 0 else { return (try decoder.content(of: record), record.flags.contains(.isRedacted)) }
        let shown = try snapshot.record(at: Position(position), namedBy: Messages.states.viewTable)
        return (try decoder.content(of: shown), shown.flags.contains(.isRedacted))
    }

    /// The server's id of a message, once there is one.
    borrowing func serverID(of record: RecordView, _ state: MessageState) -> ServerMessageID? {
        let id = state.serverID.isEmpty ? record.serverID.string : state.serverID.span.bytes.string
        return id.isEmpty ? nil : ServerMessageID(id)
    }

    /// The server's time of a message, once there is one.
    borrowing func serverTime(of record: RecordView, _ state: MessageState) -> Timestamp? {
        state.serverTime(of: record)
    }

    /// How far a message has come.
    borrowing func status(of record: RecordView, _ state: MessageState) throws -> MessageStatus {
        guard record.flags.contains(.isOutgoing), record.type != .messageInsertedLocally else { return .received }
        return try status(record, state, sentTime: serverTime(of: record, state))
    }

    private borrowing func attachments(_ state: MessageState) throws -> [MessageAttachment] {
        var attachments: [MessageAttachment] = []
        for (index, position) in state.attachments.all {
            let record = try snapshot.record(at: Position(position), namedBy: Messages.states.viewTable)
            guard record.type == .attachmentStateChanged else {
                throw StoreError.danglingRow(in: Messages.states.viewTable, position: record.position)
            }
            // Decoding the event costs as much as the rest of a message.
            let words = FieldReader(omitsContent(state) ? RawSpan() : record.content)
            attachments.append(
                MessageAttachment(
                    index: index, state: record[AttachmentStateChanged.state],
                    localPath: words.firstString(AttachmentStateChanged.localPath.field.number),
                    remoteURL: words.firstString(AttachmentStateChanged.remoteURL.field.number)))
        }
        return attachments
    }

    /// The status of an own message: its state, raised by receipts up to a time.
    private borrowing func status(
        _ record: RecordView, _ state: MessageState, sentTime: Timestamp?
    ) throws -> MessageStatus {
        let own: MessageStatus = state.status == .received ? .sent : state.status
        guard let sentTime, own >= .sent, own < .read,
            let mark = try snapshot.row(Messages.receiptMarks, MemberKey(conversation: record.conversationNumber))
        else { return own }
        let time = record.capped(sentTime)
        if time <= mark.readUpTo { return .read }
        return time <= mark.deliveredUpTo ? max(own, .delivered) : own
    }
}

extension MessageContext {
    /// Takes over whom a changed content mentions, where the server reports it.
    mutating func takeMentions(of reported: MessageSnapshotReceived) {
        guard reported.mentions != nil || reported.mentionsEveryone else { return }
        (mentions, mentionsEveryone) = (reported.mentions ?? [], reported.mentionsEveryone)
    }
}

extension Views {
    /// Calls `body` with each gap of the timelines, or of one; oldest first within each. Costs a seek for each.
    package borrowing func forEachGap(
        in conversation: ConversationKey? = nil, _ body: (TimelineGap) throws -> Void
    ) throws {
        var wanted: ConversationNumber?
        if let conversation {
            wanted = try snapshot.symbols.number(of: conversation)
            if wanted == nil { return }
        }
        // A gap follows each closed stretch.
        for (key, _) in try snapshot.allRows(Timeline.ranges) where key.conversation == wanted ?? key.conversation {
            let walk = try walk(key.conversation, types: nil)
            let before = try walk.older(than: key.order.next, limit: 1, snapshot).rows.first
            let after = try walk.newer(than: key.order, limit: 1, isInclusive: false, snapshot).rows.first
            try body(
                TimelineGap(
                    conversation: snapshot.symbols.conversation(key.conversation), before: before?.row.local,
                    after: after?.row.local))
        }
    }

    /// Calls `body` with the messages that have recorded facts and that never arrived. Costs a step for each.
    package borrowing func forEachMissingMessage(_ body: (ConversationKey, ServerMessageID) throws -> Void) throws {
        try snapshot.forEachRow(Messages.parked) { key, _ in
            let id = ServerMessageID(String(decoding: key.serverID, as: UTF8.self))
            try body(try snapshot.symbols.conversation(key.conversation), id)
            return true
        }
    }
}

/// A gap in a timeline: messages may be missing there.
package struct TimelineGap: Sendable {
    /// Whose timeline.
    package let conversation: ConversationKey
    /// The last message before it; nil if there is none.
    package let before: LocalMessageID?
    /// The first message after it; nil if there is none.
    package let after: LocalMessageID?
}
