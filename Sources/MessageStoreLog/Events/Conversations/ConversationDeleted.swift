/// A conversation was removed from the list; the next message lists it again.
public struct ConversationDeleted: EventPayload {
    /// Whether its messages are cleared as well.
    public var alsoMessages: Bool
    /// Whether the transport should delete it on the server as well.
    public var isRemote: Bool

    /// Creates the event.
    public init(alsoMessages: Bool = false, isRemote: Bool = false) {
        self.alsoMessages = alsoMessages
        self.isRemote = isRemote
    }
}

extension ConversationDeleted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationDeleted, "ConversationDeleted", scope: .conversation, traits: [.changesTimeline, .mergedByTime])

    package static let alsoMessages = FieldOf(3, "alsoMessages", \Self.alsoMessages)
    package static let isRemote = FieldOf(4, "isRemote", \Self.isRemote)
    package static let fieldList = FieldList(Self.init, alsoMessages, isRemote)
}

extension EventType {
    /// The type of ``ConversationDeleted``.
    @inlinable public static var conversationDeleted: EventType { EventType(rawValue: 0x28) }
}
