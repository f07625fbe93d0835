@_spi(Storage) public import MessageStoreLog

/// A user's profile in the store, and whether it is up to date.
public struct CachedProfile: Sendable, Hashable {
    /// The profile; only the id where nothing is known.
    public let profile: Profile
    /// Whether nothing is known of the user yet.
    public let isPlaceholder: Bool
    /// Whether it was invalidated since; the last known value is still shown.
    public let isStale: Bool
    /// Whether the last fetch failed.
    public let hasFailed: Bool

    /// Creates a profile, for previews and tests.
    public init(profile: Profile, isPlaceholder: Bool = false, isStale: Bool = false, hasFailed: Bool = false) {
        self.profile = profile
        self.isPlaceholder = isPlaceholder
        self.isStale = isStale
        self.hasFailed = hasFailed
    }

    /// Whether a provider should be asked: nothing is known, it is stale, or the last fetch failed.
    ///
    /// The store holds back what failed a moment ago; see `ProfileProvider`.
    public var needsFetch: Bool { isPlaceholder || isStale || hasFailed }

    /// The name to show: the profile's, else the id.
    public var displayName: String {
        guard let name = profile.name, !name.isEmpty else { return profile.id.rawValue }
        return name
    }
}

extension Views {
    /// The known profile of a user, without asking the provider; a placeholder if nothing is known.
    ///
    /// - Throws: `StoreError`.
    public borrowing func profile(_ user: UserID) throws -> CachedProfile {
        let number = try snapshot.symbols.number(of: user)
        let row = try number.flatMap { try snapshot.profileRow($0) } ?? ProfileRow()
        return CachedProfile(
            profile: Profile(
                id: user, userID: row.userID, name: row.name, avatarURL: row.avatarURL, thumbnailURL: row.thumbnailURL,
                attributes: row.attributes),
            isPlaceholder: !row.flags[.isKnown], isStale: row.flags[.isStale], hasFailed: row.flags[.hasFailed])
    }

    /// Whether any event names the user.
    package borrowing func isKnown(_ user: UserID) throws -> Bool { try snapshot.symbols.number(of: user) != nil }

    /// The profiles that a provider or server reported, stale ones as well, in the order of the ids' bytes.
    ///
    /// Costs a step and a few point reads for each that is returned. Asks no provider.
    ///
    /// - Parameters:
    ///   - user: The last one of the page before; nil for the first page.
    ///   - limit: The maximum number of profiles, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func profiles(after user: UserID? = nil, limit: Int = 20) throws -> Page<CachedProfile, UserID> {
        try Self.check(limit: limit)
        var profiles: [CachedProfile] = []
        try snapshot.forEachRow(Profiles.byID, from: UserIDKey(user), under: IDIndex.index) { key, _ in
            if key.user != user { profiles.append(try profile(key.user)) }
            return profiles.count <= limit
        }
        return Page(profiles, limit: limit, next: \.profile.id)
    }

    /// The name of a user in a conversation: this account's own remark, else the nickname there, else the profile's
    /// name, else the id.
    ///
    /// Nicknames do not apply between two people, by ``Conversation/kind``; for a host's projection that does not read
    /// conversations, by the kind of the key. For remarks see `ContactsReceived`.
    ///
    /// - Throws: `StoreError`.
    public borrowing func displayName(of user: UserID, in conversation: ConversationKey) throws -> String {
        guard let number = try snapshot.symbols.number(of: user) else { return user.rawValue }
        var place = try snapshot.symbols.number(of: conversation)
        if let known = place, try snapshot.kind(of: known) == .single { place = nil }
        return try snapshot.shownName(of: number, in: place) ?? user.rawValue
    }
}
