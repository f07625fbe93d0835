@_spi(Storage) package import MessageStoreLog

/// The result of the log for one message, shown or not, to explain it.
package struct MessageStanding: Sendable, Equatable {
    /// Why a message has no place in its timeline.
    package enum Absence: Sendable, Equatable {
        case isDeleted
        case repeats(LocalMessageID)
        case isHiddenByFilter
        case isForOthers
        case isBelowFloor
        case isForgotten
    }

    package let conversation: ConversationKey
    package let sender: UserID
    package let absence: Absence?
    package let status: MessageStatus
    package let failureCode: Int32
    package let serverID: ServerMessageID?
    package let serverTime: Timestamp?
    package let isRecalled: Bool
    package let isRedacted: Bool
    package let isOutgoing: Bool
    /// Whether the policy that it was recorded with lets it count as unread.
    package let canCount: Bool
    package let flags: MessageFlags
    /// The event whose content is shown, where that is not its own.
    package let contentPosition: Position?
    package let deliveredTime: Timestamp?
    package let readTime: Timestamp?
    /// Whether its place is at or below the read marker.
    package let isBelowMarker: Bool
    /// The place up to which somebody has read who has read it; nil while the server's time of it is not known.
    package let place: MessageOrder?
}

extension Views {
    /// The local id of a message, shown or not; nil if the conversation has none such up to this position.
    package borrowing func local(
        of reference: MessageReference, in conversation: ConversationKey
    ) throws -> LocalMessageID? {
        guard let number = try snapshot.symbols.number(of: conversation),
            let local = try snapshot.local(of: reference, in: number), local.rawValue <= position.rawValue,
            let record = try snapshot.log.record(at: Position(local.rawValue)),
            record.conversationNumber == number, record.type.isMessage
        else { return nil }
        return local
    }

    /// The result of the log for the message with this local id; nil if there is none up to this position.
    package borrowing func standing(of local: LocalMessageID) throws -> MessageStanding? {
        guard local.rawValue <= position.rawValue, let record = try snapshot.log.record(at: Position(local.rawValue)),
            record.type.isMessage
        else { return nil }
        let state = try snapshot.row(Messages.states, local) ?? MessageState()
        let content = state.verdict == .replace ? state.verdictPosition : state.contentPosition
        let serverID = state.serverID.isEmpty ? record.serverID.string : state.serverID.span.bytes.string
        return MessageStanding(
            conversation: try snapshot.symbols.conversation(record.conversationNumber),
            sender: try snapshot.symbols.user(record.actorNumber),
            absence: try absence(of: record, state), status: try status(of: record, state),
            failureCode: state.failureCode, serverID: serverID.isEmpty ? nil : ServerMessageID(serverID),
            serverTime: serverTime(of: record, state), isRecalled: state.flags.contains(.isRecalled),
            isRedacted: try self.content(of: record, state).isRedacted,
            isOutgoing: record.flags.contains(.isOutgoing), canCount: record.flags.contains(.countsUnread),
            flags: state.userFlags, contentPosition: content == 0 ? nil : Position(content),
            deliveredTime: state.deliveredTime == 0 ? nil : Timestamp(milliseconds: state.deliveredTime),
            readTime: state.readTime == 0 ? nil : Timestamp(milliseconds: state.readTime),
            isBelowMarker: try !snapshot.unreadRow(of: record.conversationNumber).marker.isBelow(record, state),
            place: serverTime(of: record, state).flatMap { _ in MessageOrder(record.capped(OrderKey(record, state))) })
    }

    /// Why a message is not shown; nil if it is.
    borrowing func absence(of record: RecordView, _ state: MessageState) throws -> MessageStanding.Absence? {
        if state.flags.contains(.isDeleted) { return .isDeleted }
        if state.flags.contains(.isSuppressed) { return .repeats(LocalMessageID(state.duplicateOf)) }
        if state.verdict == .hide { return .isHiddenByFilter }
        if !Messages.isShown(record, state) { return .isForOthers }
        if try snapshot.isCleared(record, state) { return .isBelowFloor }
        let local = LocalMessageID(record.position.rawValue)
        return try snapshot.isForgotten(local, in: record.conversationNumber) ? .isForgotten : nil
    }
}

extension Views {
    /// A received message as it came, but with the content that it was given last, by an edit and not by a filter; nil
    /// if the conversation has no such message.
    package borrowing func judged(
        _ reference: MessageReference, in conversation: ConversationKey
    ) throws -> (message: MessageReceived, modifiedTime: Timestamp?, isFiltered: Bool)? {
        guard let number = try snapshot.symbols.number(of: conversation),
            let local = try snapshot.local(of: reference, in: number),
            let record = try snapshot.log.record(at: Position(local.rawValue)), record.type == .messageReceived,
            record.conversationNumber == number,
            var message = try RecordDecoder(symbols: snapshot.symbols).event(from: record).payload as? MessageReceived
        else { return nil }
        let state = try snapshot.row(Messages.states, local) ?? MessageState()
        let edit = try edit(of: state)
        if let edit { message.content = edit.content }
        return (message, edit?.time, state.verdict == .hide || state.verdict == .replace)
    }

    /// The content that an edit gave a message which has not arrived, and when.
    package borrowing func contentAhead(
        of id: ServerMessageID, in conversation: ConversationKey
    ) throws -> (content: MessageContent, time: Timestamp)? {
        guard snapshot.hasParked, let number = try snapshot.symbols.number(of: conversation) else { return nil }
        guard
            let parked = try snapshot.row(
                Messages.parked, ServerIDKey(conversation: number, serverID: Array(id.rawValue.utf8)))
        else { return nil }
        return try edit(of: parked)
    }

    private borrowing func edit(of state: MessageState) throws -> (content: MessageContent, time: Timestamp)? {
        guard state.contentPosition != 0 else { return nil }
        let edit = try snapshot.record(at: Position(state.contentPosition), namedBy: Messages.states.viewTable)
        let content = try RecordDecoder(symbols: snapshot.symbols).content(of: edit)
        return (content, Timestamp(milliseconds: state.modifiedTime))
    }

    /// The verdict in force on a message: the filter's last, else what its visibility list says.
    package borrowing func verdict(on local: LocalMessageID) throws -> FilterVerdict {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)) else { return .keep }
        let state = try snapshot.row(Messages.states, local) ?? MessageState()
        switch state.verdict {
        case .none: return record.flags.contains(.isDirectedAtOthers) ? .hide : .keep
        case .keep: return .keep
        case .hide: return .hide
        case .replace:
            let verdict = try snapshot.record(at: Position(state.verdictPosition), namedBy: Messages.states.viewTable)
            return .replace(try RecordDecoder(symbols: snapshot.symbols).content(of: verdict))
        }
    }
}
