import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I4: the echo of an own message", .store)
struct OwnEchoTests {
    private func echo(_ id: ServerMessageID, at time: Int64, token: ClientToken? = nil) -> Event {
        received(id, at: time, from: TemporaryStore.account, text: "mine", token: token, origin: .otherDevice)
    }

    @Test("I4: an echo with the token acknowledges the queued message, whatever became of the acknowledgement")
    func echoAcknowledges() throws {
        let local = try store.local(queued("mine", token: "t"))
        let result = try store.record([echo("s1", at: 50, token: "t")])
        #expect(result.positions == [Position(local.rawValue)])
        #expect(result.duplicates == 1)
        let message = try #require(try store.message(local))
        #expect(message.status == .sent)
        #expect(message.serverID == "s1")
        #expect(message.time == ms(50))
        #expect(try store.outbox().isEmpty)
        #expect(try store.texts() == ["mine"])
    }

    @Test("I4: after the echo, acknowledgement and further echoes change nothing", arguments: [false, true])
    func echoTwice(isOneBatch: Bool) throws {
        let local = try store.local(queued("mine", token: "t"))
        if isOneBatch {
            try store.record([echo("s1", at: 50, token: "t"), echo("s1", at: 50, token: "t")])
        } else {
            try store.record([echo("s1", at: 50, token: "t")])
            try store.record([echo("s1", at: 50, token: "t")])
        }
        #expect(try store.lastPosition() == Position(2), "one queued event and one acknowledgement")
        let views = try store.message(local)
        try store.record(sent(local, "s1", at: 60))
        try store.record(echo("s1", at: 50))
        #expect(try store.message(local) == views)
        #expect(try store.texts() == ["mine"])
    }

    @Test("I4: an echo without token that comes before the acknowledgement is replaced by the queued message")
    func acknowledgementAfterEcho() throws {
        let local = try store.local(queued("mine"))
        let twin = try store.local(echo("s1", at: 50))
        #expect(try store.page().elements.count == 2)
        try store.record(sent(local, "s1", at: 50))
        #expect(try store.page().elements.map(\.id) == [local])
        #expect(try store.message("s1")?.id == local)
        #expect(try store.message(twin) == nil)
    }

    /// The server took two attempts to send: the echo of one tells the id m1, the answer to the other m2.
    private func sendTwice(_ store: MessageStore, answerIsFirst: Bool, isOneBatch: Bool) throws -> LocalMessageID {
        let local = try store.local(queued("mine", token: "t"))
        var events = [echo("m1", at: 50, token: "t"), sent(local, "m2", at: 60)]
        if answerIsFirst { events.reverse() }
        if isOneBatch { try store.record(events) } else { for event in events { try store.record(event) } }
        return local
    }

    @Test(
        "d12: the id of a second acknowledgement names the message as well, in either order",
        arguments: [false, true], [false, true])
    func secondAcknowledgement(answerIsFirst: Bool, isOneBatch: Bool) throws {
        let local = try sendTwice(store, answerIsFirst: answerIsFirst, isOneBatch: isOneBatch)
        #expect(try store.message("m1")?.id == local && store.message("m2")?.id == local)
        try store.record(readByPeer(.messages([.server("m2")]), at: 70), modified("m2", "better", at: 80))
        let message = try #require(try store.message("m1"))
        #expect(message.status == .read && message.readTime == ms(70) && message.content.text == "better")
        #expect(message.serverID == (answerIsFirst ? "m2" : "m1"))
        // Neither copy is another message.
        try store.record(echo("m1", at: 50), echo("m2", at: 60))
        #expect(try store.texts() == ["better"])
    }

    @Test("d12: what was told of the second id before, its copy too, is the message's", arguments: [false, true])
    func toldBeforeSecondAcknowledgement(hasCopy: Bool) throws {
        let local = try store.local(queued("mine", token: "t"))
        try store.record(echo("m1", at: 50, token: "t"))
        if hasCopy { try store.record(echo("m2", at: 60)) }
        let readTime = readByPeer(.messages([.server("m2")]), at: 70)
        if !hasCopy { try store.record(readTime) }
        try store.record(Event(MessagePinned(.server("m2"), by: "me", at: ms(65)), in: group))
        try store.record(sent(local, "m2", at: 60))
        if hasCopy { try store.record(readTime) }
        #expect(try store.page().elements.map(\.id) == [local])
        #expect(try store.message("m1")?.readTime == ms(70))
        #expect(try store.read { try $0.pinnedMessages(in: group).elements.map(\.message.id) } == [local])
    }

    /// What is recorded of a message by an id and members, at a time.
    private func details(of id: MessageReference, by user: UserID, at time: Int64) -> [Event] {
        let facts: [any EventPayload] = [
            ReactionAdded(id, key: "+", by: user, at: ms(time)),
            MessageMetadataChanged(id, set: ["k \(user)": "v"], remove: [], at: ms(time)),
            MessageReadByPeer(
                .messages([id]), by: user, at: ms(time), counts: ReadCounts(read: UInt32(time), unread: 1)),
            MessageSnapshotReceived(id, deliveredCount: UInt32(time)),
        ]
        return facts.map { Event(any: $0, in: group, origin: .live) }
    }

    private func expectDetails(
        by users: [UserID], upTo time: Int, at ids: [MessageReference], _ store: MessageStore
    ) throws {
        for id in ids {
            #expect(try store.read { try $0.reactions(to: id, in: group) } == [Reaction(key: "+", users: users)])
            let pairs = Dictionary(uniqueKeysWithValues: users.map { ("k \($0)", "v") })
            #expect(try store.read { try $0.metadata(of: id, in: group) } == pairs)
            let receipts = try store.read { try $0.receipts(of: id, in: group) }
            #expect(receipts.read.map(\.member) == users && receipts.delivered.map(\.member) == users)
            #expect(receipts.counts?.read == UInt32(time) && receipts.deliveredCount == time)
        }
    }

