/// Messages were deleted for this account; copies fetched later stay deleted.
public struct MessagesDeleted: EventPayload {
    /// Which messages.
    public var messages: [MessageReference]
    /// Whether the transport should delete them on the server as well.
    public var isRemote: Bool
    /// Whether everything that they say is removed from the log.
    public var erases: Bool

    /// Creates the event.
    public init(_ messages: [MessageReference], isRemote: Bool = false, erases: Bool = false) {
        self.messages = messages
        self.isRemote = isRemote
        self.erases = erases
    }
}

extension MessagesDeleted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messagesDeleted, "MessagesDeleted", scope: .conversation, traits: [.changesTimeline, .needsMessage])

    package static let messages = FieldOf(3, "messages", \Self.messages, .nonEmpty)
    package static let isRemote = FieldOf(5, "isRemote", \Self.isRemote)
    package static let erases = FieldOf(6, "erases", \Self.erases)
    package static let fieldList = FieldList(Self.init, messages, isRemote, erases)
}

extension EventType {
    /// The type of ``MessagesDeleted``.
    @inlinable public static var messagesDeleted: EventType { EventType(rawValue: 0x0A) }
}
