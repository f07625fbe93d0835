/// Profiles are out of date: the last value is shown, marked stale, until fetched again.
public struct ProfileInvalidated: AccountPayload {
    /// The users; nil means all.
    public var ids: [UserID]?
    /// Whether the last value is removed as well, so that placeholders are shown until profiles are fetched again.
    public var purges: Bool

    /// Creates the event.
    public init(_ ids: [UserID]?, purges: Bool = false) {
        self.ids = ids
        self.purges = purges
    }
}

extension ProfileInvalidated: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.profileInvalidated, "ProfileInvalidated", scope: .account)

    package static let ids = FieldOf(3, "ids", \Self.ids)
    package static let purges = FieldOf(4, "purges", \Self.purges)
    package static let fieldList = FieldList(Self.init, ids, purges)
}

extension EventType {
    /// The type of ``ProfileInvalidated``.
    @inlinable public static var profileInvalidated: EventType { EventType(rawValue: 0x52) }
}
