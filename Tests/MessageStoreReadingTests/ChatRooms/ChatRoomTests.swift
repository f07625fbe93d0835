import Dispatch
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("B43–B45, d22: chat rooms", .store, .timeLimit(.minutes(30)))
struct ChatRoomTests {
    private let room = ConversationKey(.chatRoom, "r")
    private let other = ConversationKey(.chatRoom, "o")

    private func joined(_ key: ConversationKey, at time: Int64) -> Event {
        Event(ChatRoomJoined(at: ms(time)), in: key)
    }

    private func left(
        _ key: ConversationKey, _ reason: ChatRoomLeaveReason = .quit, at time: Int64, purges: Bool? = nil
    ) -> Event {
        Event(ChatRoomLeft(reason, at: ms(time), purges: purges), in: key)
    }

    private func entries(set values: [String: String], remove: [String] = []) -> Event {
        Event(ChatRoomEntriesChanged(set: values, remove: remove), in: room)
    }

    private func state(_ key: ConversationKey, _ store: MessageStore) throws -> ChatRoomState {
        try store.read { try $0.chatRoom(key) }
    }

    private func entries(_ store: MessageStore) throws -> [String: String] {
        try store.read { try $0.chatRoomEntries(in: room) }
    }

    private func joinedRooms(_ store: MessageStore) throws -> [ConversationKey] {
        try store.read { try $0.joinedChatRooms() }
    }

