import MessageStore
import Testing

/// Written from LeanCloud's realtime document: history and chat rooms.
@Suite("LeanCloud: history and chat rooms", .timeLimit(.minutes(30)))
struct LeanCloudHistoryTests {
    private static let room = ConversationKey(.chatRoom, "直播间")

    @Test("B40, B41: the latest, and those before an anchor; 20 by default, 1 to 1000 allowed")
    func paging() throws {
        try withTemporaryStore { store throws in
            try store.record((1...30).map { received("m\($0)", at: Int64($0)) })
            let latest = try store.read { try $0.timeline(of: group) }
            #expect(latest.messages.count == 20 && latest.messages.last?.serverID == "m30")
            let before = try store.page(.before(.order(order(11, "m11"))), limit: 20)
            #expect(before.messages.map(\.serverID) == (1...10).map { "m\($0)" } && !before.hasOlder)
            for limit in [0, -1, 1001] {
                expectError(.invalidArgument) { _ = try store.read { try $0.timeline(of: group, limit: limit) } }
            }
            #expect(try store.page(limit: 1000).messages.count == 30)
        }
    }

    @Test("B42: among messages of one time the id decides, so an anchor has both")
    func anchors() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 5), received("c", at: 5), received("b", at: 5))
            #expect(try store.page(.before(.order(order(5, "c")))).texts == ["a", "b"])
            #expect(try store.page(.before(.order(order(5, "a")))).texts == [])
        }
    }

    @Test("B52: what history brings is stored like what arrives, once, and is not told or counted again")
    func likeArrivals() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.historyProvider = Past() }
        let stream = store.deliveries()
        try await store.record([received("m1", at: 1), read()])
        let page = try await store.history(of: group)
        #expect(page.messages.map(\.serverID) == ["m0", "m1"])
        #expect(try store.unread().messages == 0)
        try await store.close()
        var told = 0
        for await _ in stream { told += 1 }
        #expect(told == 1)
    }

    private struct Past: HistoryProvider {
        func page(
            of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
        ) async throws -> RemoteHistoryPage {
            let messages = [("m0", 0), ("m1", 1)].map { id, time in
                MessageReceived(
                    serverID: ServerMessageID(id), sender: "bob", sentTime: ms(Int64(time)), content: .text(id))
            }
            return RemoteHistoryPage(messages: messages, reachesBeginning: true)
        }
    }

    @Test("B43, B44: a chat room is in no list and no total, keeps history while one is in it, and is left for another")
    func chatRooms() throws {
        try withTemporaryStore { store throws in
            let other = ConversationKey(.chatRoom, "另一个")
            try store.joinChatRoom(Self.room, at: ms(1))
            try store.record(received("r1", at: 2, in: Self.room))
            #expect(try store.texts(of: Self.room) == ["r1"] && store.list() == [] && store.totals().messages == 0)
            try store.joinChatRoom(other, at: ms(10))
            let left = try store.read { try $0.chatRoom(Self.room) }
            #expect(!left.isJoined && left.leaveReason == .switched && left.leftTime == ms(10))
            #expect(try store.texts(of: Self.room) == [], "left is purged")
            #expect(try store.read { try $0.joinedChatRooms() } == [other])
        }
    }

    @Test("B45: the times of joining and dropping tell whether the server takes one back by itself")
    func dropped() throws {
        try withTemporaryStore { store throws in
            try store.joinChatRoom(Self.room, at: ms(1_000))
            try store.record(received("r1", at: 2_000, in: Self.room))
            try store.record(Event(ChatRoomLeft(.dropped, at: ms(60_000)), in: Self.room))
            let state = try store.read { try $0.chatRoom(Self.room) }
            #expect(state.joinedTime == ms(1_000) && state.leftTime == ms(60_000) && state.leaveReason == .dropped)
            #expect(try store.texts(of: Self.room) == ["r1"], "kept for a quick return")
            try store.joinChatRoom(Self.room, at: ms(90_000))
            #expect(try store.read { try $0.chatRoom(Self.room) }.isJoined)
        }
    }

    @Test("B46: how many are online is told and not kept")
    func online() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        var stream = store.deliveries().makeAsyncIterator()
        store.publish(.onlineCount(1_234), in: Self.room)
        #expect(await stream.next()?.payload == .notice(.onlineCount(1_234)))
        #expect(try store.lastPosition() == .origin)
        try await store.close()
    }
}
