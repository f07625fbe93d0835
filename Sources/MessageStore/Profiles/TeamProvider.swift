/// A host's source of team infos.
///
/// Asked as a ``ProfileProvider`` is: for many teams at once, each at most once at a time; it may throw, hang or answer
/// for fewer, and is asked again after the same delays. Failures are not recorded. Set it in
/// ``MessageStore/MessageStore/Configuration/teamProvider``.
public protocol TeamProvider: Sendable {
    /// The infos of these teams, in any order.
    func teams(for ids: [ConversationKey]) async throws -> [TeamInfo]
}

extension TeamProvider {
    /// Asks and answers with an event.
    var source: InfoFetcher<ConversationKey>.Source {
        { try await answer(for: $0) }
    }

    /// What the provider reported of the requested teams.
    private func answer(for ids: [ConversationKey]) async throws -> InfoFetcher<ConversationKey>.Answer {
        let wanted = Set(ids)
        let teams = try await teams(for: ids).filter { wanted.contains($0.id) }
        return .init(ids: Set(teams.map(\.id)), event: teams.isEmpty ? nil : Event(TeamInfoFetched(teams)))
    }
}

extension MessageStore {
    /// The known info of a team, at once; asks the provider in the background where that is nothing or stale, unless
    /// the last fetch failed and its delay is not over.
    ///
    /// - Throws: `StoreError`.
    public func team(_ id: ConversationKey) throws -> CachedTeam {
        let known = try read { try $0.team(id) }
        if known.needsFetch, id.isRecordable { teamFetcher.request([id], for: self) }
        return known
    }

    /// Asks the provider for these teams, whatever is known of them, and waits for the answer.
    ///
    /// A failure of the provider is no error here: the returned teams show it.
    ///
    /// - Throws: `StoreError`: `invalidArgument` for an empty list or an id that no event can carry, `hookMissing`
    ///   where the configuration has no provider.
    public func fetchTeams(_ ids: [ConversationKey]) async throws -> [CachedTeam] {
        guard !ids.isEmpty, ids.allSatisfy(\.isRecordable) else {
            throw StoreError(.invalidArgument, "no teams to fetch, or an id of none or too many bytes")
        }
        guard teamFetcher.hasProvider else { throw StoreError(.hookMissing, "the configuration has no team provider") }
        await teamFetcher.fetch(ids, for: self)
        return try await read { views in try ids.map { try views.team($0) } }
    }
}

extension ConversationKey {
    /// Whether an event may name the conversation.
    var isRecordable: Bool {
        (1...EventLimits.identifierBytes).contains(id.utf8.count)
            && channel.map { (1...EventLimits.channelBytes).contains($0.utf8.count) } ?? true
    }
}
