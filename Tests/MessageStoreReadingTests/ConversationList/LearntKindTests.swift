import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

private let chat = ConversationKey.id("c1")

@Suite("X4: the kind of a conversation is learnt or changed later", .store, .timeLimit(.minutes(30)))
struct LearntKindTests {
    private static let desk = ConversationKind(rawValue: 20)
    private static let kinds: [ConversationKind] = [.unspecified, .single, .group, .system, desk]

    private static func told(_ kind: ConversationKind?, in key: ConversationKey = chat) -> Event {
        Event(ConversationUpdated(ConversationFields(kind: kind)), in: key)
    }

    private static func reported(
        _ kind: ConversationKind? = nil, members: [UserID]? = nil, in key: ConversationKey = chat
    ) -> Event {
        .conversationSnapshot(ConversationFields(kind: kind), members: members, in: key)
    }

    /// The kinds under which conversations are listed, found and counted, with how much is unread there.
    private func filed(_ store: MessageStore) throws -> [ConversationKind: Int] {
        var filed: [ConversationKind: Int] = [:]
        for kind in Self.kinds {
            let query = ConversationQuery(.kinds([kind]))
            let found = try store.read { try $0.conversations(matching: query).elements.map(\.key) }
            let listed = try store.list(kinds: [kind])
            let totals = try store.totals(kinds: [kind])
            #expect(found == listed, "\(kind)")
            if listed.isEmpty {
                #expect(totals == UnreadTotals(), "\(kind)")
            } else {
                filed[kind] = totals.messages
            }
        }
        return filed
    }

    private func canSend(in key: ConversationKey, _ store: MessageStore) throws -> Bool {
        try store.read { try $0.canSend(in: key) }
    }

