/// A host's source of profiles.
///
/// The store asks when a profile is wanted that it does not have or that was invalidated: many users at once, each at
/// most once at a time. A provider may throw, hang, answer late or for fewer users; the store continues with what
/// it knows. Set it in ``MessageStore/MessageStore/Configuration/profileProvider``.
public protocol ProfileProvider: Sendable {
    /// The profiles of these users, in any order; users that are left out count as failed.
    func profiles(for users: [UserID]) async throws -> [Profile]
}

extension ProfileProvider {
    /// Asks and answers with events.
    var source: InfoFetcher<UserID>.Source {
        { try await events(for: $0) }
    }

    /// The answer as events; users that are left out have failed.
    private func events(for users: [UserID]) async throws -> [Event] {
        let wanted = Set(users)
        let profiles = try await profiles(for: users).filter { wanted.contains($0.id) }
        let missing = wanted.subtracting(profiles.map(\.id)).sorted()
        var events: [Event] = []
        if !profiles.isEmpty { events.append(Event(ProfilesFetched(profiles))) }
        if !missing.isEmpty {
            events.append(Event(ProfileFetchFailed(missing, code: FetchFailure.leftOut)))
        }
        return events
    }
}

extension MessageStore {
    /// What is known of a user, at once; asks the provider in the background where that is nothing or stale.
    ///
    /// The answer is recorded as an event, and the views show it from then on.
    ///
    /// - Throws: `StoreError`.
    public func profile(_ user: UserID) throws -> CachedProfile {
        let known = try read { try $0.profile(user) }
        if known.needsFetch, user.isRecordable { profileFetcher.request([user], for: self) }
        return known
    }

    /// Asks the provider for these users, whatever is known of them, and waits for the answer.
    ///
    /// Users that are being asked for already are not asked for again. A failure of the provider is no error here: the
    /// returned profiles show it.
    ///
    /// - Throws: `StoreError`: `invalidArgument` for an empty list, `hookMissing` where the configuration has no provider.
    public func fetchProfiles(_ users: [UserID]) async throws -> [CachedProfile] {
        guard !users.isEmpty else { throw StoreError(.invalidArgument, "no users to fetch profiles for") }
        guard users.allSatisfy(\.isRecordable) else {
            throw StoreError(.invalidArgument, "a user id has 1 to \(EventLimits.identifierBytes) bytes")
        }
        guard profileFetcher.hasProvider else {
            throw StoreError(.hookMissing, "the configuration has no profile provider")
        }
        await profileFetcher.fetch(users, for: self)
        return try await read { views in try users.map { try views.profile($0) } }
    }
}
