@_spi(Storage) public import MessageStoreLog

/// A team in the store, and whether it is up to date.
public struct CachedTeam: Sendable, Hashable {
    /// The team as last reported; only its conversation where nothing is known.
    public let info: TeamInfo
    /// Whether nothing is known of the team yet.
    public let isPlaceholder: Bool
    /// Whether it was invalidated since; the last known value is still shown.
    public let isStale: Bool

    /// Creates a team, for previews and tests.
    public init(info: TeamInfo, isPlaceholder: Bool = false, isStale: Bool = false) {
        self.info = info
        self.isPlaceholder = isPlaceholder
        self.isStale = isStale
    }

    /// Whether a provider should be asked.
    public var needsFetch: Bool { isPlaceholder || isStale }
}

extension Views {
    /// The known data of a team, without asking the provider; a placeholder if nothing is known.
    ///
    /// - Throws: `StoreError`.
    public borrowing func team(_ conversation: ConversationKey) throws -> CachedTeam {
        guard let number = try snapshot.symbols.number(of: conversation), let row = try snapshot.teamRow(number)
        else {
            return CachedTeam(info: TeamInfo(id: conversation), isPlaceholder: true, isStale: false)
        }
        let info = TeamInfo(
            id: conversation, name: row.name, avatarURL: row.avatarURL, kind: row.kind, thumbnailURL: row.thumbnailURL,
            attributes: row.attributes)
        return CachedTeam(info: info, isPlaceholder: false, isStale: row.isStale)
    }

    /// The teams that a provider or server reported, stale ones as well, in the order of the ids' bytes.
    ///
    /// Costs a step and a few point reads for each that is returned. Asks no provider.
    ///
    /// - Parameters:
    ///   - team: The last one of the page before; nil for the first page.
    ///   - limit: The maximum number of teams, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func teams(
        after team: ConversationKey? = nil, limit: Int = 20
    ) throws -> Page<CachedTeam, ConversationKey> {
        try Self.check(limit: limit)
        // The log may not have named where to begin.
        let start = try team.map { TeamIDKey($0, try snapshot.symbols.number(of: $0) ?? .none) }
        var teams: [CachedTeam] = []
        try snapshot.forEachRow(Teams.byID, from: start, under: IDIndex.index) { key, _ in
            if key != start { teams.append(try self.team(try snapshot.symbols.conversation(key.number))) }
            return teams.count <= limit
        }
        return Page(teams, limit: limit, next: \.info.id)
    }
}
