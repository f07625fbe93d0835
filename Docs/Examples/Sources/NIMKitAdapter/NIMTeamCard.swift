import MessageStore

/// A team's card: normal teams and advanced ones, which have an owner and managers.
struct NIMTeamCard: Equatable {
    /// 0 normal, 1 advanced.
    var teamType: Int
    var name: String
    /// The shown name of each member, and the role.
    var members: [String]

    init(_ teamId: String, _ kit: NIMKit) throws {
        let key = ConversationKey.group(teamId)
        let (team, members, names) = try kit.store.read { views in
            let members = try views.members(in: key, limit: 1000).elements
            return (try views.team(key), members, try members.map { try views.displayName(of: $0.id, in: key) })
        }
        teamType = Int(team.info.kind ?? 0)
        name = team.info.name ?? teamId
        self.members = members.indices.map { members[$0].role > 0 ? "\(names[$0]) (\(members[$0].role))" : names[$0] }
    }
}
