import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("d34: a fetch that failed is tried again", .timeLimit(.minutes(30)))
struct ProfileRetryTests {
    private let clock = ManualClock()
    private let place: TemporaryStore

    init() throws {
        place = try TemporaryStore()
    }

    /// A provider that is down for its first calls, and notes when it was called.
    private final class Flaky: ProfileProvider, TeamProvider {
        private let clock: ManualClock
        private let failures: Int
        let times = Watched<[Duration]>([])

        init(_ clock: ManualClock, failures: Int) {
            (self.clock, self.failures) = (clock, failures)
        }

        var calls: [Duration] { times.value }

        private func answer() throws {
            let count = times.change { times in
                times.append(clock.now.offset)
                return times.count
            }
            if count <= failures { throw Refusal() }
        }

        func profiles(for users: [UserID]) async throws -> [Profile] {
            try answer()
            return users.map { Profile(id: $0, name: "name of \($0)") }
        }

        func teams(for ids: [ConversationKey]) async throws -> [TeamInfo] {
            try answer()
            return ids.map { TeamInfo(id: $0, name: "name of \($0.id)") }
        }
    }

    private func open(
        profiles: (any ProfileProvider)?, teams: (any TeamProvider)? = nil, collecting delay: Duration = .zero
    ) throws -> MessageStore {
        try place.open { configuration in
            configuration.clock = clock
            configuration.hooks.profileDelay = delay
            configuration.hooks.profileProvider = profiles
            configuration.hooks.teamProvider = teams
        }
    }

    private func known(_ user: UserID, _ store: MessageStore) throws -> Cached<Profile> {
        try store.read { try $0.profile(user) }
    }

    /// The users of each event that tells of a failure.
    private func failures(_ store: MessageStore) async throws -> [[UserID]] {
        let events = try await store.events(where: EventFilter(types: [.profileFetchFailed]))
        return events.compactMap { ($0.event.payload as? ProfileFetchFailed)?.ids }
    }

    @Test("A4, d34: a profile whose fetch failed still needs one, also in the next process")
    func failedProfile() async throws {
        let store = try open(profiles: Flaky(clock, failures: .max))
        #expect(try await store.fetchProfiles(["a"]).map(\.hasFailed) == [true])
        #expect(try known("a", store).needsFetch)
        try await store.close()
        let provider = Flaky(clock, failures: 0)
        let next = try open(profiles: provider)
        #expect(try next.profile("a").hasFailed)
        await provider.times.wait { $0.count == 1 }
        await next.wait { (try? known("a", next).displayName) == "name of a" }
        try await next.close()
    }

    @Test("A4, C9, d34: the next display asks again, but not before the delay is over")
    func nextDisplay() async throws {
        let provider = Flaky(clock, failures: 1)
        let store = try open(profiles: provider)
        _ = try await store.fetchProfiles(["a"])
        clock.advance(by: .milliseconds(1_999))
        #expect(try store.profile("a").needsFetch)
        await MessageStore.letOthersRun()
        #expect(provider.calls == [.zero])
        clock.advance(by: .milliseconds(1))
        await MessageStore.letOthersRun()
        #expect(provider.calls == [.zero], "nobody looked")
        _ = try store.profile("a")
        await store.wait { (try? known("a", store).displayName) == "name of a" }
        #expect(provider.calls == [.zero, .seconds(2)])
        try await store.close()
    }

    /// A provider that cannot answer a request in which one user is, and notes for whom it was asked.
    private final class Refusing: ProfileProvider {
        let requests = Watched<[[UserID]]>([])
        /// Is called after each request.
        private let then: @Sendable ([[UserID]]) -> Void

        init(then: @escaping @Sendable ([[UserID]]) -> Void = { _ in }) { self.then = then }

        var calls: [[UserID]] { requests.value }

        func profiles(for users: [UserID]) async throws -> [Profile] {
            let calls = requests.change { requests in
                requests.append(users)
                return requests
            }
            then(calls)
            if users.contains("bad") { throw Refusal() }
            return users.map { Profile(id: $0, name: "name of \($0)") }
        }
    }