    @Test("X4, B7: an id finds its conversation before and after its kind is set")
    func identity() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1, in: chat))
            #expect(try store.conversation(chat)?.kind == .unspecified)
            let query = ConversationQuery(.id(.equal("c1")))
            for kind in [.single, .group, .system, Self.desk, .single] as [ConversationKind] {
                try store.record(Self.told(kind))
                let conversation = try #require(try store.conversation(chat))
                #expect(conversation.kind == kind && conversation.key == chat)
                #expect(try store.texts(of: chat) == ["a"])
                #expect(try store.unread(chat).messages == 1)
                let found = try store.read { try $0.conversations(matching: query).elements.map(\.key) }
                #expect(found == [chat])
            }
            try store.record(received("b", at: 2, in: chat))
            #expect(try store.texts(of: chat) == ["a", "b"])
            #expect(try store.conversation(.single("c1")) == nil)
            #expect(try store.list() == [chat])
        }
    }

    @Test("X4, B7: a chat that turns out to be of two shows the other one's name and picture, and as a group no longer")
    func peer() throws {
        try withTemporaryStore { store throws in
            try store.record([
                Self.reported(members: ["me", "bob"]), received("a", at: 1, from: "bob", in: chat),
                .profilesFetched([Profile(id: "bob", name: "Bob", avatarURL: "bob.png")]),
                Event(TeamInfoFetched([TeamInfo(id: chat, name: "Team", avatarURL: "team.png")])),
                Event(MemberInfoChanged("bob", nickname: "Bobby"), in: chat),
            ])
            for kind in [nil, .single, .group, .single] as [ConversationKind?] {
                if let kind { try store.record(Self.told(kind)) }
                let isOfTwo = kind == .single
                let other: UserID? = isOfTwo ? "bob" : nil
                let chatWithOther: ConversationKey? = isOfTwo ? chat : nil
                let row = try #require(try store.read { try $0.conversations().elements.first })
                #expect(row.peer == other, "\(row.kind)")
                #expect(row.displayName == (isOfTwo ? "Bob" : "Team"), "\(row.kind)")
                #expect(row.avatarURL == (isOfTwo ? "bob.png" : "team.png"), "\(row.kind)")
                #expect(row.lastMessage?.senderName == (isOfTwo ? "Bob" : "Bobby"), "nicknames are of groups")
                let name = try store.read { try $0.displayName(of: "bob", in: chat) }
                #expect(name == (isOfTwo ? "Bob" : "Bobby"), "\(row.kind)")
                let found = try store.read { try $0.conversation(withPeer: "bob")?.key }
                #expect(found == chatWithOther, "\(row.kind)")
            }
        }
    }

    @Test("X4, d36: an id that does not tell the kind is nobody's name; members decide whom a chat of two is with")
    func unnamedPeer() throws {
        let key = ConversationKey.id("bob")
        try store.record(Self.told(.single, in: key))
        #expect(try store.conversation(key)?.peer == nil)
        #expect(try store.conversation(key)?.displayName == "bob")
        let found = try store.read { try $0.conversation(withPeer: "bob")?.key }
        #expect(found == nil)
        try store.record(Self.reported(.single, members: ["me", "x", "y"], in: key))
        #expect(try store.conversation(key)?.peer == nil)
        try store.record(Self.reported(.single, members: ["me", "ann"], in: key))
        #expect(try store.conversation(key)?.peer == "ann")
        // Such a chat has a list of members, also between two people.
        #expect(try canSend(in: key, store))
        try store.record(Event(SelfKicked(), in: key))
        #expect(try !canSend(in: key, store))
        try store.record(Self.told(.group, in: key))
        #expect(try !canSend(in: key, store))
    }

    @Test("X4: lists, queries and totals go by the kind that was told last, after a snapshot without one by the key's")
    func filing() throws {
        try store.record(received("a", at: 1, in: chat))
        #expect(try filed(store) == [.unspecified: 1])
        try store.record(Self.told(.single))
        #expect(try filed(store) == [.single: 1])
        try store.record(received("b", at: 2, in: chat), received("c", at: 3, in: .group("g")))
        #expect(try filed(store) == [.single: 2, .group: 1])
        try store.record(Self.told(.group))
        #expect(try filed(store) == [.group: 3])
        try store.record(Event(ConversationUpdated(ConversationFields(name: "N")), in: chat), Self.told(nil))
        #expect(try filed(store) == [.group: 3], "what is not reported stays")
        try store.record(.muted(until: .latest, in: chat))
        #expect(try filed(store) == [.group: 1])
        try store.record(Self.told(.system))
        #expect(try filed(store) == [.system: 0, .group: 1])
        #expect(try store.totals(kinds: [.system], includesMuted: true).messages == 2)
        try store.record(.muted(false, in: chat))
        #expect(try filed(store) == [.system: 2, .group: 1])
        try store.record(Self.reported())
        #expect(try filed(store) == [.unspecified: 2, .group: 1])
        try store.record(Event(ConversationCreated(ConversationFields(kind: Self.desk)), in: chat))
        #expect(try filed(store) == [Self.desk: 2, .group: 1])
        try store.record(Self.reported(.single))
        #expect(try filed(store) == [.single: 2, .group: 1])
        #expect(try store.totals().messages == 3)
    }

    @Test("X4: a conversation whose key has a kind is given another one, and gets its own back")
    func otherKind() throws {
        let bob = ConversationKey.single("bob")
        try store.record(received("a", at: 1, from: "bob", in: bob))
        #expect(try store.conversation(bob)?.peer == "bob")
        try store.record(Self.told(.group, in: bob))
        #expect(try store.conversation(bob)?.kind == .group && store.conversation(bob)?.peer == nil)
        #expect(try filed(store) == [.group: 1])
        try store.record(Self.reported(in: bob))
        #expect(try store.conversation(bob)?.kind == .single && store.conversation(bob)?.peer == "bob")
        #expect(try filed(store) == [.single: 1])
    }

    static let mixes: [([Event], [ConversationKind: Int])] = [
        ([received("a", at: 1, in: chat), told(.single), received("b", at: 2, in: chat)], [.single: 2]),
        ([told(.group), reported(), received("a", at: 1, in: chat), told(.system)], [.system: 1]),
        (
            [told(.single), received("a", at: 1, in: chat), recalled("a", in: chat), received("b", at: 2, in: chat)],
            [.single: 1]
        ),
        (
            [received("a", at: 1, in: chat), told(.group), recalled("a", in: chat), received("b", at: 2, in: chat)],
            [.group: 1]
        ),
        (
            [
                received("a", at: 1, in: chat), told(.group), recalled("a", in: chat), reported(),
                received("b", at: 2, in: chat),
            ],
            [.unspecified: 1]
        ),
        (
            [
                received("a", at: 1, in: chat), told(.single), .read(in: chat), received("b", at: 2, in: chat),
                told(nil),
            ],
            [.single: 1]
        ),
        (
            [
                told(.single), .muted(until: .latest, in: chat), received("a", at: 1, in: chat),
                .muted(false, in: chat),
            ],
            [.single: 1]
        ),
    ]

    @Test(
        "X4: what was unread before a kind was told and what came after count for it, however events come together",
        arguments: mixes)
    func batches(events: [Event], expected: [ConversationKind: Int]) throws {
        var whole: Conversation?
        for size in [events.count, 2, 1] {
            for isFlushed in [false, true] {
                try withTemporaryStore { store throws in
                    for start in stride(from: 0, to: events.count, by: size) {
                        try store.record(Array(events[start..<min(start + size, events.count)]))
                        if isFlushed { try store.flush() }
                    }
                    #expect(try filed(store) == expected, "in batches of \(size)")
                    let conversation = try store.conversation(chat)
                    whole = whole ?? conversation
                    #expect(conversation == whole, "in batches of \(size)")
                    #expect(try store.isConsistent(), "in batches of \(size)")
                    try store.rebuild()
                    #expect(try filed(store) == expected, "rebuilt")
                    #expect(try store.conversation(chat) == whole, "rebuilt")
                }
            }
        }
    }

    @Test("X4: events make no chat room of a conversation, nothing else of a chat room, and tell no kind that is none")
    func refusals() throws {
        func events(_ kind: ConversationKind, in key: ConversationKey) -> [Event] {
            let fields = ConversationFields(kind: kind)
            return [
                Event(ConversationCreated(fields), in: key), Event(ConversationUpdated(fields), in: key),
                Event(ConversationSnapshotReceived(fields), in: key),
            ]
        }
        let room = ConversationKey.chatRoom("r")
        try withTemporaryStore { store throws in
            let before = try store.lastPosition()
            let refused =
                events(.chatRoom, in: chat) + events(.unspecified, in: chat) + events(.chatRoom, in: .group("g"))
                + events(.group, in: room) + events(.chatRoom, in: room)
            for event in refused {
                expectError(.invalidArgument) { try store.record(event) }
            }
            #expect(try store.lastPosition() == before)
            let renamed = Event(ConversationUpdated(ConversationFields(name: "N")), in: room)
            try store.record(renamed, Self.reported(in: room))
            #expect(try store.conversation(room)?.kind == .chatRoom)
        }
    }

    @Test("X4: in JSON, kinds and keys of ids have names")
    func json() throws {
        let event = Self.told(.single)
        let json = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
        #expect(json.contains(#""kind":"single""#))
        #expect(json.contains(#""kind":"unspecified""#))
        #expect(try JSONDecoder().decode(Event.self, from: Data(json.utf8)) == event)
    }
}
