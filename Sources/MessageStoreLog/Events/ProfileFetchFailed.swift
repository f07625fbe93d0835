/// The host's provider did not answer for these users; they keep what is known, else a placeholder.
public struct ProfileFetchFailed: AccountPayload {
    /// The users.
    public var ids: [UserID]
    /// The provider's error code.
    public var code: Int32

    /// Creates the event.
    public init(_ ids: [UserID], code: Int32) {
        self.ids = ids
        self.code = code
    }
}

extension ProfileFetchFailed: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.profileFetchFailed, "ProfileFetchFailed", scope: .account)

    package static let ids = FieldOf(3, "ids", \Self.ids, .nonEmpty)
    package static let code = FieldOf(4, "code", \Self.code)
    package static let fieldList = FieldList(Self.init, ids, code)
}

extension EventType {
    /// The type of ``ProfileFetchFailed``.
    @inlinable public static var profileFetchFailed: EventType { EventType(rawValue: 0x51) }
}
