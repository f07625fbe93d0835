import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Reactions and pairs beside messages", .store)
struct ReactionTests {
    private func added(_ key: String, _ user: UserID, at time: Int64, to message: MessageReference = .server("s"))
        -> Event
    {
        Event(ReactionAdded(message, key: key, by: user, at: ms(time)), in: group)
    }

    private func removed(_ key: String, _ user: UserID, at time: Int64) -> Event {
        Event(ReactionRemoved(.server("s"), key: key, by: user, at: ms(time)), in: group)
    }

    private func expanded(_ values: [String: String], remove: [String] = [], at time: Int64) -> Event {
        Event(
            MessageMetadataChanged(.server("s"), set: values, remove: remove, at: ms(time)), in: group)
    }

    private func reactions(_ store: MessageStore, _ message: MessageReference = .server("s")) throws -> [String] {
        try store.read { views throws in
            try views.reactions(to: message, in: group).map { reaction in
                reaction.key + ":" + reaction.users.map(\.rawValue).joined(separator: ",")
            }
        }
    }

    @Test("d18: the rows are the same in whatever order reactions, their removals and the message come")
    func order() throws {
        let events = [
            received("s", at: 1), added("+1", "b", at: 20), added("+1", "a", at: 10), added("x", "a", at: 15),
            added("+1", "c", at: 5), removed("+1", "c", at: 6), added("x", "b", at: 30), removed("x", "b", at: 29),
        ]
        for order in [events, events.reversed(), Array(events[4...] + events[..<4])] {
            try withTemporaryStore { store throws in
                try store.record(order)
                #expect(try reactions(store) == ["+1:a,b", "x:a,b"])
            }
        }
    }

    @Test("given again after being taken back, a reaction is the latest")
    func again() throws {
        try store.record(added("x", "a", at: 1), added("x", "b", at: 2), removed("x", "a", at: 3))
        #expect(try reactions(store) == ["x:b"])
        try store.record(added("x", "a", at: 4))
        #expect(try reactions(store) == ["x:b,a"])
        // Equal times: the log decides, both what holds and who was first.
        try store.record(added("y", "c", at: 9), added("y", "b", at: 9), added("y", "a", at: 9))
        #expect(try reactions(store) == ["x:b,a", "y:c,b,a"])
        try store.record(removed("y", "c", at: 9))
        #expect(try reactions(store) == ["x:b,a", "y:b,a"])
    }

    @Test("a key that begins like another one's key and user is distinguished")
    func similarKeys() throws {
        // User 2 is the first that is not the account; its number follows the reaction in the row's key.
        try store.record(added("x", "a", at: 1), added("x\0\0\0\u{2}", "a", at: 2), added("x", "b", at: 3))
        #expect(try reactions(store) == ["x:a,b", "x\0\0\0\u{2}:a"])
    }

    @Test("d18: an own message answers by its local id, its server id and that of its echo alike")
    func ownMessage() throws {
        let local = try store.local(queued("hi"))
        try store.record(added("early", "a", at: 1, to: .local(local)))
        #expect(try reactions(store, .local(local)) == ["early:a"])
        try store.record(added("x", "a", at: 2), received("s", at: 5, from: TemporaryStore.account))
        let echo = try #require(try store.message("s")).id
        try store.record(sent(local, "s", at: 5), added("y", "b", at: 3, to: .local(local)))
        try store.record(added("z", "c", at: 4, to: .local(echo)))
        for reference in [MessageReference.server("s"), .local(local), .local(echo)] {
            #expect(try reactions(store, reference) == ["early:a", "x:a", "y:b", "z:c"])
        }
        #expect(try reactions(store, .local(LocalMessageID(999))).isEmpty)
    }

    @Test("the longest ids and keys fit", arguments: [true, false])
    func longest(isReaction: Bool) throws {
        let place = try TemporaryStore()
        let message = MessageReference.server(ServerMessageID(String(repeating: "i", count: 255)))
        let key = String(repeating: "k", count: EventLimits.keyBytes)
        let pair = MessageMetadataChanged(message, set: [key: "v"], at: ms(1))
        try place.withStore { store throws in
            try store.record(
                isReaction
                    ? added(key, "a", at: 1, to: message) : Event(pair, in: group))
        }
        try place.withStore { store throws in
            if isReaction { #expect(try reactions(store, message) == [key + ":a"]) }
            let pairs = try store.read { try $0.metadata(of: message, in: group) }
            #expect(pairs == (isReaction ? [:] : [key: "v"]))
        }
    }

    @Test("a server id means its conversation's message alone")
    func otherConversation() throws {
        try store.record(added("x", "a", at: 1))
        #expect(try store.read { try $0.reactions(to: .server("s"), in: peer) }.isEmpty)
        // An id that begins like this one.
        #expect(try reactions(store, .server("s1")).isEmpty)
    }

    @Test("for each pair the latest change by the server's clock is shown, whatever order they come in")
    func metadata() throws {
        let events = [
            expanded(["a": "1", "b": "1"], at: 10), expanded(["a": "2"], remove: ["b"], at: 20),
            expanded(["b": "0", "c": ""], at: 15), expanded(["d": "x"], remove: ["d"], at: 30),
        ]
        for order in [events, events.reversed()] {
            try withTemporaryStore { store throws in
                try store.record(order)
                let pairs = try store.read { try $0.metadata(of: .server("s"), in: group) }
                #expect(pairs == ["a": "2", "c": ""])
            }
        }
    }
}
