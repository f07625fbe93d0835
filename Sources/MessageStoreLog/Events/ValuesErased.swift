/// Personal values were removed from the log's records: names, pictures, attributes, tags, reactions and words.
///
/// `MessageStore.erase(_:alsoIDs:)` records it. It holds no word of what was removed.
public struct ValuesErased: AccountPayload {
    /// Whose data was removed.
    public let users: [UserID]
    /// Whether the words of the users' messages were removed, too.
    public let alsoMessages: Bool
    /// The conversations from which everything personal was removed.
    public let conversations: [ConversationKey]
    /// The events from which everything personal was removed, with what others say of a message.
    public let events: [Position]
    /// Whether the ids of the users and conversations were removed, too.
    public let alsoIDs: Bool

    package init(
        users: [UserID], alsoMessages: Bool, conversations: [ConversationKey], events: [Position],
        alsoIDs: Bool = false
    ) {
        self.alsoIDs = alsoIDs
        self.users = users
        self.alsoMessages = alsoMessages
        self.conversations = conversations
        self.events = events
    }
}

extension ValuesErased: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.valuesErased, "ValuesErased", scope: .account)

    package static let users = FieldOf(3, "users", \Self.users)
    package static let alsoMessages = FieldOf(4, "alsoMessages", \Self.alsoMessages)
    package static let conversations = FieldOf(5, "conversations", \Self.conversations)
    package static let events = FieldOf(6, "events", \Self.events)
    package static let alsoIDs = FieldOf(7, "alsoIDs") { (event: Self) in event.alsoIDs ? true : nil }
    package static let fieldList = FieldList(
        { Self(users: $0, alsoMessages: $1, conversations: $2, events: $3, alsoIDs: $4 ?? false) }, users, alsoMessages,
        conversations, events, alsoIDs)

    /// Refuses an event that names nothing.
    package func check() throws {
        guard !users.isEmpty || !conversations.isEmpty || !events.isEmpty else { throw invalid("names nothing") }
        guard !alsoMessages || !users.isEmpty else { throw invalid("has messages of no user") }
        guard !alsoIDs || !users.isEmpty || !conversations.isEmpty else { throw invalid("has ids of nobody") }
    }
}

extension EventType {
    /// The type of ``ValuesErased``.
    @inlinable public static var valuesErased: EventType { EventType(rawValue: 0x67) }
}
