/// What an app knows of a user.
public struct Profile: ListElement, FieldGroup {
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

extension Profile: BuiltInFields {
    package static let id = FieldOf(1, "id", \Self.id)
    package static let userID = FieldOf(2, "userID", \Self.userID)
    package static let name = FieldOf(3, "name", \Self.name)
    package static let avatarURL = FieldOf(4, "avatarURL", \Self.avatarURL)
    package static let thumbnailURL = FieldOf(5, "thumbnailURL", \Self.thumbnailURL)
    package static let attributes = FieldOf(6, "attributes", \Self.attributes)
    package static let fieldList = FieldList(Self.init, id, userID, name, avatarURL, thumbnailURL, attributes)
}
