internal import MessageStoreLMDB

/// A host's source of profiles.
///
/// The store asks when a profile is wanted that it does not have or that was invalidated: many users at once, each at
/// most once at a time. A provider may throw, hang, answer late or for fewer users; the store continues with its own
/// knowledge. Set it in `configuration.hooks.profileProvider`.
///
/// Users missing from its answer are requested again when they are next shown, but not at once: after 2 seconds at
/// first, then after twice as long each time, at most 5 minutes. Users that are observed are requested again when that
/// time is over. The delay ends when a `SessionStateChanged` reports that the session is connected, when a user is
/// invalidated, and for ``MessageStore/MessageStore/fetchProfiles(_:)``. It is not kept over a restart. After a request
/// that threw or hung, its users are asked for in requests of half as many, down to one: a user who makes it throw
/// keeps no other from an answer.
public protocol ProfileProvider: Sendable {
    /// The profiles of these users, in any order; users that are left out count as failed.
    func profiles(for users: [UserID]) async throws -> [Profile]
}

extension ProfileProvider {
    var source: InfoFetcher<Profile>.Source { { try await profiles(for: $0) } }
}

/// A host's source of team infos.
///
/// Asked as a ``ProfileProvider`` is: for many teams at once, each at most once at a time; it may throw, hang or answer
/// for fewer, and is asked again after the same delays. Failures are not recorded. Set it in
/// `configuration.hooks.teamProvider`.
public protocol TeamProvider: Sendable {
    /// The infos of these teams, in any order.
    func teams(for ids: [ConversationKey]) async throws -> [TeamInfo]
}

extension TeamProvider {
    var source: InfoFetcher<TeamInfo>.Source { { try await teams(for: $0) } }
}

/// A provider's report about a user or a team.
protocol ProvidedInfo: Identifiable, Hashable, Sendable where ID: ProvidedID {
    /// The noun for provided infos in errors.
    static var noun: String { get }
    /// The event that records a failure; nil if failures are not recorded.
    static var failure: (@Sendable (_ ids: [ID], _ code: Int32) -> Event)? { get }
    /// The event that records an answer.
    static func fetched(_ infos: [Self]) -> Event
    /// The value that the store knows.
    static func known(_ id: ID, _ views: borrowing Views) throws -> Cached<Self>
}

/// The id of a user or a team.
protocol ProvidedID: Hashable, Sendable {
    /// Whether an event may name it.
    var isRecordable: Bool { get }
}

extension Profile: ProvidedInfo {
    static let noun = "profile"
    static let failure: (@Sendable ([UserID], Int32) -> Event)? = { Event(ProfileFetchFailed($0.ordered(), code: $1)) }
    static func fetched(_ profiles: [Profile]) -> Event { Event(ProfilesFetched(profiles)) }
    static func known(_ user: UserID, _ views: borrowing Views) throws -> Cached<Profile> { try views.profile(user) }
}

extension UserID: ProvidedID {
    var isRecordable: Bool { (1...EventLimits.identifierBytes).contains(rawValue.utf8.count) }
}

extension TeamInfo: ProvidedInfo {
    static let noun = "team"
    static let failure: (@Sendable ([ConversationKey], Int32) -> Event)? = nil
    static func fetched(_ teams: [TeamInfo]) -> Event { Event(TeamInfoFetched(teams)) }
    static func known(_ team: ConversationKey, _ views: borrowing Views) throws -> Cached<TeamInfo> {
        try views.team(team)
    }
}

extension ConversationKey: ProvidedID {
    var isRecordable: Bool {
        (1...EventLimits.identifierBytes).contains(id.utf8.count)
            && channel.map { (1...EventLimits.channelBytes).contains($0.utf8.count) } ?? true
    }
}

extension MessageStore {
    /// The known profile of a user, at once; asks the provider in the background if that is nothing or stale, or the
    /// last fetch failed and its delay is over.
    ///
    /// The answer is recorded as an event, and the views show it from then on.
    ///
    /// - Throws: `StoreError`.
    public func profile(_ user: UserID) throws -> Cached<Profile> { try profileFetcher.known(user, in: self) }

    /// The known info of a team, at once; asks the provider in the background if that is nothing or stale, unless the
    /// last fetch failed and its delay is not over.
    ///
    /// - Throws: `StoreError`.
    public func team(_ id: ConversationKey) throws -> Cached<TeamInfo> { try teamFetcher.known(id, in: self) }

    /// Asks the provider for these users, whatever is known of them, and waits for the answer.
    ///
    /// Users that are being asked for already are not asked for again. A failure of the provider is no error here: the
    /// returned profiles show it.
    ///
    /// - Throws: `StoreError`: `invalidArgument` for an empty list or an id that no event can carry, `hookMissing`
    ///   if the configuration has no provider.
    public func fetchProfiles(_ users: [UserID]) async throws -> [Cached<Profile>] {
        try await profileFetcher.fetched(users, in: self)
    }

    /// Asks the provider for these teams, whatever is known of them, and waits for the answer.
    ///
    /// A failure of the provider is no error here: the returned teams show it.
    ///
    /// - Throws: `StoreError`: `invalidArgument` for an empty list or an id that no event can carry, `hookMissing`
    ///   if the configuration has no provider.
    public func fetchTeams(_ ids: [ConversationKey]) async throws -> [Cached<TeamInfo>] {
        try await teamFetcher.fetched(ids, in: self)
    }
}

