/// Members joined a conversation; recording it twice changes nothing.
public struct MembersAdded: ConversationPayload {
    /// Who joined.
    public var members: [UserID]
    /// How they joined.
    public var kind: JoinKind
    /// Who did it; nil for themselves.
    public var actor: UserID?

    /// Creates the event.
    public init(_ members: [UserID], kind: JoinKind, by actor: UserID? = nil) {
        self.members = members
        self.kind = kind
        self.actor = actor
    }
}

extension MembersAdded: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .membersAdded, "MembersAdded", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    package static let members = FieldOf(3, "members", \Self.members, .nonEmpty)
    package static let kind = FieldOf(4, "kind", \Self.kind)
    package static let actor = EnvelopeFieldOf(.optionalActor, "actor", \Self.actor)
    package static let fieldList = FieldList(Self.init, members, kind, actor)
}

extension EventType {
    /// The type of ``MembersAdded``.
    @inlinable public static var membersAdded: EventType { EventType(rawValue: 0x40) }
}

/// How members joined.
public struct JoinKind: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Somebody invited them.
    public static let invited = JoinKind(rawValue: 0)
    /// They joined by themselves.
    public static let joined = JoinKind(rawValue: 1)

    package static let known: [JoinKind: String] = [
        .invited: "invited", .joined: "joined",
    ]
}
