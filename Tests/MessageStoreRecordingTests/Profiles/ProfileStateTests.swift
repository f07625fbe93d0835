import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d25: what is known of a user")
struct ProfileStateTests {
    private func invalidated(_ users: [UserID]?) -> Event { Event(ProfileInvalidated(users)) }

    private func profile(_ user: UserID, _ store: MessageStore) throws -> Cached<Profile> {
        try store.read { try $0.profile(user) }
    }

    @Test("A7: profiles outlive the process")
    func persistence() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in try store.record([profiles([("a", "名")])]) }
        try place.withStore { store throws in
            #expect(try profile("a", store).displayName == "名")
            #expect(try profile("a", store).isPlaceholder == false)
        }
    }

    @Test(
        "A8, d25: invalidating one or all marks stale and keeps the last value", arguments: [["a"], nil] as [[UserID]?])
    func invalidation(users: [UserID]?) throws {
        try withTemporaryStore { store throws in
            try store.record(profiles([("a", "A"), ("b", "B")]), invalidated(users))
            let first = try profile("a", store)
            #expect(first.isStale && first.needsFetch && first.displayName == "A")
            #expect(try profile("b", store).isStale == (users == nil))
            try store.record(profiles([("a", "A2")]))
            #expect(try profile("a", store).isStale == false)
            #expect(try profile("a", store).displayName == "A2")
            #expect(try profile("b", store).isStale == (users == nil))
        }
    }

    @Test("A8: a stale profile whose fetch failed keeps its value, and still needs one")
    func failedRefresh() throws {
        try withTemporaryStore { store throws in
            let failure = Event(ProfileFetchFailed(["a", "new"], code: 5))
            try store.record(profiles([("a", "A")]), invalidated(["a"]), failure)
            #expect(try profile("a", store).displayName == "A")
            #expect(try profile("a", store).isStale && profile("a", store).hasFailed)
            #expect(try profile("new", store).isPlaceholder && profile("new", store).hasFailed)
            #expect(try profile("a", store).needsFetch && profile("new", store).needsFetch)
            try store.record(invalidated(nil))
            #expect(try !profile("a", store).hasFailed && !profile("new", store).hasFailed)
            #expect(try profile("a", store).needsFetch && profile("new", store).needsFetch)
        }
    }

    @Test("invalidating users that nothing is known of changes nothing")
    func unknownUsers() throws {
        try withTemporaryStore { store throws in
            try store.record(invalidated(["x"]), invalidated(nil))
            #expect(try profile("x", store).isPlaceholder)
            #expect(try profile("x", store).info == Profile(id: "x"))
        }
    }

    @Test("A5: a profile replaces the one before as a whole")
    func replacement() throws {
        try withTemporaryStore { store throws in
            let full = Profile(id: "a", userID: "app", name: "A", avatarURL: "u")
            try store.record(Event(ProfilesFetched([full])), profiles([("a", nil)]))
            #expect(try profile("a", store).info == Profile(id: "a"))
            #expect(try profile("a", store).displayName == "a")
        }
    }
}
