/// The host's provider answered with profiles.
public struct ProfilesFetched: EventPayload {
    /// The profiles.
    public var profiles: [Profile]

    /// Creates the event.
    public init(_ profiles: [Profile]) {
        self.profiles = profiles
    }
}

extension ProfilesFetched {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .profilesFetched, "ProfilesFetched", scope: .account, traits: .replacesEarlier)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ProfilesFetched/profiles`` is.
        public static let profiles = Field<[Profile]>(3, "profiles", .nonEmpty)
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.profiles))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(profiles, for: Fields.profiles)
    }
}

extension EventType {
    /// The type of ``ProfilesFetched``.
    @inlinable public static var profilesFetched: EventType { EventType(rawValue: 0x50) }
}
