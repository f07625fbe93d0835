internal import MessageStoreLMDB

/// The users and teams that something on screen shows.
struct ShownInfo: Sendable, Hashable {
    var users: Set<UserID> = []
    var teams: Set<ConversationKey> = []
}

extension ShownInfo {
    /// The peers, teams and last senders of a list; in chat rooms, whose users have no fetched profiles, nobody.
    init(in page: ConversationPage) {
        for conversation in page.elements where conversation.key.kind != .chatRoom {
            if conversation.kind != .single { teams.insert(conversation.key) }
            if let peer = conversation.peer { users.insert(peer) }
            if let last = conversation.lastMessage { users.insert(last.sender) }
        }
    }

    /// The senders of a timeline; in a chat room nobody.
    init(in page: TimelinePage) {
        users = Set(page.messages.lazy.filter { $0.conversation.kind != .chatRoom }.map(\.sender))
    }
}

/// What one observer shows and waits for.
final class InfoObserver: Sendable {
    private let store: MessageStore
    private let missing = Locked(ShownInfo())

    init(_ store: MessageStore) { self.store = store }

    deinit { note(ShownInfo()) }

    /// Asks for what is missing, and again when it failed, until something else is missing or the observer is gone.
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
    /// Those are the peers, the teams and the senders of the last messages of its conversations, chat rooms excepted. A
    /// list that is observed does this by itself. Does nothing where no provider is configured; else costs a few point
    /// reads for each conversation.
    ///
    /// - Parameter page: A page as `Views.conversations(kinds:archived:after:limit:)` returned it. Call this outside of
    ///   `read`.
    /// - Throws: `StoreError`.
    public func requestMissingInfo(inList page: ConversationPage) throws {
        try request(shown: ShownInfo(in: page))
    }

    /// Asks the provider in the background for the profiles of a page's senders that need a fetch.
    ///
    /// Nobody is asked for in chat rooms. A timeline that is observed does this by itself. Does nothing where no
    /// provider is configured; else costs a few point reads for each sender.
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
