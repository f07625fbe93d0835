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
    /// What is known of a team, without asking the provider; a placeholder if nothing is known.
    ///
    /// - Throws: `StoreError`.
    public borrowing func team(_ conversation: ConversationKey) throws -> CachedTeam {
        guard let number = try snapshot.symbols.number(of: conversation), let row = try snapshot.teamRow(number)
        else {
            return CachedTeam(info: TeamInfo(id: conversation), isPlaceholder: true, isStale: false)
        }
        let info = TeamInfo(id: conversation, name: row.name, avatarURL: row.avatarURL, kind: row.kind)
        return CachedTeam(info: info, isPlaceholder: false, isStale: row.isStale)
    }
}
