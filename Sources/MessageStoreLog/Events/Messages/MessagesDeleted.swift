/// Messages were deleted for this account; copies fetched later stay deleted.
public struct MessagesDeleted: ConversationPayload {
    /// The messages.
    public var messages: [MessageReference]
    /// Whether the transport should delete them on the server as well.
    public var isRemote: Bool
    /// Whether everything that they say is removed from the log.
    public var erases: Bool
    /// Whether the store recorded it itself, because the messages' timers had ended.
    public var isExpiry: Bool

    /// Creates the event.
    public init(_ messages: [MessageReference], isRemote: Bool = false, erases: Bool = false, isExpiry: Bool = false) {
        self.messages = messages
        self.isRemote = isRemote
        self.erases = erases
        self.isExpiry = isExpiry
    }
}

extension MessagesDeleted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messagesDeleted, "MessagesDeleted", scope: .conversation, traits: [.changesTimeline, .needsMessage])

    package static let messages = FieldOf(3, "messages", \Self.messages, .nonEmpty)
    package static let isRemote = FieldOf(5, "isRemote", \Self.isRemote)
    package static let erases = FieldOf(6, "erases", \Self.erases)
    package static let isExpiry = FieldOf(7, "isExpiry") { (event: Self) in event.isExpiry ? true : nil }
    package static let fieldList = FieldList(
        { Self($0, isRemote: $1, erases: $2, isExpiry: $3 ?? false) }, messages, isRemote, erases, isExpiry)
}

extension EventType {
    /// The type of ``MessagesDeleted``.
    @inlinable public static var messagesDeleted: EventType { EventType(rawValue: 0x0A) }
}