    @Test("B45: times of entering and leaving are kept, also after a return")
    func times() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            #expect(try state(room, store) == .unknown)
            try store.record(joined(room, at: 10))
            #expect(try state(room, store).isJoined && state(room, store).joinedTime == ms(10))
            #expect(try state(room, store).leftTime == nil)
            try store.record(left(room, .dropped, at: 20))
            #expect(try !state(room, store).isJoined)
            #expect(try state(room, store).leaveReason == .dropped)
        }
        try place.withStore { store throws in
            #expect(try joinedRooms(store) == [])
            try store.record(joined(room, at: 30))
            let state = try state(room, store)
            #expect(state.isJoined && state.joinedTime == ms(30) && state.leftTime == ms(20))
            #expect(try joinedRooms(store) == [room])
            #expect(try store.isConsistent())
        }
    }

    @Test("d22: the pairs of a room are set, replaced and removed, and go with the room")
    func roomEntries() throws {
        try store.record(joined(room, at: 1), entries(set: ["k": "1", "礼": ""]))
        #expect(try entries(store) == ["k": "1", "礼": ""])
        try store.record(entries(set: ["k": "2"], remove: ["礼", "none"]))
        #expect(try entries(store) == ["k": "2"])
        try store.record(left(room, .dropped, at: 2))
        #expect(try entries(store) == ["k": "2"])
        try store.record(left(room, at: 3))
        #expect(try entries(store) == [:])
    }

    @Test("d22: leaving for good purges what was shown, a broken connection does not; later messages are shown")
    func purge() throws {
        try store.record(joined(room, at: 1), received("a", at: 5, in: room), received("b", at: 6, in: group))
        try store.record(left(room, .dropped, at: 7))
        #expect(try store.texts(of: room) == ["a"])
        try store.record(left(room, at: 8))
        #expect(try store.texts(of: room) == [])
        #expect(try store.unread(room) == UnreadCount(readUpTo: order(5, "a")))
        #expect(try store.conversation(room)?.lastMessage == nil)
        #expect(try store.texts() == ["b"])
        try store.record(joined(room, at: 9), received("c", at: 10, in: room))
        #expect(try store.texts(of: room) == ["c"])
        #expect(try store.unread(room).messages == 1)
        #expect(try store.list() == [group])
    }

    @Test("B43: a room that is entered again shows what the service pushes and serves of what was there before")
    func entersAgain() throws {
        let own = try store.local(Event(MessageSendQueued(content: .text("own"), clientToken: "t"), in: room))
        let messages = (1...4).map { received(ServerMessageID("m\($0)"), at: Int64($0), in: room) }
        try store.record([joined(room, at: 1)] + messages + [sent(own, "m5", at: 5, in: room)])
        let waiting = try store.local(Event(MessageSendQueued(content: .text("waits"), clientToken: "w"), in: room))
        let third = try #require(try store.message("m3", in: room)).id
        try store.record(
            Event(MessageRecalled(.server("m4")), in: room), deleted("m1", in: room), left(room, at: 6))
        #expect(try store.texts(of: room) == ["waits"] && store.message("m3", in: room) == nil)
        let marker = try store.unread(room).readUpTo
        // An event about a message, and its hiding that ends, are no delivery.
        try store.record(
            Event(ReactionAdded(.local(third), key: "+", by: "bob", at: ms(7)), in: room),
            Event(MessageFiltered(.server("m2"), verdict: .hide), in: room),
            Event(MessageFiltered(.server("m2"), verdict: .keep), in: room))
        #expect(try store.texts(of: room) == ["waits"])

        // Pushed copies, in the batch that enters the room and after it; one more time they add nothing.
        try store.record([joined(room, at: 7), messages[2], messages[3]])
        #expect(try store.page(of: room).elements.compactMap(\.serverID) == ["m3", "m4"])
        let copy = received("m5", at: 5, from: "me", in: room, text: "own")
        let page = [messages[0], messages[1], copy].map { event in
            var event = event
            event.origin = .history
            return event
        }
        try store.record(page)
        let last = try store.lastPosition()
        #expect(try store.record(messages + page).duplicates == 7 && store.lastPosition() == last, "I4")
        #expect(try store.page(of: room).elements.compactMap(\.serverID) == ["m2", "m3", "m4", "m5"])
        #expect(try store.message("m3", in: room)?.id == third && store.message("m4", in: room)?.isRecalled == true)
        #expect(try store.unread(room) == UnreadCount(readUpTo: marker), "what was seen is read")
        #expect(try store.message(waiting)?.text == "waits")
        #expect(try store.isConsistent())
    }

    @Test("d22: clearing a room refuses what arrives again, before it was left and after; one batch may do all of it")
    func clearsAndLeaves() throws {
        let messages = (1...3).map { received(ServerMessageID("m\($0)"), at: Int64($0), in: room) }
        try store.record(messages[0], cleared(in: room), messages[1], left(room, at: 6))
        let again = [joined(room, at: 7), messages[0], messages[1], messages[1], messages[2]]
        #expect(try store.record(again).duplicates == 3)
        #expect(try store.texts(of: room) == ["m2", "m3"])
        try store.record([messages[1], left(room, at: 8), messages[2], left(room, at: 9), messages[1]])
        #expect(try store.texts(of: room) == ["m2"])
        try store.record(cleared(in: room), left(room, at: 10))
        try store.record(messages)
        #expect(try store.texts(of: room) == [])
        // What is gone from the timeline is cleared as well.
        try store.record(received("m4", at: 4, in: room), left(room, at: 11), cleared(in: room))
        try store.record(messages + [received("m4", at: 4, in: room), received("m5", at: 5, in: room)])
        #expect(try store.texts(of: room) == ["m5"])
        #expect(try store.isConsistent())
    }

    @Test("d22: a host may keep what it has seen of a room")
    func keeps() throws {
        try store.record(joined(room, at: 1), entries(set: ["k": "1"]), received("a", at: 5, in: room))
        try store.record(left(room, at: 7, purges: false))
        #expect(try store.texts(of: room) == ["a"])
        #expect(try entries(store) == ["k": "1"])
    }

    @Test("B44: entering a room leaves the others, in one commit")
    func switches() throws {
        try store.joinChatRoom(room, at: ms(1))
        try store.record(entries(set: ["k": "1"]))
        try store.joinChatRoom(other, at: ms(2))
        #expect(try joinedRooms(store) == [other])
        #expect(try state(room, store).leaveReason == .switched && state(room, store).leftTime == ms(2))
        #expect(try entries(store) == [:])
        // Entering again is no leaving.
        try store.joinChatRoom(other, at: ms(3))
        #expect(try state(other, store).joinedTime == ms(3) && state(other, store).leftTime == nil)
        try store.joinChatRoom(room, at: ms(4), leavingOthers: false)
        #expect(Set(try joinedRooms(store)) == [room, other])
        #expect(try store.lastPosition().rawValue == 6)
    }

    @Test("B44: where the room is none, nothing is recorded and no room is left")
    func refuses() throws {
        try store.joinChatRoom(room, at: ms(1))
        expectError(.invalidArgument) { try store.joinChatRoom(group, at: ms(2)) }
        #expect(try joinedRooms(store) == [room])
        try store.read { _ in expectError(.nestedAccess) { try store.joinChatRoom(other, at: ms(3)) } }
    }

    @Test("B44: threads that enter rooms at the same time end up in one")
    func switchesConcurrently() throws {
        try withTemporaryStore { store throws in
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                try? store.joinChatRoom(ConversationKey(.chatRoom, "r\(index)"), at: ms(1))
            }
            #expect(try joinedRooms(store).count == 1)
            #expect(try store.lastPosition().rawValue == 15)
        }
    }

    @Test("B44: the async twin does the same")
    func switchesAsynchronously() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await store.joinChatRoom(room, at: ms(1))
        try await store.joinChatRoom(other, at: ms(2))
        #expect(try await store.read { try $0.joinedChatRooms() } == [other])
        try await store.close()
    }
}
