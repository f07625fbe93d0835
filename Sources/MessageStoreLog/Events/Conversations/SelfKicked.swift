/// This account was removed from a conversation and receives nothing more from it.
public struct SelfKicked: ConversationPayload {
    /// Who did it.
    public var actor: UserID?

    /// Creates the event.
    public init(by actor: UserID? = nil) {
        self.actor = actor
    }
}

extension SelfKicked: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .selfKicked, "SelfKicked", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    package static let actor = EnvelopeFieldOf(.optionalActor, "actor", \Self.actor)
    package static let fieldList = FieldList(Self.init, actor)
}

extension EventType {
    /// The type of ``SelfKicked``.
    @inlinable public static var selfKicked: EventType { EventType(rawValue: 0x44) }
}
