@_spi(Storage) package import MessageStoreLog

extension Views {
    /// A received message as it came, but with the content that it was given last, by an edit and not by a filter; nil
    /// where the conversation has no such message.
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
        let edit = try snapshot.record(at: Position(state.contentPosition), namedBy: Messages.states.place)
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
            let verdict = try snapshot.record(at: Position(state.verdictPosition), namedBy: Messages.states.place)
            return .replace(try RecordDecoder(symbols: snapshot.symbols).content(of: verdict))
        }
    }
}
