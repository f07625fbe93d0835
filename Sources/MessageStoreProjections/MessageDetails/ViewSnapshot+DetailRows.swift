@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The server's id of a message, or nil where the conversation has no such message or no server knows it.
    borrowing func serverID(of local: LocalMessageID, in conversation: ConversationNumber) throws -> [UInt8]? {
        guard local.rawValue <= position.rawValue, let record = try log.record(at: Position(local.rawValue)),
            record.conversationNumber == conversation
        else { return nil }
        switch record.type {
        case .messageReceived: return record.serverID.copied
        case .messageSendQueued:
            guard let state = try messageState(of: local), !state.serverID.isEmpty else { return nil }
            return state.serverID
        default: return nil
        }
    }

    /// The message that is shown for `local`: a message and the echo that came before its acknowledgement are one.
    borrowing func shownMessage(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> LocalMessageID {
        guard let id = try serverID(of: local, in: conversation) else { return local }
        return try self.local(of: id.span.bytes, in: conversation) ?? local
    }

    /// Calls `body` with the rows of one kind of a message.
    borrowing func forEachDetail<Part: DetailPart, Row: ViewRow>(
        _ table: Table<DetailKey<Part>, Row>, of message: MessageReference, in conversation: ConversationKey,
        _ body: (Part, Row) throws -> Void
    ) throws {
        guard let number = try symbols.number(of: conversation),
            let serverID = try serverID(of: message, in: number)
        else { return }
        let prefix = DetailPrefix(conversation: number, serverID: serverID, kind: Part.kind)
        try forEachRow(table, under: prefix) { key, row in
            try body(key.part, row)
            return true
        }
    }

    private borrowing func serverID(of message: MessageReference, in conversation: ConversationNumber) throws
        -> [UInt8]?
    {
        switch message {
        case .server(let id): Array(id.rawValue.utf8)
        case .local(let local): try serverID(of: local, in: conversation)
        }
    }
}
