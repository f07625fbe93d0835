/// A host's source of profiles.
///
/// The store asks when a profile is wanted that it does not have or that was invalidated: many users at once, each at
/// most once at a time. A provider may throw, hang, answer late or for fewer users; the store continues with what
/// it knows. Set it in ``MessageStore/MessageStore/Configuration/profileProvider``.
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
    /// Asks and answers with an event.
    var source: InfoFetcher<UserID>.Source {
        { try await answer(for: $0) }
    }

    /// What the provider reported of the requested users.
    private func answer(for users: [UserID]) async throws -> InfoFetcher<UserID>.Answer {
        let wanted = Set(users)
        let profiles = try await profiles(for: users).filter { wanted.contains($0.id) }
        return .init(ids: Set(profiles.map(\.id)), event: profiles.isEmpty ? nil : Event(ProfilesFetched(profiles)))
    }
}

extension MessageStore {
    /// The known profile of a user, at once; asks the provider in the background where that is nothing or stale, or the
    /// last fetch failed and its delay is over.
    ///
    /// The answer is recorded as an event, and the views show it from then on.
    ///
    /// - Throws: `StoreError`.
    public func profile(_ user: UserID) throws -> CachedProfile {
        let known = try read { try $0.profile(user) }
        if known.needsFetch, user.isRecordable { profileFetcher.request([user], for: self) }
        return known
    }

    /// The event that records that users could not be fetched; nil if that is recorded of each of them already.
    static func failedFetch(of users: [UserID], code: Int32, in store: MessageStore) async throws -> Event? {
        let new = try await store.read { views in
            var new: [UserID] = []
            for user in users where try !views.profile(user).hasFailed { new.append(user) }
            return new
        }
        return new.isEmpty ? nil : Event(ProfileFetchFailed(new.sorted(), code: code))
    }

    /// Asks the provider for these users, whatever is known of them, and waits for the answer.
    ///
    /// Users that are being asked for already are not asked for again. A failure of the provider is no error here: the
    /// returned profiles show it.
    ///
    /// - Throws: `StoreError`: `invalidArgument` for an empty list, `hookMissing` where the configuration has no
    ///   provider.
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