    @Test(
        "d12: reactions, pairs, receipts and counts under either id are the message's",
        arguments: [false, true], [false, true])
    func detailsOfBothIDs(answerIsFirst: Bool, hasCopy: Bool) throws {
        let local = try store.local(queued("mine", token: "t"))
        let ids: [MessageReference] = [.server("m1"), .server("m2"), .local(local)]
        if hasCopy, !answerIsFirst { try store.record([echo("m2", at: 60)]) }
        try store.record(details(of: ids[0], by: "ann", at: 70) + details(of: ids[1], by: "bob", at: 71))
        var events = [echo("m1", at: 50, token: "t"), sent(local, "m2", at: 60)]
        if answerIsFirst { events.reverse() }
        try store.record(events)
        try expectDetails(by: ["ann", "bob"], upTo: 71, at: ids, store)
        try store.record(details(of: ids[0], by: "cat", at: 72) + details(of: ids[1], by: "dan", at: 73))
        try store.record(details(of: ids[2], by: "eve", at: 74))
        try expectDetails(by: ["ann", "bob", "cat", "dan", "eve"], upTo: 74, at: ids, store)
    }

    @Test("d12: what is recorded of a message before its acknowledgement is kept, by every name and of a repeat")
    func detailsBeforeAcknowledgement() throws {
        let local = try store.local(queued("mine"))
        func isOriginal(of id: ServerMessageID) -> Event {
            Event(MessageDuplicateSuppressed(serverID: id, duplicateOf: local, rule: .clientToken), in: group)
        }
        let names: [MessageReference] = [.server("more"), .local(local)]
        try store.record(details(of: names[0], by: "ann", at: 70) + [isOriginal(of: "more")])
        try store.record(details(of: names[1], by: "bob", at: 71))
        try expectDetails(by: ["ann", "bob"], upTo: 71, at: names, store)
        try store.record([received("r", at: 60)] + details(of: .server("r"), by: "cat", at: 72))
        try store.record(isOriginal(of: "r"))
        try expectDetails(by: ["ann", "bob", "cat"], upTo: 72, at: names, store)
        try store.record(sent(local, "m1", at: 50))
        let all = names + [.server("m1"), .server("r")]
        try expectDetails(by: ["ann", "bob", "cat"], upTo: 72, at: all, store)
        try store.record(details(of: .server("more"), by: "dan", at: 73))
        try expectDetails(by: ["ann", "bob", "cat", "dan"], upTo: 73, at: all, store)
    }

    @Test(
        "d12: what is recorded of a repeat is its original's, before and after it is found", arguments: [false, true])
    func detailsOfRepeat(isCountedLast: Bool) throws {
        try store.record(received("o", at: 10), received("r", at: 20))
        let original = try #require(try store.message("o")?.id)
        // A set of all reactions replaces what is earlier, under either id.
        let counted = MessageSnapshotReceived(
            .server(isCountedLast ? "r" : "o"), asOf: ms(isCountedLast ? 75 : 69),
            reactions: [ReactionSummary(key: "+", users: ["zoe"], count: 1)])
        try store.record(
            details(of: .server("o"), by: "ann", at: 70) + details(of: .server("r"), by: "bob", at: 71))
        try store.record(Event(counted, in: group))
        let repeated = MessageDuplicateSuppressed(serverID: "r", duplicateOf: original, rule: .content)
        try store.record(Event(repeated, in: group))
        try store.record(details(of: .server("r"), by: "eve", at: 80))
        let users: [UserID] = isCountedLast ? ["zoe", "eve"] : ["zoe", "ann", "bob", "eve"]
        #expect(try store.read { try $0.reactions(to: .server("o"), in: group).map(\.users) } == [users])
        let receipts = try store.read { try $0.receipts(of: .server("o"), in: group) }
        #expect(receipts.read.map(\.member) == ["ann", "bob", "eve"] && receipts.deliveredCount == 80)
    }

    @Test("d12: an acknowledgement hides no message of somebody else and none that was queued")
    func otherMessages() throws {
        let first = try store.local(queued("first"))
        let second = try store.local(queued("second"))
        try store.record(received("theirs", at: 10), sent(first, "m1", at: 20), sent(second, "m2", at: 30))
        try store.record(sent(first, "theirs", at: 40), sent(first, "m2", at: 50), sent(second, "m1", at: 60))
        #expect(try store.texts() == ["theirs", "first", "second"])
        #expect(try store.message("m1")?.id == first && store.message("m2")?.id == second)
    }

    @Test("d18: what was told of the echo is kept when the queued message takes its place")
    func factsOfTheEcho() throws {
        let local = try store.local(queued("mine"))
        try store.record(echo("s1", at: 50), readByPeer(.messages([.server("s1")]), at: 70))
        try store.record(modified("s1", "better", at: 60))
        try store.record(sent(local, "s1", at: 50))
        let message = try #require(try store.message("s1"))
        #expect(message.id == local)
        #expect(message.status == .read)
        #expect(message.readTime == ms(70))
        #expect(message.content.text == "better")
    }

    @Test("I4: an acknowledgement and an echo without token in one package are one message", arguments: [false, true])
    func acknowledgementAndEchoTogether(echoIsFirst: Bool) throws {
        let local = try store.local(queued("mine"))
        let events = [sent(local, "s1", at: 50), echo("s1", at: 50)]
        try store.record(echoIsFirst ? events.reversed() : events)
        #expect(try store.page().elements.map(\.id) == [local])
        #expect(try store.message("s1")?.id == local)
        #expect(try store.message("s1")?.status == .sent)
    }
}
