/// The host's provider answered with profiles.
public struct ProfilesFetched: AccountPayload {
    /// The profiles.
    public var profiles: [Profile]

    /// Creates the event.
    public init(_ profiles: [Profile]) {
        self.profiles = profiles
    }
}

extension ProfilesFetched: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .profilesFetched, "ProfilesFetched", scope: .account, traits: .replacesEarlier)

    package static let profiles = FieldOf(3, "profiles", \Self.profiles, .nonEmpty)
    package static let fieldList = FieldList(Self.init, profiles)
}

extension EventType {
    /// The type of ``ProfilesFetched``.
    @inlinable public static var profilesFetched: EventType { EventType(rawValue: 0x50) }
}
