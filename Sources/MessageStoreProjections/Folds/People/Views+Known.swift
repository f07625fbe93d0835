/// A user's profile, or a team's info, in the store, and whether it is up to date.
public struct Cached<Info: Hashable & Sendable>: Sendable, Hashable {
    /// The profile or info as last reported; only the id where nothing is known.
    public let info: Info
    /// Whether nothing is known yet.
    public let isPlaceholder: Bool
    /// Whether it was invalidated since; the last known value is still shown.
    public let isStale: Bool
    /// Whether the last fetch of a profile failed; failures to fetch teams are not recorded.
    public let hasFailed: Bool

    /// Creates a value, for previews and tests.
    public init(_ info: Info, isPlaceholder: Bool = false, isStale: Bool = false, hasFailed: Bool = false) {
        self.info = info
        self.isPlaceholder = isPlaceholder
        self.isStale = isStale
        self.hasFailed = hasFailed
    }

    /// Whether a provider should be asked: nothing is known, it is stale, or the last fetch failed.
    ///
    /// The store holds back what failed a moment ago; see `ProfileProvider`.
    public var needsFetch: Bool { isPlaceholder || isStale || hasFailed }
}

extension Cached where Info == Profile {
    /// The name to show: the profile's, else the id.
    public var displayName: String {
        guard let name = info.name, !name.isEmpty else { return info.id.rawValue }
        return name
    }
}

extension Views {
    /// The known profile of a user, without asking the provider; a placeholder if nothing is known.
    ///
    /// - Throws: `StoreError`.
    public borrowing func profile(_ user: UserID) throws -> Cached<Profile> { try known(user) }

    /// The known data of a team, without asking the provider; a placeholder if nothing is known.
    ///
    /// - Throws: `StoreError`.
    public borrowing func team(_ conversation: ConversationKey) throws -> Cached<TeamInfo> {
        try known(conversation)
    }

    /// The profiles that a provider or server reported, stale ones as well, in the order of the ids' bytes.
    ///
    /// Costs a step and a few point reads for each that is returned. Asks no provider.
    ///
    /// - Parameters:
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of profiles, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func profiles(
        after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Cached<Profile>> {
        try known(after: cursor?.user(), limit: limit) { PageCursor($0) }
    }

    /// The teams that a provider or server reported, stale ones as well, in the order of the ids' bytes.
    ///
    /// Costs a step and a few point reads for each that is returned. Asks no provider.
    ///
    /// - Parameters:
    ///   - cursor: The end of the page before; nil for the first page.
    ///   - limit: The maximum number of teams, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range.
    public borrowing func teams(
        after cursor: PageCursor? = nil, limit: Int = 20
    ) throws -> Page<Cached<TeamInfo>> {
        let last = try cursor.map { ConversationKey(symbolBytes: try $0.place(.conversation)) }
        if case .some(nil) = last { throw PageCursor.mismatch }
        return try known(after: last ?? nil, limit: limit) { PageCursor(.conversation, $0.symbolBytes) }
    }

    private borrowing func known<Info: KnownInfo>(_ id: Info.ID) throws -> Cached<Info> {
        let number = try Info.number(of: id, snapshot.symbols)
        var row: KnownRow<Info> = try number.flatMap { try snapshot.knownRow($0) } ?? KnownRow()
        // If the id was erased, its placeholder.
        row.info.id = try number.map { try Info.id(Info.idKey($0, snapshot.symbols), snapshot.symbols) } ?? id
        return Cached(
            row.info, isPlaceholder: !row.flags[.isKnown], isStale: row.flags[.isStale],
            hasFailed: row.flags[.hasFailed])
    }

    private borrowing func known<Info: KnownInfo>(
        after id: Info.ID?, limit: Int, next: (Info.ID) -> PageCursor
    ) throws -> Page<Cached<Info>> {
        try Self.check(limit: limit)
        let start = try id.map { try Info.idKey($0, snapshot.symbols) }
        var found: [Cached<Info>] = []
        try snapshot.forEachRow(Known<Info>.byID, from: start, under: IDIndex.index) { key, _ in
            if key != start { found.append(try known(Info.id(key, snapshot.symbols))) }
            return found.count <= limit
        }
        return Page(found, limit: limit) { next($0.info.id) }
    }

    /// Whether any event names the user.
    package borrowing func isKnown(_ user: UserID) throws -> Bool { try snapshot.symbols.number(of: user) != nil }

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
