import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("B49, d4: the conversation query", .store)
struct ConversationQueryTests {
    private static let me = TemporaryStore.account
    private func key(_ number: Int) -> ConversationKey { .group("g\(number)") }

    private func found(_ query: ConversationQuery, _ store: MessageStore, limit: Int = 1000) throws -> [ConversationKey]
    {
        try store.read { try $0.conversations(matching: query, limit: limit).elements.map(\.key) }
    }

    /// By the index of names, or by the conversation list.
    private func condition(_ name: String?) -> ConversationCondition {
        name.map { .name(.equal(.string($0))) } ?? .all([])
    }

    private func updated(_ fields: ConversationFields, in key: ConversationKey) -> Event {
        Event(ConversationUpdated(fields), in: key)
    }

    private func removed(_ members: UserID..., from key: ConversationKey) -> Event {
        Event(MembersRemoved(members, kind: .left), in: key)
    }

    @Test("B49: contained in finds any of the members, contains all finds supersets")
    func members() throws {
        try store.record(
            created(members: [Self.me, "a"], in: key(1)), created(members: [Self.me, "a", "b"], in: key(2)),
            created(members: [Self.me, "c"], in: key(3)))
        #expect(try found(ConversationQuery(.containsAny(["b", "c"])), store) == [2, 3].map(key))
        #expect(try found(ConversationQuery(.containsAny(["b", "nobody"])), store) == [2].map(key))
        #expect(try found(ConversationQuery(.containsAny([])), store) == [])
        #expect(try found(ConversationQuery(.containsAll([Self.me, "a"])), store) == [1, 2].map(key))
        #expect(try found(ConversationQuery(.containsAll(["a", "a", "b"])), store) == [2].map(key))
        #expect(try found(ConversationQuery(.containsAll(["a", "nobody"])), store) == [])
        #expect(try found(ConversationQuery(.containsAll([])), store) == [1, 2, 3].map(key))
        #expect(try found(ConversationQuery(.all([.containsAny(["c"]), .containsAll(["a"])])), store) == [])
    }

    @Test("B6, d4: exactly these members, whatever their order and however the set came together")
    func exactMembers() throws {
        try store.record(created(members: ["a", "b"], in: key(1)), created(members: ["b", "a", "c"], in: key(2)))
        try store.record(snapshot(members: ["c", "b"], in: key(3)))
        #expect(try found(ConversationQuery(.exactMembers(["b", "a"])), store) == [key(1)])
        try store.record(removed("c", from: key(2)))
        #expect(try found(ConversationQuery(.exactMembers(["b", "a", "a"])), store) == [1, 2].map(key))
        try store.record(snapshot(members: ["a", "b"], in: key(3)), removed("a", from: key(1)))
        #expect(try found(ConversationQuery(.exactMembers(["a", "b"])), store) == [2, 3].map(key))
        #expect(try found(ConversationQuery(.exactMembers(["b"])), store) == [key(1)])
        try store.record(removed("b", from: key(1)))
        #expect(try found(ConversationQuery(.exactMembers([])), store) == [key(1)])
        #expect(try found(ConversationQuery(.exactMembers(["a", "nobody"])), store) == [])
    }

