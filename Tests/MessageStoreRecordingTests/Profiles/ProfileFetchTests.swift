import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A1–A9, C5–C9: profiles from a host's provider", .timeLimit(.minutes(30)))
struct ProfileFetchTests {
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
    }

    private func open(_ provider: FakeProfileProvider?) throws -> MessageStore {
        try place.open { configuration in
            configuration.hooks.profileProvider = provider
            configuration.hooks.profileDelay = .milliseconds(5)
            configuration.hooks.profileBatch = 3
            configuration.hooks.profileTimeout = .seconds(60)
        }
    }

    @Test("A4, A9, C5: a placeholder at once, the profile once the provider answered")
    func placeholder() async throws {
        let provider = FakeProfileProvider()
        let store = try open(provider)
        let first = try store.profile("a")
        #expect(first.isPlaceholder && !first.isStale && !first.hasFailed && first.needsFetch)
        #expect(first.displayName == "a")
        let fetched = try await store.fetchProfiles(["a"])
        #expect(fetched.map(\.displayName) == ["a 1"])
        #expect(fetched.allSatisfy { !$0.isPlaceholder && !$0.needsFetch })
        #expect(try store.profile("a").displayName == "a 1")
        #expect(provider.calls == [["a"]], "one request in flight for each user")
    }

    @Test("A1, C9: requests are collected, asked for in batches, and each user once")
    func batches() async throws {
        let provider = FakeProfileProvider()
        let store = try open(provider)
        let users = (0..<7).map { UserID("u\($0)") }
        for user in users + users { _ = try store.profile(user) }
        let fetched = try await store.fetchProfiles(users)
        #expect(fetched.count == 7)
        #expect(provider.calls.allSatisfy { $0.count <= 3 })
        #expect(provider.calls.flatMap { $0 }.sorted() == users)
    }

    @Test("A3: concurrent fetches of the same users share one request")
    func concurrentFetches() async throws {
        let gate = TestGate()
        let provider = FakeProfileProvider { users, _ in
            await gate.wait()
            return users.map { Profile(id: $0, name: "x") }
        }
        let store = try open(provider)
        async let first = store.fetchProfiles(["a", "b"])
        async let second = store.fetchProfiles(["b", "a"])
        await provider.asked.wait { !$0.isEmpty }
        _ = try store.profile("a")
        gate.open()
        #expect(try await first.map(\.displayName) == ["x", "x"])
        #expect(try await second.map(\.displayName) == ["x", "x"])
        #expect(provider.calls.count == 1)
    }

    @Test("A4: a provider that throws leaves placeholders that say so, and is asked again at once only on demand")
    func throwing() async throws {
        let provider = FakeProfileProvider { users, call in
            guard call > 1 else { throw Refusal() }
            return users.map { Profile(id: $0, name: "second") }
        }
        let store = try open(provider)
        let failed = try await store.fetchProfiles(["a"])
        #expect(failed.first?.isPlaceholder == true && failed.first?.hasFailed == true)
        #expect(try store.profile("a").needsFetch)
        let again = try await store.fetchProfiles(["a"])
        #expect(again.first?.displayName == "second" && again.first?.hasFailed == false)
    }

    @Test("A4: users that the answer leaves out have failed; users that nobody asked for are dropped; the last wins")
    func oddAnswers() async throws {
        let store = try open(
            FakeProfileProvider { _, _ in
                [
                    Profile(id: "a", name: "first"), Profile(id: "uninvited", name: "x"),
                    Profile(id: "a", userID: "app-a", name: "second", avatarURL: "u"),
                ]
            })
        let fetched = try await store.fetchProfiles(["a", "b"])
        #expect(fetched[0].info == Profile(id: "a", userID: "app-a", name: "second", avatarURL: "u"))
        #expect(fetched[1].isPlaceholder && fetched[1].hasFailed)
        #expect(try store.profile("uninvited").isPlaceholder)
    }

    @Test("A3: a provider that never answers is given up after the time-out, and its late answer dropped")
    func hanging() async throws {
        let (gate, clock) = (TestGate(), ManualClock())
        let provider = FakeProfileProvider { users, _ in
            await gate.wait()
            return users.map { Profile(id: $0, name: "late") }
        }
        let store = try place.open { configuration in
            configuration.clock = clock
            configuration.hooks.profileProvider = provider
            configuration.hooks.profileDelay = .zero
            configuration.hooks.profileTimeout = .seconds(20)
        }
        async let fetched = store.fetchProfiles(["a"])
        await clock.waitForSleeper(until: .seconds(20))
        clock.advance(by: .seconds(20))
        #expect(try await fetched.first?.hasFailed == true)
        gate.open()
        #expect(try await store.fetchProfiles(["b"]).map(\.displayName) == ["late"])
        let known = try await store.read { try $0.profile("a") }
        #expect(known.isPlaceholder && known.hasFailed)
        try await store.close()
    }

    @Test("A2: an empty list is an error, and so is a fetch without provider")
    func errors() async throws {
        let provider = FakeProfileProvider()
        let asking = try open(provider)
        await expectAsyncError(.invalidArgument) { _ = try await asking.fetchProfiles([]) }
        #expect(provider.calls == [])
        try await asking.close()
        let store = try open(nil)
        await expectAsyncError(.hookMissing) { _ = try await store.fetchProfiles(["a"]) }
        await expectAsyncError(.hookMissing) { _ = try await store.fetchTeams([group]) }
        #expect(try store.profile("a").isPlaceholder)
    }

    @Test("A1: an id that no event can carry does not spoil the batch that it is asked for with")
    func invalidID() async throws {
        let store = try open(FakeProfileProvider())
        _ = try store.profile("")
        _ = try store.profile(UserID(String(repeating: "x", count: 300)))
        #expect(try await store.fetchProfiles(["a"]).first?.isPlaceholder == false)
        await #expect(throws: StoreError.self) { try await store.fetchProfiles(["b", ""]) }
    }

    @Test("A3: closing the store ends the fetches that wait")
    func closing() async throws {
        let gate = TestGate()
        let provider = FakeProfileProvider { users, _ in
            await gate.wait()
            return []
        }
        let store = try open(provider)
        let fetching = Task { try await store.fetchProfiles(["a"]) }
        await provider.asked.wait { !$0.isEmpty }
        try await store.close()
        gate.open()
        await #expect(throws: StoreError.self) { try await fetching.value }
    }
}
