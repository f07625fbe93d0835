import MessageStore

/// A number of mentions.
struct MentionCount: DeclaredFields {
    var count: UInt64

    static let fieldList = FieldList(Self.init, FieldOf(1, "count", \Self.count))
    init(_ count: UInt64) { self.count = count }
}

/// How often the account was mentioned in a conversation since it was last read, in three releases of an app.
struct Mentions: Projection {
    static let id: ProjectionID = "com.example.mentions"
    static let open = ProjectionTable<MentionCount, ConversationKey>(id, "open", key: "conversation")

    var version: UInt32

    var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Self.id, version: version, handles: [.messageReceived, .conversationRead], tables: Self.open)
    }

    func apply(_ event: borrowing ProjectionEvent, to rows: inout ProjectionRows) throws {
        guard let conversation = try event.conversation else { return }
        guard event.type == .messageReceived else { return try rows.remove(from: Self.open, at: conversation) }
        guard try isMention(event) else { return }
        let count = try rows.row(of: Self.open, at: conversation)?.count ?? 0
        try rows.put(MentionCount(count + 1), in: Self.open, at: conversation)
    }

    private func isMention(_ event: borrowing ProjectionEvent) throws -> Bool {
        switch version {
        case 1: try event.mentionsAccount && event.payload(MessageReceived.self)?.context.mentionsEveryone == false
        case 2: event.mentionsAccount
        default: event.mentionsAccount && !event.isOutgoing
        }
    }
}
