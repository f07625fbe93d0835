@_spi(Storage) public import MessageStoreLog

/// What the store knows of a team, and how well.
public struct CachedTeam: Sendable, Hashable {
    /// What was told; the conversation alone where nothing is known.
    public let info: TeamInfo
    /// Whether a provider ever told of the team; else this is a placeholder.
    public let isPlaceholder: Bool
    /// Whether it was invalidated since; the last known value is still shown.
    public let isStale: Bool

    /// Puts a team together, for previews and tests.
    public init(info: TeamInfo, isPlaceholder: Bool = false, isStale: Bool = false) {
        self.info = info
        self.isPlaceholder = isPlaceholder
        self.isStale = isStale
    }

    /// Whether a provider should be asked.
    public var needsFetch: Bool { isPlaceholder || isStale }
}

extension Views {
    /// What is known of a team, at once, without asking anybody; a placeholder where nothing is.
    ///
    /// - Throws: `StoreError`.
    public borrowing func team(_ conversation: ConversationKey) throws -> CachedTeam {
        guard let number = try symbols.existingNumber(of: conversation), let row = try team(number) else {
            return CachedTeam(info: TeamInfo(id: conversation), isPlaceholder: true, isStale: false)
        }
        let info = TeamInfo(id: conversation, name: row.name, avatarURL: row.avatarURL, kind: row.kind)
        return CachedTeam(info: info, isPlaceholder: false, isStale: row.isStale)
    }
}