    @Test("B7, B49: name, creator, id and attributes as they are now, all conditions together")
    func equality() throws {
        let first = ConversationFields(name: "N", creator: "eve", indexed: ["type": "1", "topic": "food"])
        let second = ConversationFields(name: "N", creator: "bob", indexed: ["type": "0"])
        try store.record(updated(first, in: key(1)), updated(second, in: key(2)))
        #expect(try found(ConversationQuery(.name(.equal("N"))), store) == [1, 2].map(key))
        #expect(try found(ConversationQuery(.name(.equal("n"))), store) == [])
        #expect(
            try found(ConversationQuery(.all([.name(.equal("N")), .creator(.equal("eve"))])), store) == [key(1)])
        #expect(try found(ConversationQuery(.creator(.equal("nobody"))), store) == [])
        #expect(try found(ConversationQuery(.id(.equal("g2"))), store) == [key(2)])
        #expect(try found(ConversationQuery(.attribute("type", .equal("1"))), store) == [key(1)])
        #expect(
            try found(
                ConversationQuery(.all([.attribute("type", .equal("1")), .attribute("topic", .equal("food"))])),
                store) == [key(1)])
        #expect(
            try found(
                ConversationQuery(.all([.attribute("type", .equal("1")), .attribute("topic", .equal("art"))])),
                store) == [])
        #expect(
            try found(ConversationQuery(.all([.name(.equal("N")), .attribute("type", .equal("0"))])), store) == [
                key(2)
            ])

        try store.record(updated(ConversationFields(name: "M", indexed: ["type": "2"]), in: key(1)))
        #expect(try found(ConversationQuery(.name(.equal("N"))), store) == [key(2)])
        #expect(try found(ConversationQuery(.attribute("topic", .equal("food"))), store) == [])
        #expect(try found(ConversationQuery(.attribute("type", .equal("2"))), store) == [key(1)])
        #expect(try store.conversation(key(1))?.indexedAttributes == ["type": "2"])
        try store.record(snapshot(in: key(1)))
        for query in [
            ConversationQuery(.name(.equal("M"))), .init(.creator(.equal("eve"))),
            .init(.attribute("type", .equal("2"))),
        ] {
            #expect(try found(query, store) == [])
        }
    }

    @Test("an id is found under every kind and channel; strings are compared byte for byte")
    func bytes() throws {
        let channel = ConversationKey(.group, "g1", channel: "c")
        try store.record(
            updated(ConversationFields(name: "e\u{301}"), in: key(1)), pinned(in: .single("g1")),
            pinned(in: channel))
        #expect(Set(try found(ConversationQuery(.id(.equal("g1"))), store)) == [key(1), .single("g1"), channel])
        #expect(try found(ConversationQuery(.name(.equal("\u{E9}"))), store) == [])
        #expect(try found(ConversationQuery(.name(.equal("e\u{301}"))), store) == [key(1)])
    }

    @Test("d4: the latest activity first, pinned or not, twenty by default", arguments: [nil, "N"] as [String?])
    func order(name: String?) throws {
        try withTemporaryStore { store throws in
            for number in 1...22 {
                try store.record(
                    updated(ConversationFields(name: "N"), in: key(number)),
                    received("a", at: Int64(number % 2 * 100 + number), in: key(number)))
            }
            try store.record(pinned(in: key(2)), pinned(in: key(3)))
            let expected = (1...22).sorted { ($0 % 2, $0) > ($1 % 2, $1) }.map(key)
            #expect(try found(ConversationQuery(condition(name)), store) == expected)
            #expect(try found(ConversationQuery(condition(name)), store, limit: 4) == Array(expected.prefix(4)))
            let first = try store.read {
                try $0.conversations(matching: ConversationQuery(condition(name))).elements.map(\.key)
            }
            #expect(first == Array(expected.prefix(20)))
        }
    }

    @Test("d20, d22: deleted conversations and chat rooms are found only where asked for", arguments: [nil, "N"])
    func excluded(name: String?) throws {
        let room = ConversationKey(.chatRoom, "r")
        for key in [key(1), key(2), room] { try store.record(updated(ConversationFields(name: "N"), in: key)) }
        try store.record(conversationDeleted(in: key(2)))
        #expect(try found(ConversationQuery(condition(name)), store) == [key(1)])
        #expect(try found(ConversationQuery(condition(name), includesHidden: true), store) == [1, 2].map(key))
        #expect(try found(ConversationQuery(condition(name), includesChatRooms: true), store) == [key(1), room])
    }

    @Test("what a conversation is no longer found by leaves the index")
    func leavesNothing() throws {
        let fields = ConversationFields(name: "N", creator: "eve", indexed: ["type": "1"])
        try store.record(
            updated(fields, in: key(1)), Event(ConversationTagged(add: ["t"]), in: key(1)),
            Event(MembersAdded(["a", "b"], kind: .joined), in: key(1)))
        #expect(try indexRows(store) == 8)
        try store.record(
            Event(ConversationTagged(remove: ["t"]), in: key(1)), snapshot(in: key(1)),
            removed("a", from: key(1)), removed("b", from: key(1)))
        // Its id is left.
        #expect(try indexRows(store) == 1)
    }

    private func indexRows(_ store: MessageStore) throws -> Int? {
        try store.flush()
        return try store.statistics().tables.first { $0.name == "conversationIndex" }?.entries
    }
}
