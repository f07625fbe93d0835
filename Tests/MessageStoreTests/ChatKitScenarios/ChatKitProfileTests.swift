import MessageStore
import MessageStoreLMDB
import Testing

/// Written from "ChatKit 自定义业务": profiles, session list, badge.
@Suite("ChatKit: profiles and the list", .timeLimit(.minutes(1)))
struct ChatKitProfileTests {
    /// `setFetchProfilesBlock:` as an app would fill it: some users are known, others are not.
    private final class Users: ProfileProvider {
        struct Down: Error {}

        private let known: [UserID: Profile]
        private let isDown: Bool
        private let hangs: Bool
        let asked = Locked<[[UserID]]>([])

        init(_ known: [UserID: Profile], isDown: Bool = false, hangs: Bool = false) {
            (self.known, self.isDown, self.hangs) = (known, isDown, hangs)
        }

        func profiles(for users: [UserID]) async throws -> [Profile] {
            asked.withLock { $0.append(users) }
            if isDown { throw Down() }
            if hangs { try await Task.sleep(for: .seconds(3600)) }
            return users.compactMap { known[$0] }
        }
    }

    private static let tom = Profile(id: "Tom", userID: "42", name: "汤姆", avatarURL: "https://x/tom.png")

    private func withStore(_ body: (MessageStore) async throws -> Void) async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.profileFetching.timeout = .milliseconds(50) }
        try await body(store)
        try store.close()
    }

    @Test("A1, A5, A6: profiles are pulled, many ids at once; the id on the wire and the app's own are two")
    func pulled() async throws {
        try await withStore { store in
            let users = Users(["Tom": Self.tom, "Jerry": Profile(id: "Jerry", name: "杰瑞")])
            store.setProfileProvider(users)
            let profiles = try await store.fetchProfiles(["Tom", "Jerry"])
            #expect(profiles.map(\.profile) == [Self.tom, Profile(id: "Jerry", name: "杰瑞")])
            #expect(users.asked.withLock { $0.map(\.count) } == [2])
            #expect(profiles[0].profile.userID == "42" && profiles[0].profile.id == "Tom")
        }
    }

    @Test(
        "A2, A3, A4: an empty list is an error; a provider that throws, hangs or leaves one out yields the id alone",
        arguments: [0, 1, 2])
    func failures(kind: Int) async throws {
        try await withStore { store in
            await #expect(throws: StoreError.self) { _ = try await store.fetchProfiles([]) }
            store.setProfileProvider(Users([:], isDown: kind == 1, hangs: kind == 2))
            let profile = try #require(try await store.fetchProfiles(["nobody"]).first)
            #expect(profile.isPlaceholder && profile.hasFailed && profile.profile == Profile(id: "nobody"))
        }
    }

    @Test("A7: what was fetched is there after the app was closed")
    func persistent() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        store.setProfileProvider(Users(["Tom": Self.tom]))
        _ = try await store.fetchProfiles(["Tom"])
        try store.close()
        try place.withStore { store throws in
            #expect(try store.read { try $0.profile("Tom") }.profile == Self.tom)
        }
    }

    @Test("A8: removing one cached profile or all makes the next look ask again", arguments: [true, false])
    func invalidated(one: Bool) async throws {
        try await withStore { store in
            let users = Users(["Tom": Self.tom])
            store.setProfileProvider(users)
            _ = try await store.fetchProfiles(["Tom"])
            try await store.record(Event(.profileInvalidated(ProfileInvalidated(one ? ["Tom"] : nil))))
            let stale = try store.profile("Tom")
            #expect(stale.isStale && stale.displayName == "汤姆", "shown until the new one comes")
            await eventually { users.asked.withLock { $0.count } == 2 && (try? store.profile("Tom").isStale) == false }
            try await store.record(Event(.profileInvalidated(ProfileInvalidated(nil, purges: true))))
            #expect(try await store.read { try $0.profile("Tom") }.isPlaceholder)
        }
    }

    @Test("A4, A9, A10: a cached look never waits; the name falls back to the id, also to one's own")
    func cached() async throws {
        try await withStore { store in
            #expect(try store.profile("Jerry").displayName == "Jerry")
            #expect(try store.profile(store.account).displayName == store.account.rawValue)
            try await store.record(profiles([("Tom", "")]))
            #expect(try store.profile("Tom").displayName == "Tom", "an empty name is none")
        }
    }

    @Test("A11, A12: the swipes: delete, and mark unread")
    func swipes() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), read(), markedUnread())
            #expect(try store.conversation()?.unread.isMarkedUnread == true && store.totals().badge == 1)
            try store.record(conversationDeleted())
            #expect(try store.list() == [] && store.totals().badge == 0)
            try store.record(received("b", at: 2))
            #expect(try store.list() == [group] && store.unread().messages == 1)
        }
    }

    @Test("A33: the badge is told whenever the total changes")
    func badge() async throws {
        try await withStore { store in
            let badges = Follower(store.observe { try $0.unreadTotals().badge })
            #expect(try await badges.next() == 0)
            try await store.record(received("a", at: 1))
            #expect(try await badges.next() == 1)
            try await store.record([received("b", at: 2, in: peer), muted(in: peer)])
            try await store.record(read())
            #expect(try await badges.next() == 0, "muted conversations are left out")
        }
    }

    @Test("A34: being kicked by another device is a state that the host reconnects from")
    func kicked() throws {
        try withTemporaryStore { store throws in
            try store.record(Event(.sessionStateChanged(SessionStateChanged(.kicked, code: 4111))))
            #expect(try store.read { try $0.session() }?.state == .kicked)
            try store.record(Event(.sessionStateChanged(SessionStateChanged(.connected))))
            #expect(try store.read { try $0.session() }?.code == 0)
        }
    }
}
