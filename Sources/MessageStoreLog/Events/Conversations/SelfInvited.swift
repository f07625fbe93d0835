/// This account was added to a conversation, which is listed at the event's server time, or without one at the time at
/// which the event is recorded.
///
/// Services notify the inviting account as well: a notice whose ``actor`` is the store's own account lists a
/// conversation that nothing has placed yet and never moves another one, is not delivered or counted as a message and
/// is in no timeline. A host leaves it out where it shows notices of its own.
public struct SelfInvited: ConversationPayload {
    /// Who did it.
    public var actor: UserID?

    /// Creates the event.
    public init(by actor: UserID? = nil) {
        self.actor = actor
    }
}

extension SelfInvited: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .selfInvited, "SelfInvited", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    package static let actor = EnvelopeFieldOf(.optionalActor, "actor", \Self.actor)
    package static let fieldList = FieldList(Self.init, actor)
}

extension EventType {
    /// The type of ``SelfInvited``.
    @inlinable public static var selfInvited: EventType { EventType(rawValue: 0x43) }
}
