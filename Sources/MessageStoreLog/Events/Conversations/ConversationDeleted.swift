/// A conversation was removed from the list; the next message lists it again.
public struct ConversationDeleted: ConversationPayload {
    /// Whether its messages are cleared as well.
    public var alsoMessages: Bool
    /// Whether the transport should delete it on the server as well.
    public var isRemote: Bool
    /// Whether everything that its messages say is removed from the log; only together with ``alsoMessages``.
    public var erases: Bool

    /// Creates the event.
    public init(alsoMessages: Bool = false, isRemote: Bool = false, erases: Bool = false) {
        self.alsoMessages = alsoMessages
        self.isRemote = isRemote
        self.erases = erases
    }
}

extension ConversationDeleted: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationDeleted, "ConversationDeleted", scope: .conversation, traits: [.changesTimeline, .mergedByTime])

    package static let alsoMessages = FieldOf(3, "alsoMessages", \Self.alsoMessages)
    package static let isRemote = FieldOf(4, "isRemote", \Self.isRemote)
    package static let erases = FieldOf(5, "erases", \Self.erases)
    package static let fieldList = FieldList(Self.init, alsoMessages, isRemote, erases)

    package func check() throws {
        if erases, !alsoMessages { throw invalid("erases messages that it leaves in their timeline") }
    }
}

extension EventType {
    /// The type of ``ConversationDeleted``.
    @inlinable public static var conversationDeleted: EventType { EventType(rawValue: 0x28) }
}
