import MatrixClient
import MessageStore
import Testing

/// Against a real server. Expectations come from plain calls, not from the client.
@Suite("MatrixChat and Synapse", .serialized, .enabled(if: Synapse.isAvailable), .timeLimit(.minutes(3)))
struct MatrixClientTests {
    @Test("signing in: rooms, members, names and invitations")
    func signIn() async throws {
        let (alice, bob, place) = (try await Peer("alice"), try await Peer("bob"), Place())
        let room = try await bob.createRoom("Garden", inviting: [alice])
        try await bob.send("hello", to: room)
        let client = try await place.signIn("alice")
        try await client.sync()
        let key = ConversationKey.id(room)
        let (conversation, members) = try await client.store.read { views in
            let names = try views.members(in: key, limit: 1000).elements.map {
                try views.displayName(of: $0.id, in: key)
            }
            return (try views.conversation(key), Set(names))
        }
        #expect(conversation?.name == "Garden" && conversation?.kind == .group)
        #expect(members == ["alice", "bob"])
        #expect(try await client.texts(of: key) == ["hello"])

        let other = try await bob.createRoom("Cellar")
        try await bob.invite(alice.user, to: other)
        try await client.sync { try $0.conversation(.id(other))?.name == "Cellar" }
        #expect(try await client.join(other) == .id(other))
        try await bob.setName("Robert")
        try await client.sync { try $0.displayName(of: "@bob:localhost", in: .id(other)) == "Robert" }
        try await bob.setName("bob")
        try await alice.setDirect([room], with: bob.user)
        try await client.sync { try $0.conversation(key)?.kind == .single }
        let otherPlace = Place()
        let second = try await otherPlace.signIn("alice")
        try await second.sync()
        #expect(try await second.store.read { try $0.conversation(key)?.kind } == .single)
        try await second.store.close()
        try await alice.setDirect([], with: bob.user)
        try await client.sync { try $0.conversation(key)?.kind == .group }
        try await bob.leave(other)
        try await client.sync { try !$0.isMember("@bob:localhost", in: .id(other)) }
        #expect(try await client.store.verify().isConsistent)
        try await client.store.close()
    }

    @Test("limited timelines are gaps; history fills them with what the server has")
    func gaps() async throws {
        let (alice, bob, place) = (try await Peer("alice"), try await Peer("bob"), Place())
        let room = try await bob.createRoom("Archive", inviting: [alice])
        let key = ConversationKey.id(room)
        let first = try await Self.fill(room, by: bob, and: alice)
        let client = try await place.signIn("alice", timelineLimit: 6)
        try await client.sync()
        var page = try await client.store.read { try $0.timeline(of: key, limit: 100) }
        #expect(page.elements.count < 7 && page.hasGapBefore)
        #expect(try await client.rows(of: key) == bob.rows(of: room))

        // A gap between known and new messages, with edits, reactions and redactions of known ones in it.
        for number in 0..<8 { try await bob.send("later \(number)", to: room) }
        try await bob.edit(first[3], to: "changed in the gap", in: room)
        try await bob.react("🎉", to: first[1], in: room)
        try await bob.redact(first[0], in: room)
        for number in 8..<16 { try await bob.send("later \(number)", to: room) }
        try await client.sync { try $0.timeline(of: key).elements.last?.text == "later 15" }
        page = try await client.store.read { try $0.timeline(of: key, limit: 100) }
        #expect(!page.isContiguous)
        #expect(try await client.rows(of: key) == bob.rows(of: room))
        page = try await client.store.read { try $0.timeline(of: key, limit: 100) }
        #expect(page.isContiguous && page.reachesBeginning)
        #expect(try await client.store.verify().isConsistent)
        try await client.store.close()
    }

