extension ViewSnapshot {
    /// The message that is shown for `local`: a message and the echo that came before its acknowledgement are one.
    borrowing func shownMessage(_ local: LocalMessageID, in conversation: ConversationNumber) throws -> LocalMessageID {
        guard case .server(let id)? = try name(of: local, in: conversation) else { return local }
        return try self.local(of: id.span.bytes, in: conversation) ?? local
    }

    /// The message that took the place of a deleted one; of any other the message itself.
    borrowing func successor(of local: LocalMessageID, in conversation: ConversationNumber) throws -> LocalMessageID {
        try isDeleted(local) ? shownMessage(local, in: conversation) : local
    }

    /// Calls `body` with the rows of one kind of a message; of a repeat with those of its original.
    borrowing func forEachDetail<Part: DetailPart, Row: ViewRow>(
        _ table: Table<DetailKey<Part>, Row>, of message: MessageReference, in conversation: ConversationKey,
        _ body: (Part, Row) throws -> Void
    ) throws {
        guard let number = try symbols.number(of: conversation),
            let name = try names(for: MessageName(message), in: number).last
        else { return }
        for (part, row) in try details(table, of: name, in: number) { try body(part, row) }
    }

    /// The rows of one kind under a name.
    borrowing func details<Part: DetailPart, Row: ViewRow>(
        _ table: Table<DetailKey<Part>, Row>, of name: MessageName, in conversation: ConversationNumber
    ) throws -> [(part: Part, row: Row)] {
        try allRows(table, under: DetailKey<Part>(of: name, in: conversation).prefix).map { ($0.key.part, $0.row) }
    }
}
