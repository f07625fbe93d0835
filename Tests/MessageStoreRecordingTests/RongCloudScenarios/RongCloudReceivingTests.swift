import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Written from the document "接收消息" of RongCloud's IMLib: its callbacks, its packages, its states.
@Suite("RongCloud: receiving", .store, .timeLimit(.minutes(30)))
struct RongCloudReceivingTests {
    @Test(
        "D1, D2: several listeners hear every kind of conversation in one stream, and one that leaves misses the rest")
    func listeners() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let streams = [store.deliveries(), store.deliveries()]
        let (leaving, staying) = (TestSubscriber("leaving"), TestSubscriber("staying"))
        let (left, stayed) = (try store.subscribe(leaving), try store.subscribe(staying))
        let kinds: [ConversationKey] = [peer, group, ConversationKey(.chatRoom, "r"), ConversationKey(.system, "s")]
        for (index, key) in kinds.enumerated() {
            try await store.record(received("m\(index)", at: Int64(index + 1), in: key))
            guard index == 1 else { continue }
            await left.reaches(2)
            left.cancel()
            await left.waitUntilEnded()
        }
        await stayed.reaches(4)
        #expect(leaving.positions == [1, 2] && staying.positions == [1, 2, 3, 4])
        try await store.close()
        for stream in streams {
            var heard: [ConversationKey] = []
            for await delivery in stream { heard.append(delivery.conversation) }
            #expect(heard == kinds)
        }
    }

    @Test("D10–D14: read, listened, downloaded and retrieved are bits that only get more, where the type has them")
    func receivedStatus() throws {
        try store.record(
            received("voice", at: 1, type: .audio), received("text", at: 2), received("pic", at: 3, type: .image))
        let all: MessageFlags = [.read, .listened, .downloaded, .retrieved]
        let ids: [MessageReference] = [.server("voice"), .server("text"), .server("pic")]
        // Another device of the account tells first one thing, then all.
        try store.record(
            Event(
                MessageStatusFlagsSet(ids, flags: .retrieved), in: group,
                origin: .otherDevice))
        #expect(try store.unread().messages == 3)
        try store.record(Event(MessageStatusFlagsSet(ids, flags: all), in: group))
        #expect(try store.message("voice")?.flags == all)
        #expect(try store.message("text")?.flags == [.read, .retrieved], "nobody listens to or downloads a text")
        #expect(try store.message("pic")?.flags == [.read, .downloaded, .retrieved])
        #expect(try store.unread().messages == 0, "read on another device is read")
    }

    @Test("X11, D10–D13: states that come with a message hold from its arrival, where the type has them")
    func statesOnArrival() throws {
        let all: MessageFlags = [.read, .listened, .downloaded, .retrieved]
        func arriving(_ id: ServerMessageID, _ type: ContentType, _ flags: MessageFlags?, at time: Int64) -> Event {
            .received(id, from: "bob", in: group, at: ms(time), content: MessageContent(type: type), flags: flags)
        }
        try store.record(
            arriving("voice", .audio, all, at: 1), arriving("text", .text, all, at: 2),
            arriving("pic", .image, .retrieved, at: 3), arriving("new", .text, nil, at: 4))
        #expect(try store.message("voice")?.flags == all)
        #expect(try store.message("text")?.flags == [.read, .retrieved], "nobody listens to or downloads a text")
        #expect(try store.message("pic")?.flags == .retrieved && store.message("new")?.flags == [])
        #expect(try store.unread().messages == 2, "what arrives as read does not count")
        #expect(try store.page().elements.map(\.isRead) == [true, true, false, false])
        #expect(try store.events(where: EventFilter(types: [.messageStatusFlagsSet])).isEmpty)
    }

    @Test("X11: what the server's echo of a queued message says of its state holds, by its token too")
    func statesOfAnEcho() throws {
        func echo(_ id: ServerMessageID, _ type: ContentType = .image, flags: MessageFlags) -> Event {
            let message = MessageReceived(
                serverID: id, sender: "me", sentTime: ms(5), content: MessageContent(type: type), clientToken: "t",
                flags: flags)
            return Event(message, in: group, origin: .live)
        }
        try store.record(Event.queued(MessageContent(type: .image), in: group, clientToken: "t"))
        try store.record(echo("a", flags: .downloaded))
        #expect(try store.message("a")?.flags == .downloaded)
        // Another id for the same message.
        try store.record(echo("b", flags: .retrieved))
        #expect(try store.message("a")?.flags == [.downloaded, .retrieved])
        let count = try store.lastPosition()
        // A copy of another type tells nothing that the type of the message cannot have.
        for _ in 0..<2 { try store.record(echo("a", "x/other", flags: [.downloaded, .listened])) }
        #expect(try store.lastPosition() == count && store.isConsistent())
    }

    @Test("X11, D11: a message that takes the place of its echo keeps no state that its type cannot have")
    func statesOfAnEchoOfAnotherType() throws {
        let local = LocalMessageID(try store.record([queued("a")]).lastPosition.rawValue)
        let echo = MessageReceived(
            serverID: "a", sender: "me", sentTime: ms(5), content: MessageContent(type: .audio),
            flags: [.listened, .retrieved])
        try store.record(Event(echo, in: group, origin: .live))
        try store.record(Event(MessageSent(message: local, serverID: "a", sentTime: ms(5)), in: group))
        #expect(try store.message("a")?.flags == .retrieved, "nobody listens to a text")
    }

    @Test("D10: a message is read by its own flag, or at or below the marker, which is public")
    func readByMarker() throws {
        #expect(try store.read { try $0.readMarker(of: group) } == nil)
        try store.record(
            received("a", at: 1), received("b", at: 2), received("c", at: 3), received("me", at: 2, from: "me"))
        #expect(try store.page().elements.map(\.isRead) == [false, false, nil, false])
        try store.record(Event(ConversationRead(upTo: order(2, "b")), in: group, origin: .otherDevice))
        #expect(try store.read { try $0.readMarker(of: group) } == order(2, "b"))
        #expect(try store.page().elements.map(\.isRead) == [true, true, nil, false])
        #expect(try store.message("b")?.isRead == true && store.message("c")?.isRead == false)
        try store.record(Event(MessageStatusFlagsSet([.server("c")], flags: .read), in: group))
        #expect(try store.message("c")?.isRead == true)
        // What comes later and stands below the marker was read elsewhere.
        try store.record(received("late", at: 1))
        #expect(try store.message("late")?.isRead == true && store.unread().messages == 0)
    }
}