extension InfoFetcher {
    /// The known value, at once; asks for it in the background if it needs a fetch.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    fileprivate func known(_ id: Info.ID, in store: MessageStore) throws -> Cached<Info> {
        let known = try store.read { try Info.known(id, $0) }
        if known.needsFetch, id.isRecordable { request([id], for: store) }
        return known
    }

    /// Asks for some, whatever is known of them, and waits for the answer.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    fileprivate func fetched(_ ids: [Info.ID], in store: MessageStore) async throws -> [Cached<Info>] {
        guard !ids.isEmpty, ids.allSatisfy(\.isRecordable) else {
            throw StoreError(.invalidArgument, "no \(Info.noun)s to fetch, or an id of none or too many bytes")
        }
        guard hasProvider else { throw StoreError(.hookMissing, "the configuration has no \(Info.noun) provider") }
        await fetch(ids, for: store)
        return try await store.read { views in try ids.map { try Info.known($0, views) } }
    }
}

/// The users and teams that something on screen shows.
struct ShownInfo: Sendable, Hashable {
    var users: Set<UserID> = []
    var teams: Set<ConversationKey> = []
}

extension ShownInfo {
    /// The peers, teams and last senders of a list; in chat rooms, whose users have no fetched profiles, nobody.
    init(in page: Page<Conversation>) {
        for conversation in page.elements where conversation.key.kind != .chatRoom {
            if conversation.kind != .single { teams.insert(conversation.key) }
            if let peer = conversation.peer { users.insert(peer) }
            if let last = conversation.lastMessage { users.insert(last.sender) }
        }
    }

    /// The senders of a timeline; in a chat room nobody.
    init(in page: TimelinePage) {
        users = Set(page.elements.lazy.filter { $0.conversation.kind != .chatRoom }.map(\.sender))
    }
}

/// The info that one observer shows and waits for.
final class InfoObserver: Sendable {
    private let store: MessageStore
    private let missing = Locked(ShownInfo())

    init(_ store: MessageStore) { self.store = store }

    deinit { note(ShownInfo()) }

    /// Asks for missing infos, and again when it failed, until something else is missing or the observer is gone.
    func note(_ missing: ShownInfo) {
        let before = self.missing.withLock { known in
            defer { known = missing }
            return known
        }
        store.profileFetcher.observe(missing.users, insteadOf: before.users, for: store)
        store.teamFetcher.observe(missing.teams, insteadOf: before.teams, for: store)
        store.request(missing)
    }
}

extension MessageStore {
    /// Asks the providers in the background for the profiles and teams that a page shows and that need a fetch.
    ///
    /// The page shows the peers, the teams and the senders of the last messages of its conversations, chat rooms
    /// excepted. A list that is observed does this by itself. Does nothing if no provider is configured; otherwise
    /// costs a few point reads for each conversation.
    ///
    /// - Parameter page: A page as `Views.conversations(kinds:archived:after:limit:)` returned it. Call this outside of
    ///   `read`.
    /// - Throws: `StoreError`.
    public func requestMissingInfo(inList page: Page<Conversation>) throws {
        try request(shown: ShownInfo(in: page))
    }

    /// Asks the provider in the background for the profiles of a page's senders that need a fetch.
    ///
    /// Nobody is asked for in chat rooms. A timeline that is observed does this by itself. Does nothing if no provider
    /// is configured; otherwise costs a few point reads for each sender.
    ///
    /// - Parameter page: A page as `Views.timeline(of:_:types:limit:onDamage:)` returned it. Call this outside of
    ///   `read`.
    /// - Throws: `StoreError`.
    public func requestMissingInfo(inTimeline page: TimelinePage) throws {
        try request(shown: ShownInfo(in: page))
    }

    private func request(shown: ShownInfo) throws {
        guard hasInfoProvider else { return }
        request(try read { try self.missing(of: shown, $0) })
    }

    /// Whether anybody can be asked for profiles or teams.
    var hasInfoProvider: Bool { profileFetcher.hasProvider || teamFetcher.hasProvider }

    /// The shown infos that need a fetch and can be requested; nothing while profiles or teams are rebuilt, after which
    /// queries run again.
    func missing(of shown: ShownInfo, _ views: borrowing Views) throws -> ShownInfo {
        do {
            return ShownInfo(
                users: try profileFetcher.missing(of: shown.users, views),
                teams: try teamFetcher.missing(of: shown.teams, views))
        } catch let error as StoreError where error.code == .rebuilding {
            return ShownInfo()
        }
    }

    fileprivate func request(_ missing: ShownInfo) {
        profileFetcher.request(missing.users, for: self)
        teamFetcher.request(missing.teams, for: self)
    }

    /// Requests at once the ids that were held back, if the network is back or the host reports that they changed.
    func endDelays(after events: [Event]) {
        guard hasInfoProvider else { return }
        for event in events {
            // Nearly all events are messages, whose payloads need not be looked at.
            switch event.type {
            case .sessionStateChanged, .profileInvalidated, .teamInfoInvalidated: endDelays(after: event.payload)
            default: break
            }
        }
    }

    private func endDelays(after payload: any EventPayload) {
        switch payload {
        case let session as SessionStateChanged where session.state == .connected:
            profileFetcher.endDelays(for: self)
            teamFetcher.endDelays(for: self)
        case let invalidated as ProfileInvalidated: profileFetcher.endDelays(of: invalidated.ids, for: self)
        case let invalidated as TeamInfoInvalidated: teamFetcher.endDelays(of: invalidated.ids, for: self)
        default: break
        }
    }
}
