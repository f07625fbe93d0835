/// This account was removed from a conversation and receives nothing more from it.
public struct SelfKicked: EventPayload {
    /// Who did it.
    public var actor: UserID?

    /// Creates the event.
    public init(by actor: UserID? = nil) {
        self.actor = actor
    }
}

extension SelfKicked {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .selfKicked, "SelfKicked", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    /// The fields and their places.
    public enum Fields {
        /// Where ``SelfKicked/actor`` is.
        public static let actor = EnvelopeField(.optionalActor, "actor")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(by: try fields.decode(Fields.actor))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(actor, for: Fields.actor)
    }
}

extension EventType {
    /// The type of ``SelfKicked``.
    @inlinable public static var selfKicked: EventType { EventType(rawValue: 0x44) }
}
