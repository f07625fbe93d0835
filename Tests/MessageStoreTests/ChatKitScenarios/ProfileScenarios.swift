import MessageStore
import Testing

@Suite("A1–A10: names and avatars from the app's own users", .timeLimit(.minutes(30)))
struct ProfileScenarios {
    private let place: TemporaryStore

    /// The app's users, as the document's sample has them: found by the id that ChatKit knows.
    private static let directory = FakeProfileProvider { clients, _ in
        clients.compactMap { client in
            client == "Tom" ? Profile(id: client, userID: "app-1", name: "汤姆", avatarURL: "https://a/tom.png") : nil
        }
    }

    init() throws {
        place = try TemporaryStore()
    }

    private func open(_ provider: FakeProfileProvider?) throws -> MessageStore {
        try place.open { configuration in
            configuration.profileProvider = provider
            configuration.profileFetching.collectionDelay = .milliseconds(5)
        }
    }

    @Test(
        "A1, A5, A6: given ids of the wire, when the app is asked, then name, avatar and its own id are known by them")
    func fields() async throws {
        let store = try open(Self.directory)
        let fetched = try await store.fetchProfiles(["Tom"])
        let known = try store.profile("Tom").profile
        #expect(fetched.map(\.profile) == [known])
        #expect(known == Profile(id: "Tom", userID: "app-1", name: "汤姆", avatarURL: "https://a/tom.png"))
        #expect(try store.profile("app-1").isPlaceholder, "the app's id names nobody on the wire")
    }

    @Test("A1: given a provider, when messages arrive, then nobody is asked until a name is wanted")
    func onDemand() async throws {
        let provider = FakeProfileProvider()
        let store = try open(provider)
        try await store.record([received("a", at: 1, from: "Tom"), received("b", at: 2, from: "Jerry")])
        #expect(provider.calls == [])
        let names = try await store.fetchProfiles(["Tom", "Jerry"]).map(\.displayName)
        #expect(names == ["Tom 1", "Jerry 1"] && provider.calls.map { $0.sorted() } == [["Jerry", "Tom"]])
    }

    @Test("A2: given a provider, when it is to fetch nobody, then that is an error and it is not asked")
    func emptyList() async throws {
        let provider = FakeProfileProvider()
        let store = try open(provider)
        await #expect { try await store.fetchProfiles([]) } throws: { error in
            (error as? StoreError)?.code == .invalidArgument
        }
        #expect(provider.calls == [])
    }

    @Test("A4, A9: an unknown user still has a name to show")
    func unknownUser() async throws {
        let store = try open(Self.directory)
        #expect(try store.profile("Spike").displayName == "Spike", "before anybody was asked")
        let fetched = try await store.fetchProfiles(["Tom", "Spike"])
        #expect(fetched.map(\.displayName) == ["汤姆", "Spike"])
        #expect(fetched.map(\.isPlaceholder) == [false, true] && fetched.map(\.hasFailed) == [false, true])
        #expect(fetched[1].profile == Profile(id: "Spike"))
    }

    @Test("A4: given a provider whose network is down, when asked, then the ids come back as placeholders")
    func failure() async throws {
        let store = try open(FakeProfileProvider { _, _ in throw Refusal() })
        let fetched = try await store.fetchProfiles(["Tom", "Jerry"])
        #expect(fetched.map(\.profile) == [Profile(id: "Tom"), Profile(id: "Jerry")])
        #expect(fetched.allSatisfy { $0.isPlaceholder && $0.hasFailed })
    }

    @Test("A3, A9: given a late provider, when a cell is drawn, then the id stands in until the answer is observed")
    func late() async throws {
        let gate = TestGate()
        let store = try open(
            FakeProfileProvider { users, _ in
                await gate.wait()
                return users.map { Profile(id: $0, name: "汤姆") }
            })
        #expect(try store.profile("Tom").displayName == "Tom")
        var shown = store.observeProfile("Tom").makeAsyncIterator()
        #expect(try await shown.next()?.displayName == "Tom")
        gate.open()
        #expect(try await shown.next()?.displayName == "汤姆")
    }

    @Test("A3: given a provider that never completes, when its time is over, then the fetch ends with placeholders")
    func neverCompletes() async throws {
        let gate = TestGate()
        let provider = FakeProfileProvider { _, _ in
            await gate.wait()
            return []
        }
        let store = try place.open { configuration in
            configuration.profileProvider = provider
            configuration.profileFetching.timeout = .milliseconds(20)
        }
        let fetched = try await store.fetchProfiles(["Tom"])
        #expect(fetched.map(\.displayName) == ["Tom"] && fetched.map(\.hasFailed) == [true])
        gate.open()
        try await store.close()
    }

    @Test("A7: given a fetched profile, when the app starts anew without network, then it is still known")
    func persistence() async throws {
        let store = try open(Self.directory)
        let fetched = try await store.fetchProfiles(["Tom"])
        try await store.close()
        try place.withStore { store throws in
            #expect(try [store.profile("Tom")] == fetched)
            #expect(try store.isConsistent())
        }
    }

    @Test(
        "A8: given cached profiles, when one or all are removed, then those alone want a fetch, and get it",
        arguments: [["Tom"], nil] as [[UserID]?])
    func invalidation(users: [UserID]?) async throws {
        let provider = FakeProfileProvider()
        let store = try open(provider)
        _ = try await store.fetchProfiles(["Tom", "Jerry"])
        try await store.record(Event(ProfileInvalidated(users)))
        let (tom, jerry) = try await store.read { views in try (views.profile("Tom"), views.profile("Jerry")) }
        #expect(tom.needsFetch && jerry.needsFetch == (users == nil))
        #expect(tom.displayName == "Tom 1", "the old name is shown meanwhile")
        #expect(try await store.fetchProfiles(["Tom"]).first?.displayName == "Tom 2")
    }

    @Test("A10: given a tap on an avatar, when the page opens, then the app can tell its own user from a peer")
    func ownPage() async throws {
        let store = try open(nil)
        try await store.record([received("a", at: 1, from: "Tom"), received("b", at: 2, from: store.account)])
        let messages = try store.page().messages
        #expect(messages.map { $0.sender == store.account } == [false, true])
        #expect(messages.map(\.isOutgoing) == [false, true])
    }
}
