/// Messages were deleted for this account; copies fetched later stay deleted.
public struct MessagesDeleted: EventPayload {
    /// Which messages.
    public var messages: [MessageReference]
    /// Whether the transport should delete them on the server as well.
    public var isRemote: Bool

    /// Creates the event.
    public init(_ messages: [MessageReference], isRemote: Bool = false) {
        self.messages = messages
        self.isRemote = isRemote
    }
}

extension MessagesDeleted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .messagesDeleted, "MessagesDeleted", scope: .conversation, traits: [.changesTimeline, .needsMessage])

    package static let messages = FieldOf(3, "messages", \Self.messages, .nonEmpty)
    package static let isRemote = FieldOf(5, "isRemote", \Self.isRemote)
    package static let fieldList = FieldList(Self.init, messages, isRemote)
}

extension EventType {
    /// The type of ``MessagesDeleted``.
    @inlinable public static var messagesDeleted: EventType { EventType(rawValue: 0x0A) }
}
