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

/// An app's data about a user.
public struct Profile: ListElement, FieldGroup, Identifiable {
    /// The id on the wire, by which profiles are kept.
    public var id: UserID
    /// The id in the app's own user system, where it differs.
    public var userID: String?
    /// The name to show.
    public var name: String?
    /// The picture.
    public var avatarURL: String?
    /// A small form of the picture, for lists.
    public var thumbnailURL: String?
    /// Free attributes as the app's server wrote them, byte for byte, such as a JSON object.
    public var attributes: [UInt8]?

    /// Creates a profile.
    public init(
        id: UserID, userID: String? = nil, name: String? = nil, avatarURL: String? = nil, thumbnailURL: String? = nil,
        attributes: [UInt8]? = nil
    ) {
        self.id = id
        self.userID = userID
        self.name = name
        self.avatarURL = avatarURL
        self.thumbnailURL = thumbnailURL
        self.attributes = attributes
    }
}

extension Profile: BuiltInGroup {
    package static let id = Field<UserID>(1, "id")
    package static let userID = Field<String?>(2, "userID")
    package static let name = Field<String?>(3, "name")
    package static let avatarURL = Field<String?>(4, "avatarURL")
    package static let thumbnailURL = Field<String?>(5, "thumbnailURL")
    package static let attributes = Field<[UInt8]?>(6, "attributes")

    package init(reading fields: inout some FieldDecoder) throws {
        self.init(
            id: try fields.decode(Self.id), userID: try fields.decode(Self.userID),
            name: try fields.decode(Self.name), avatarURL: try fields.decode(Self.avatarURL),
            thumbnailURL: try fields.decode(Self.thumbnailURL), attributes: try fields.decode(Self.attributes))
    }

    package func write(to fields: inout some FieldEncoder) throws {
        try fields.encode(id, for: Self.id)
        try fields.encode(userID, for: Self.userID)
        try fields.encode(name, for: Self.name)
        try fields.encode(avatarURL, for: Self.avatarURL)
        try fields.encode(thumbnailURL, for: Self.thumbnailURL)
        try fields.encode(attributes, for: Self.attributes)
    }
}
