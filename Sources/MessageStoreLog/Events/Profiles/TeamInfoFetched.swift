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