    @Test("A4, C9: nobody is asked for what was told since it was shown, unless the host asks by itself")
    func toldMeanwhile() async throws {
        let (profiles, teams) = (Refusing(), Flaky(clock, failures: 0))
        let store = try open(profiles: profiles, teams: teams, collecting: .milliseconds(10))
        async let wanted = store.fetchProfiles(["b"])
        await clock.waitForSleeper(until: .milliseconds(10))
        #expect(try store.profile("a").needsFetch && store.team(group).needsFetch)
        try await store.record([
            Event(ProfilesFetched([Profile(id: "a", name: "told"), Profile(id: "b", name: "told")])),
            Event(TeamInfoFetched([TeamInfo(id: group, name: "told")])),
        ])
        clock.advance(by: .milliseconds(10))
        #expect(try await wanted.map(\.displayName) == ["name of b"])
        await MessageStore.letOthersRun()
        #expect(profiles.calls == [["b"]] && teams.calls.isEmpty)
        #expect(try known("a", store).displayName == "told")
        try await store.close()
    }

    @Test("A4, d34: users whose fetch failed are asked for apart from others, which they keep from nothing")
    func apart() async throws {
        let store = try open(profiles: Refusing(), collecting: .milliseconds(10))
        async let failed = store.fetchProfiles(["bad"])
        await clock.waitForSleeper(until: .milliseconds(10))
        clock.advance(by: .milliseconds(10))
        #expect(try await failed.map(\.hasFailed) == [true])
        // What was held back is asked for again, collected together with what the host wants.
        try await store.record(Event(ProfileInvalidated(nil)))
        async let fetched = store.fetchProfiles(["Tom", "Jerry"])
        await MessageStore.letOthersRun()
        await clock.waitForSleeper(until: .milliseconds(20))
        clock.advance(by: .milliseconds(10))
        #expect(try await fetched.map(\.displayName) == ["name of Tom", "name of Jerry"])
        await store.wait { (try? known("bad", store).hasFailed) == true }
        let told = try await failures(store)
        #expect(told.allSatisfy { $0 == ["bad"] })
        try await store.close()
    }

    @Test("A4, C9, d34: a batch that failed is asked for again in halves, until the one that has no answer is alone")
    func halves() async throws {
        let provider = Refusing()
        let store = try open(profiles: provider)
        var left: [UserID] = ["bad", "b", "c", "d", "e", "f", "g", "h"]
        for _ in 0..<4 { left = try await store.fetchProfiles(left).filter(\.hasFailed).map(\.info.id) }
        #expect(left == ["bad"])
        #expect(provider.calls.map(\.count) == [8, 4, 4, 2, 2, 1, 1])
        try await store.close()
    }

    @Test("C9, d34: one user whom the host cannot answer keeps no other that is shown along with it from an answer")
    func shownTogether() async throws {
        let store = try open(profiles: Refusing(), collecting: .milliseconds(10))
        try await store.record([
            received("a", at: 1, from: "Tom"), received("b", at: 2, from: "bad"), received("c", at: 3, from: "Jerry"),
        ])
        let shown = Follower(store.observeTimeline(of: group))
        #expect(try await shown.next()?.elements.count == 3)
        await clock.waitForSleeper(until: .milliseconds(10))
        clock.advance(by: .milliseconds(10))
        await clock.waitForSleeper(until: .milliseconds(2_010))
        let told = try await failures(store)
        #expect(told.map { Set($0) } == [["Tom", "bad", "Jerry"]])
        clock.advance(by: .seconds(2))
        await clock.waitForSleeper(until: .milliseconds(2_020))
        clock.advance(by: .milliseconds(10))
        await store.wait { (try? known("Tom", store).displayName) == "name of Tom" }
        await store.wait { (try? known("Jerry", store).displayName) == "name of Jerry" }
        #expect(try known("bad", store).hasFailed)
        withExtendedLifetime(shown) {}
        try await store.close()
    }

