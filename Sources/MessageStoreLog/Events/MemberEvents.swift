/// How members came in.
public enum JoinKind: UInt8, Hashable, Sendable, Codable {
    /// Somebody invited them.
    case invited = 0
    /// They joined by themselves.
    case joined = 1
}

/// How members went.
public enum LeaveKind: UInt8, Hashable, Sendable, Codable {
    /// Somebody removed them.
    case kicked = 0
    /// They left by themselves.
    case left = 1
}

/// Members came into a conversation; telling it twice changes nothing (B25).
public struct MembersAdded: Hashable, Sendable {
    /// Who came.
    public var members: [UserID]
    /// How.
    public var kind: JoinKind
    /// Who did it; nil for themselves.
    public var actor: UserID?

    /// Puts the event together.
    public init(_ members: [UserID], kind: JoinKind, by actor: UserID? = nil) {
        self.members = members
        self.kind = kind
        self.actor = actor
    }
}

/// Members left a conversation; telling it twice changes nothing.
public struct MembersRemoved: Hashable, Sendable {
    /// Who went.
    public var members: [UserID]
    /// How.
    public var kind: LeaveKind
    /// Who did it; nil for themselves.
    public var actor: UserID?
    /// The reason that was given, if any.
    public var reason: String?

    /// Puts the event together.
    public init(_ members: [UserID], kind: LeaveKind, by actor: UserID? = nil, reason: String? = nil) {
        self.members = members
        self.kind = kind
        self.actor = actor
        self.reason = reason
    }
}

/// What a conversation knows of a member changed; fields that are nil stay as they are.
public struct MemberInfoChanged: Hashable, Sendable {
    /// Whose information.
    public var member: UserID
    /// The name within this conversation; an empty string removes it.
    public var nickname: String?
    /// The service's number of the role.
    public var role: UInt8?

    /// Puts the event together.
    public init(_ member: UserID, nickname: String? = nil, role: UInt8? = nil) {
        self.member = member
        self.nickname = nickname
        self.role = role
    }
}

/// This account was brought into a conversation.
public struct SelfInvited: Hashable, Sendable {
    /// Who did it.
    public var actor: UserID?

    /// Puts the event together.
    public init(by actor: UserID? = nil) {
        self.actor = actor
    }
}

/// This account was removed from a conversation and hears nothing more of it (B25, B38).
public struct SelfKicked: Hashable, Sendable {
    /// Who did it.
    public var actor: UserID?

    /// Puts the event together.
    public init(by actor: UserID? = nil) {
        self.actor = actor
    }
}

/// A member may not write for a time, or may again.
public struct MemberMuted: Hashable, Sendable {
    /// Who.
    public var member: UserID
    /// Until when, by the server's clock; nil lets the member write again, `Timestamp.latest` is for good.
    public var until: Timestamp?

    /// Puts the event together.
    public init(_ member: UserID, until: Timestamp?) {
        self.member = member
        self.until = until
    }
}

/// A user may no longer enter a conversation, or may again.
public struct MemberBlocked: Hashable, Sendable {
    /// Who; need not be a member.
    public var member: UserID
    /// Whether the user is blocked.
    public var isBlocked: Bool

    /// Puts the event together.
    public init(_ member: UserID, _ isBlocked: Bool = true) {
        self.member = member
        self.isBlocked = isBlocked
    }
}
