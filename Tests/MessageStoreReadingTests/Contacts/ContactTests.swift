import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d35: contacts, blocks, and lists of people and teams", .timeLimit(.minutes(30)))
struct ContactTests {
    private func received(_ contacts: ContactInfo..., replacesAll: Bool = false) -> Event {
        Event(ContactsReceived(contacts, replacesAll: replacesAll))
    }

    private func contacts(_ store: MessageStore) throws -> [Contact] { try store.read { try $0.contacts().elements } }

    private func blocked(_ store: MessageStore) throws -> [UserID] { try store.read { try $0.blockedUsers().elements } }

    @Test("C28, d35: a contact replaces the one before; a list that is whole ends the others; blocks stay")
    func lists() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(
                received(ContactInfo(id: "bob", remark: "Bobby", attributes: [1]), ContactInfo(id: "ann")),
                received(ContactInfo(id: "cid", remark: "")), Event(UsersBlocked(["ann", "eve"])))
            #expect(
                try contacts(store) == [
                    Contact(id: "ann", isBlocked: true), Contact(id: "bob", remark: "Bobby", attributes: [1]),
                    Contact(id: "cid"),
                ])
            try store.record(received(ContactInfo(id: "bob", attributes: [2])), Event(ContactsRemoved(["cid", "who"])))
            #expect(try contacts(store).map(\.id) == ["ann", "bob"])
            #expect(try store.read { try $0.contact("bob") } == Contact(id: "bob", attributes: [2]))
            #expect(try store.read { try $0.contact("cid") } == nil && store.read { try $0.contact("eve") } == nil)
            try store.record(received(ContactInfo(id: "dan", remark: "D"), replacesAll: true))
            #expect(try contacts(store).map(\.id) == ["dan"])
            #expect(try blocked(store) == ["ann", "eve"])
            #expect(try store.isConsistent())
        }
        try place.withStore { store throws in
            #expect(try contacts(store) == [Contact(id: "dan", remark: "D")])
            try store.record(received(replacesAll: true))
            #expect(try contacts(store) == [] && blocked(store) == ["ann", "eve"])
            #expect(try store.isConsistent())
        }
    }

    @Test("d35: of two blocks with times the later holds in either order; one without a time holds as it comes")
    func blocks() throws {
        let events = [Event(UsersBlocked(["bob"], true, at: ms(20))), Event(UsersBlocked(["bob"], false, at: ms(10)))]
        for order in [events, events.reversed()] {
            try withTemporaryStore { store throws in
                try store.record(order)
                #expect(try blocked(store) == ["bob"])
                #expect(try store.read { try $0.isBlocked("bob") } && !store.read { try $0.isBlocked("ann") })
                try store.record(Event(UsersBlocked(["bob"], false)))
                #expect(try blocked(store) == [] && !store.read { try $0.isBlocked("bob") })
                try store.record(Event(UsersBlocked(["bob"], true, at: ms(19))))
                #expect(try blocked(store) == [], "older than what was told before")
                try store.record(Event(UsersBlocked(["bob"], true, at: ms(21))))
                #expect(try blocked(store) == ["bob"])
            }
        }
    }

    @Test("C2, C28, d35: a remark goes before the nickname, the profile's name and the name that came with a message")
    func remarks() throws {
        try withTemporaryStore { store throws in
            let message = MessageReceived(
                serverID: "s", sender: "bob", sentTime: ms(1), content: .text("hi"),
                senderProfile: SenderProfile(name: "Then"))
            try store.record(
                Event(message, in: group, origin: .live), profiles([("bob", "Robert")]),
                Event(MemberInfoChanged("bob", nickname: "Nick"), in: group),
                .received(
                    "p", from: "bob", in: peer, at: ms(2), content: .text("x")))
            func names() throws -> [String?] {
                try store.read { views throws in
                    let shown = try #require(try views.message(.server("s"), in: group))
                    return [
                        try views.displayName(of: "bob", in: group), try views.displayName(of: "bob", in: peer),
                        try views.senderName(of: shown), try views.conversation(group)?.lastMessage?.senderName,
                        try views.conversation(peer)?.displayName,
                    ]
                }
            }
            #expect(try names() == ["Nick", "Robert", "Nick", "Nick", "Robert"])
            try store.record(received(ContactInfo(id: "bob", remark: "Bobby")))
            #expect(try names() == ["Bobby", "Bobby", "Bobby", "Bobby", "Bobby"])
            try store.record(received(ContactInfo(id: "bob", remark: "")))
            #expect(try names() == ["Nick", "Robert", "Nick", "Nick", "Robert"])
            try store.record(received(ContactInfo(id: "bob", remark: "Bobby")), Event(ContactsRemoved(["bob"])))
            #expect(try names() == ["Nick", "Robert", "Nick", "Nick", "Robert"])
        }
    }

    @Test("d35: lists are in the order of the ids' bytes, pages begin behind their cursor, and have 1 to 1000 rows")
    func pages() throws {
        var random = SplitMix64(seed: 35)
        let alphabet = ["a", "B", "é", "界", "\u{0}", "\u{10FFFF}", "1"]
        let names = Set(
            (0..<200).map { _ in (0...random.nextIndex(6)).map { _ in alphabet[random.nextIndex(7)] }.joined() })
        let ids = names.map { UserID($0) } + [UserID(String(repeating: "\u{0}", count: 255))]
        try withTemporaryStore { store throws in
            try store.record(
                Event(ContactsReceived(ids.shuffled(using: &random).map { ContactInfo(id: $0) })),
                Event(UsersBlocked(ids)), .profilesFetched(ids.map { Profile(id: $0) }),
                Event(ProfileFetchFailed(["unknown"], code: 1)))
            // By brute force: sorted as arrays of bytes.
            let expected = ids.sorted { Array($0.rawValue.utf8).lexicographicallyPrecedes(Array($1.rawValue.utf8)) }
            for limit in [1, 7, 1000] {
                try store.read { views throws in
                    let most = expected.count
                    let found = try views.all(atMost: most) { try $0.contacts(after: $1, limit: limit) }.map(\.id)
                    let blocked = try views.all(atMost: most) { try $0.blockedUsers(after: $1, limit: limit) }
                    let known = try views.all(atMost: most) { try $0.profiles(after: $1, limit: limit) }.map(\.info.id)
                    #expect(found == expected && blocked == expected && known == expected, "\(limit)")
                }
            }
            #expect(
                try store.read { try $0.contacts(after: PageCursor("a\u{0}no contact" as UserID)).elements }.first?.id
                    == expected.first { $0 > "a\u{0}no contact" })
        }
    }

    @Test("C28, d35: teams by id, those of one id under several kinds and channels each once; purged profiles are gone")
    func teams() throws {
        try withTemporaryStore { store throws in
            let keys: [ConversationKey] = [
                .group("b"), .group("a"), .system("a"), ConversationKey(.group, "a", channel: "1"), .group("ab"),
            ]
            try store.record(
                Event(TeamInfoFetched(keys.map { TeamInfo(id: $0, thumbnailURL: "t", attributes: [7]) })),
                Event(TeamInfoInvalidated(nil)), Event(TeamInfoFetched([TeamInfo(id: .group("b"), name: "B")])))
            let found = try store.read { views in
                try views.all(atMost: keys.count) { try $0.teams(after: $1, limit: 1) }
            }
            #expect(found.map(\.info.id.id) == ["a", "a", "a", "ab", "b"])
            #expect(Set(found.map(\.info.id)) == Set(keys))
            #expect(found.first?.info.thumbnailURL == "t" && found.first?.info.attributes == [7])
            #expect(found.map(\.isStale) == [true, true, true, true, false])
            let profile = Profile(id: "a", name: "A", avatarURL: "u", thumbnailURL: "t", attributes: [1, 2])
            try store.record(.profilesFetched([profile, Profile(id: "b"), Profile(id: "c")]))
            #expect(try store.read { try $0.profiles().elements }.first?.info == profile)
            try store.record(Event(ProfileInvalidated(["b"], purges: true)))
            #expect(try store.read { try $0.profiles().elements }.map(\.info.id) == ["a", "c"])
            try store.record(Event(ProfileInvalidated(nil, purges: true)))
            #expect(try store.read { try $0.profiles().elements } == [])
        }
    }

    @Test("C28, d35: an observed list of contacts follows what is received")
    func live() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let shown = Follower(store.observe { try $0.contacts().elements }.updates(of: { $0 }))
        #expect(try await shown.next()?.rows == [])
        try await store.record(received(ContactInfo(id: "bob", remark: "B")))
        #expect(try await shown.next()?.rows == [Contact(id: "bob", remark: "B")])
        try await store.close()
    }
}
