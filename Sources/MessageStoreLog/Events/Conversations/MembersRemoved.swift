/// Members left a conversation; recording it twice changes nothing.
public struct MembersRemoved: ConversationPayload {
    /// Who left.
    public var members: [UserID]
    /// How they left.
    public var kind: LeaveKind
    /// Who did it; nil for themselves.
    public var actor: UserID?
    /// The reason that was given, if any.
    public var reason: String?

    /// Creates the event.
    public init(_ members: [UserID], kind: LeaveKind, by actor: UserID? = nil, reason: String? = nil) {
        self.members = members
        self.kind = kind
        self.actor = actor
        self.reason = reason
    }
}

extension MembersRemoved: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .membersRemoved, "MembersRemoved", scope: .conversation, traits: [.shownBetweenMessages, .replacesEarlier])

    package static let members = FieldOf(3, "members", \Self.members, .nonEmpty)
    package static let kind = FieldOf(4, "kind", \Self.kind)
    package static let actor = EnvelopeFieldOf(.optionalActor, "actor", \Self.actor)
    package static let reason = ContentFieldOf(1, "reason", \Self.reason)
    package static let fieldList = FieldList(Self.init, members, kind, actor, reason)
}

extension EventType {
    /// The type of ``MembersRemoved``.
    @inlinable public static var membersRemoved: EventType { EventType(rawValue: 0x41) }
}

/// How members left.
public struct LeaveKind: NamedCode, BuiltInCode {
    /// The number in the log.
    public let rawValue: UInt8

    /// Wraps a number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Somebody removed them.
    public static let kicked = LeaveKind(rawValue: 0)
    /// They left by themselves.
    public static let left = LeaveKind(rawValue: 1)

    package static let known: [LeaveKind: String] = [
        .kicked: "kicked", .left: "left",
    ]
}
