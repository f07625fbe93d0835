/// This account blocked users, or unblocked them, whether they are contacts or not.
///
/// It is a list that the app can show and act on: messages of blocked users are recorded and counted like other users'.
public struct UsersBlocked: AccountPayload {
    /// The users.
    public var ids: [UserID]
    /// Whether they are blocked.
    public var isBlocked: Bool
    /// When, by the server's clock. An event that is older than another one about the same user changes nothing; an
    /// event without a time takes precedence over all that were recorded before.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ ids: [UserID], _ isBlocked: Bool = true, at time: Timestamp? = nil) {
        self.ids = ids
        self.isBlocked = isBlocked
        self.time = time
    }
}

extension UsersBlocked: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.usersBlocked, "UsersBlocked", scope: .account)

    package static let ids = FieldOf(3, "ids", \Self.ids, .nonEmpty)
    package static let isBlocked = FieldOf(4, "isBlocked", \Self.isBlocked)
    package static let time = EnvelopeFieldOf(.optionalServerTime, "time", \Self.time)
    package static let fieldList = FieldList(Self.init, ids, isBlocked, time)
}

extension EventType {
    /// The type of ``UsersBlocked``.
    @inlinable public static var usersBlocked: EventType { EventType(rawValue: 0x57) }
}
