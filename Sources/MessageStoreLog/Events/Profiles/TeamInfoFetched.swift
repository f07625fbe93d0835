/// The host's provider answered with teams.
public struct TeamInfoFetched: EventPayload {
    /// The teams.
    public var teams: [TeamInfo]

    /// Creates the event.
    public init(_ teams: [TeamInfo]) {
        self.teams = teams
    }
}

extension TeamInfoFetched {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .teamInfoFetched, "TeamInfoFetched", scope: .account, traits: .replacesEarlier)

    /// The fields and their places.
    public enum Fields {
        /// Where ``TeamInfoFetched/teams`` is.
        public static let teams = Field<[TeamInfo]>(3, "teams", .nonEmpty)
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.teams))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(teams, for: Fields.teams)
    }
}

extension EventType {
    /// The type of ``TeamInfoFetched``.
    @inlinable public static var teamInfoFetched: EventType { EventType(rawValue: 0x53) }
}
