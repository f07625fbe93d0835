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
            let serverID = try detailIDs(of: MessageName(message), in: number).last
        else { return }
        for (part, row) in try details(table, of: serverID, in: number) { try body(part, row) }
    }

    /// The rows of one kind under a server id.
    borrowing func details<Part: DetailPart, Row: ViewRow>(
        _ table: Table<DetailKey<Part>, Row>, of serverID: [UInt8], in conversation: ConversationNumber
    ) throws -> [(part: Part, row: Row)] {
        var details: [(part: Part, row: Row)] = []
        let prefix = DetailPrefix(conversation: conversation, serverID: serverID, kind: Part.kind)
        try forEachRow(table, under: prefix) { key, row in
            details.append((key.part, row))
            return true
        }
        return details
    }

    /// The server ids under which is kept what an event says of a message: its own, and last its original's where it is
    /// a repeat.
    borrowing func detailIDs(of name: MessageName, in conversation: ConversationNumber) throws -> [[UInt8]] {
        guard let (local, id) = try detailName(name, in: conversation) else { return [] }
        guard let original = try local.flatMap({ try self.original(of: $0) }),
            let originalID = try serverID(of: original, in: conversation)
        else { return [id] }
        return [id, originalID]
    }

    /// The message that a name denotes, if it is known, and the server id under which facts about it are kept; nil if
    /// no server knows it.
    private borrowing func detailName(
        _ name: MessageName, in conversation: ConversationNumber
    ) throws -> (local: LocalMessageID?, id: [UInt8])? {
        switch name {
        case .local(let local): return try serverID(of: local, in: conversation).map { (local, $0) }
        case .server(let id):
            guard let local = try local(of: id.span.bytes, in: conversation) else { return (nil, id) }
            return (local, try serverID(of: local, in: conversation) ?? id)
        }
    }
}
