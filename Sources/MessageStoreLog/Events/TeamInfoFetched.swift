/// The host's provider answered with teams.
public struct TeamInfoFetched: AccountPayload {
    /// The teams.
    public var teams: [TeamInfo]

    /// Creates the event.
    public init(_ teams: [TeamInfo]) {
        self.teams = teams
    }
}

extension TeamInfoFetched: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .teamInfoFetched, "TeamInfoFetched", scope: .account, traits: .replacesEarlier)

    package static let teams = FieldOf(3, "teams", \Self.teams, .nonEmpty)
    package static let fieldList = FieldList(Self.init, teams)
}

extension EventType {
    /// The type of ``TeamInfoFetched``.
    @inlinable public static var teamInfoFetched: EventType { EventType(rawValue: 0x53) }
}

/// An app's data about a team: a group with a profile of its own.
public struct TeamInfo: ListElement, FieldGroup, Identifiable {
    /// The conversation of the team.
    public var id: ConversationKey
    /// The name to show.
    public var name: String?
    /// The picture.
    public var avatarURL: String?
    /// The server's number of the team's kind, such as normal or advanced.
    public var kind: UInt8?
    /// A small form of the picture, for lists.
    public var thumbnailURL: String?
    /// Free attributes as the server wrote them, byte for byte, such as a JSON object.
    public var attributes: [UInt8]?

    /// Creates the value.
    public init(
        id: ConversationKey, name: String? = nil, avatarURL: String? = nil, kind: UInt8? = nil,
        thumbnailURL: String? = nil, attributes: [UInt8]? = nil
    ) {
        self.id = id
        self.name = name
        self.avatarURL = avatarURL
        self.kind = kind
        self.thumbnailURL = thumbnailURL
        self.attributes = attributes
    }
}

extension TeamInfo: BuiltInFields {
    package static let id = FieldOf(1, "id", \Self.id)
    package static let name = FieldOf(2, "name", \Self.name)
    package static let avatarURL = FieldOf(3, "avatarURL", \Self.avatarURL)
    package static let kind = FieldOf(4, "kind", \Self.kind)
    package static let thumbnailURL = FieldOf(5, "thumbnailURL", \Self.thumbnailURL)
    package static let attributes = FieldOf(6, "attributes", \Self.attributes)
    package static let fieldList = FieldList(Self.init, id, name, avatarURL, kind, thumbnailURL, attributes)
}