    /// Forty messages with edits, reactions and redactions of each kind among them.
    private static func fill(_ room: String, by bob: Peer, and alice: Peer) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<40 {
            ids.append(try await (number % 5 == 4 ? alice : bob).send("message \(number)", to: room))
            switch number {
            case 10: try await bob.edit(ids[2], to: "edited \(number)", in: room)
            case 12: try await alice.edit(ids[3], to: "not alice's to edit", in: room)
            case 14: try await bob.redact(ids[5], in: room)
            case 16:
                let reaction = try await alice.react("👍", to: ids[1], in: room)
                try await bob.react("👍", to: ids[1], in: room)
                try await alice.redact(reaction, in: room)
            case 20: try await bob.edit(ids[2], to: "edited again", in: room)
            case 37: try await bob.react("❤️", to: ids[6], in: room)
            default: break
            }
        }
        return ids
    }

    @Test("edits, reactions and redactions of others, and those of the client")
    func changes() async throws {
        let (alice, bob, place) = (try await Peer("alice"), try await Peer("bob"), Place())
        let room = try await bob.createRoom("Changes", inviting: [alice])
        let key = ConversationKey.id(room)
        var client = try await place.signIn("alice")
        let theirs = try await bob.send("one", to: room)
        let reaction = try await bob.react("👀", to: theirs, in: room)
        let edit = try await bob.edit(theirs, to: "two", in: room)
        try await client.sync()
        #expect(try await client.rows(of: key) == bob.rows(of: room))
        try await client.store.close()

        // After a restart, what a redaction is about is found in the log.
        client = try await place.open()
        try await bob.redact(reaction, in: room)
        try await bob.redact(edit, in: room)
        try await client.sync { try $0.message(.server(ServerMessageID(theirs)), in: key)?.text == "one" }
        #expect(try await client.rows(of: key).first?.reactions == [:])

        let local = try await client.send("draft", to: key)
        func mine() async throws -> Message { try #require(try await client.store.read { try $0.message(local) }) }
        // An edit of a message that no server has yet waits for it.
        try await client.edit(try await mine(), to: "final")
        try await client.sendWaiting()
        let shown = try await client.message(theirs, in: key)
        try await client.react("👍", to: shown)
        try await client.react("🚀", to: shown)
        try await client.sendWaiting()
        try await client.sync { try $0.message(local)?.isTimeProvisional == false }
        try await client.react("🚀", to: shown)
        let other = try await client.send("to be taken back", to: key)
        try await client.sendWaiting()
        try await client.redact(try #require(try await client.store.read { try $0.message(other) }), reason: "typo")
        try await client.sendWaiting()
        #expect(try await client.store.read { try $0.pendingChanges().isEmpty && $0.outbox().isEmpty })
        try await bob.edit(try #require(try await mine().serverID?.rawValue), to: "not bob's to edit", in: room)
        try await bob.send("end", to: room)
        try await client.sync { try $0.timeline(of: key).elements.last?.text == "end" }
        // A redacted edit has lost its relation: the server shows it as a message.
        let rows = try await bob.rows(of: room).filter { $0.id != edit }
        #expect(rows.map(\.text) == ["one", "final", nil, "end"])
        #expect(rows.first?.reactions == ["👍": [alice.user]])
        #expect(try await client.rows(of: key) == rows)
        #expect(try await client.store.verify().isConsistent)
        try await client.store.close()
    }

    @Test("receipts in both directions, and unread counts that are the server's")
    func reading() async throws {
        let (alice, bob, place) = (try await Peer("alice"), try await Peer("bob"), Place())
        let room = try await bob.createRoom("Reading", inviting: [alice])
        let key = ConversationKey.id(room)
        var counts: [Int?] = []
        let client = try await place.signIn("alice", timelineLimit: 4)
        try await client.sync()
        for number in 0..<3 { try await bob.send("first \(number)", to: room) }
        try await client.sync { try $0.timeline(of: key).elements.last?.text == "first 2" }
        #expect(try await client.unread(of: key) == 3)
        counts.append(try await alice.notificationCount(of: room))

        // Messages of the gap count as well.
        let ids = try await bob.send((0..<9).map { "second \($0)" }, to: room)
        try await bob.edit(ids[0], to: "edited", in: room)
        try await client.sync { try $0.message(.server(ServerMessageID(ids[8])), in: key) != nil }
        #expect(try await client.unread(of: key) == 12)
        counts.append(try await alice.notificationCount(of: room))
        _ = try await client.rows(of: key)
        #expect(try await client.unread(of: key) == 12)

        // Another device of the account reads some.
        try await alice.read(upTo: ids[4], in: room)
        try await client.sync { try $0.unread(of: key).messages == 4 }
        counts.append(try await alice.notificationCount(of: room))

        try await client.markRead(key)
        #expect(try await client.unread(of: key) == 0)
        try await client.sendWaiting()
        counts.append(try await alice.notificationCount(of: room))
        #expect(counts == [3, 12, 4, 0])
        #expect(try await bob.receipt(of: alice.user, in: room) == ids[8])

        let local = try await client.send("answer", to: key)
        try await client.sendWaiting()
        let answer = try #require(try await client.store.read { try $0.message(local)?.serverID?.rawValue })
        try await client.sync { try $0.message(local)?.isTimeProvisional == false }
        #expect(try await client.store.read { try $0.message(local)?.status } == .sent)
        // The receipt is of a reaction, which is no message of the store.
        let reaction = try await bob.react("👍", to: answer, in: room)
        try await client.sync { try $0.reactions(to: .local(local), in: key).count == 1 }
        try await bob.read(upTo: reaction, in: room)
        try await client.sync { try $0.message(local)?.status == .read }
        #expect(try await client.store.verify().isConsistent)
        try await client.store.close()
    }
}