    @Test("C9, d34: what failed is asked for in turn with what is new, however much of that comes")
    func turns() async throws {
        let (opened, clock) = (Locked<MessageStore?>(nil), clock)
        // Scrolling: with each request something new comes into view; with the second, what failed does once more.
        let provider = Refusing { calls in
            guard let store = opened.withLock({ $0 }), calls.count < 50 else { return }
            _ = try? store.profile(UserID("user \(calls.count)"))
            guard calls.count == 2 else { return }
            clock.advance(by: .seconds(2))
            _ = try? store.profile("bad")
        }
        let store = try open(profiles: provider, collecting: .milliseconds(10))
        opened.withLock { $0 = store }
        async let failed = store.fetchProfiles(["bad"])
        await clock.waitForSleeper(until: .milliseconds(10))
        clock.advance(by: .milliseconds(10))
        #expect(try await failed.map(\.hasFailed) == [true])
        await provider.requests.wait { $0.count == 50 }
        #expect(provider.calls.prefix(3) == [["bad"], ["user 1"], ["bad"]])
        opened.withLock { $0 = nil }
        try await store.close()
    }

    /// The delays that the rule gives: from 2 seconds doubled, to 5 minutes.
    private static let delays: [Int64] = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]

    @Test("C5, C9, d34: what is observed is asked for again when each delay is over; one event records the failures")
    func observed() async throws {
        let provider = Flaky(clock, failures: Self.delays.count)
        let store = try open(profiles: provider)
        let shown = Follower(store.observeProfile("a"))
        var end = Duration.zero
        var ends = [end]
        for delay in Self.delays {
            end += .seconds(delay)
            ends.append(end)
            await clock.waitForSleeper(until: end)
            clock.advance(by: .seconds(delay))
        }
        var latest = try #require(try await shown.next())
        while latest.isPlaceholder { latest = try #require(try await shown.next()) }
        #expect(latest.displayName == "name of a" && !latest.needsFetch)
        #expect(provider.calls == ends)
        let told = try await failures(store)
        #expect(told == [["a"]])
        try await store.close()
    }

    @Test(
        "d34: nothing is asked again for an observer that is gone, or a store that is closed", arguments: [false, true])
    func gone(closes: Bool) async throws {
        let provider = Flaky(clock, failures: .max)
        let store = try open(profiles: provider)
        var shown: LiveQuery<Cached<Profile>>.AsyncIterator? = store.observeProfile("a").makeAsyncIterator()
        _ = try await shown?.next()
        await clock.waitForSleeper(until: .seconds(2))
        if closes { try await store.close() } else { shown = nil }
        clock.advance(by: .seconds(2))
        await MessageStore.letOthersRun()
        #expect(provider.calls == [.zero])
        shown = nil
        if !closes { try await store.close() }
    }

    @Test("C7, C9, d34: when the session is connected, what failed is asked for at once")
    func connected() async throws {
        let (provider, teams) = (Flaky(clock, failures: 1), Flaky(clock, failures: 1))
        let store = try open(profiles: provider, teams: teams)
        _ = try await store.fetchProfiles(["a"])
        #expect(try await store.fetchTeams([group]).map(\.isPlaceholder) == [true])
        try await store.record(Event(SessionStateChanged(.disconnected)))
        await MessageStore.letOthersRun()
        #expect(provider.calls.count == 1 && teams.calls.count == 1)
        try await store.record(Event(SessionStateChanged(.connected)))
        await store.wait { (try? known("a", store).displayName) == "name of a" }
        await store.wait { (try? store.read { try $0.team(group).info.name }) == "name of g" }
        #expect(provider.calls == [.zero, .zero] && teams.calls == [.zero, .zero])
        try await store.close()
    }

    @Test("C7, d34: a team that failed is asked for at the next display after the delay, observed ones without it")
    func team() async throws {
        let teams = Flaky(clock, failures: 2)
        let store = try open(profiles: nil, teams: teams)
        _ = try await store.fetchTeams([group])
        #expect(try store.team(group).needsFetch)
        await MessageStore.letOthersRun()
        #expect(teams.calls.count == 1)
        clock.advance(by: .seconds(2))
        let shown = Follower(store.observeTeam(group))
        #expect(try await shown.next()?.isPlaceholder == true)
        await clock.waitForSleeper(until: .seconds(6))
        clock.advance(by: .seconds(4))
        #expect(try await shown.next()?.info.name == "name of g")
        #expect(teams.calls == [.zero, .seconds(2), .seconds(6)])
        try await store.close()
    }

    @Test(
        "A8, d34: a failure that was recorded is not recorded again, until a profile is fetched or invalidated between")
    func oneEvent() async throws {
        let store = try open(profiles: Flaky(clock, failures: .max))
        _ = try await store.fetchProfiles(["a"])
        let position = try store.lastPosition()
        #expect(try await store.fetchProfiles(["a"]).map(\.hasFailed) == [true])
        #expect(try store.lastPosition() == position)
        _ = try await store.fetchProfiles(["a", "b"])
        var told = try await failures(store)
        #expect(told == [["a"], ["b"]])
        try await store.record(Event(ProfileInvalidated(["a"])))
        #expect(try await store.fetchProfiles(["a"]).map(\.hasFailed) == [true])
        told = try await failures(store)
        #expect(told == [["a"], ["b"], ["a"]])
        try await store.close()
    }

    @Test("C9, d34: a list asks for the peers, senders and teams that it shows; a chat room's timeline for nobody")
    func lists() async throws {
        let (provider, teams) = (FakeProfileProvider(), FakeTeamProvider { ids, _ in ids.map { TeamInfo(id: $0) } })
        let store = try open(profiles: provider, teams: teams)
        let room = ConversationKey(.chatRoom, "room")
        try await store.record([
            received("a", at: 1, from: "ann"), received("b", at: 2, from: "bob", in: peer),
            received("c", at: 3, from: "cid", in: room), Event(ConversationPinned(true), in: .single("dan")),
        ])
        let inRoom = try await store.read { try $0.timeline(of: room) }
        try store.requestMissingInfo(inTimeline: inRoom)
        await MessageStore.letOthersRun()
        #expect(provider.calls == [])
        let list = Follower(store.observeConversations())
        #expect(try await list.next()?.elements.count == 3)
        await provider.asked.wait { Set($0.joined()).count == 3 }
        await teams.asked.wait { !$0.isEmpty }
        #expect(Set(provider.calls.joined()) == ["ann", "bob", "dan"])
        #expect(teams.calls == [[group]])
        await store.wait { (try? store.conversation(.single("dan"))?.displayName) == "dan 1" }
        try await store.close()
    }

    @Test("C9, d34: a timeline asks for the senders that it shows, as does a page that was read")
    func timelines() async throws {
        let provider = FakeProfileProvider()
        let store = try open(profiles: provider)
        try await store.record([received("a", at: 1, from: "ann"), received("b", at: 2, from: "cid")])
        let page = try await store.read { try $0.timeline(of: group, limit: 1) }
        try store.requestMissingInfo(inTimeline: page)
        await store.wait { (try? known("cid", store).isPlaceholder) == false }
        #expect(Set(provider.calls.joined()) == ["cid"])
        let list = try await store.read { try $0.conversations() }
        try await store.record(received("c", at: 3, from: "eve"))
        try store.requestMissingInfo(inList: list)
        await MessageStore.letOthersRun()
        #expect(provider.calls.joined().sorted() == ["cid"], "what is known is not asked for")
        try store.requestMissingInfo(inList: try await store.read { try $0.conversations() })
        await store.wait { (try? known("eve", store).isPlaceholder) == false }
        let timeline = Follower(store.observeTimeline(of: group))
        #expect(try await timeline.next()?.elements.count == 3)
        await store.wait { (try? known("ann", store).isPlaceholder) == false }
        #expect(provider.calls.joined().sorted() == ["ann", "cid", "eve"])
        try await store.close()
    }
}
