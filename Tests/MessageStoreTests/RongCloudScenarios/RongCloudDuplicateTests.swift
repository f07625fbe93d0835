import MessageStore
import MessageStoreTestKit
import Testing

/// Written from the chapters "接收消息处理建议" and "禁用消息排重机制".
@Suite("RongCloud: refreshing and repeats", .timeLimit(.minutes(30)))
struct RongCloudDuplicateTests {
    @Test(
        "D19, D20, D22: a resend under another UID is hidden where the check is on, which is set when the store is opened"
    )
    func resend() throws {
        let place = try TemporaryStore()
        for isChecked in [true, false] {
            let store = try place.open { $0.duplicateSuppression.inConversations = isChecked }
            let base: Int64 = isChecked ? 100_000 : 900_000
            try store.record(received("uid-1-\(isChecked)", at: base, text: "在吗？"))
            try store.record(received("uid-2-\(isChecked)", at: base + 2_000, text: "在吗？"))
            try store.close()
        }
        try place.withStore { store throws in
            #expect(try store.page().messages.map(\.serverID) == ["uid-1-true", "uid-1-false", "uid-2-false"])
            let logged = try store.events(where: EventFilter(types: [.messageDuplicateSuppressed]))
            #expect(logged.count == 1)
        }
    }

    @Test("D20: a client token says more than words: the resend of one is the same, two of them are two")
    func tokens() throws {
        try withTemporaryStore { store throws in
            try store.record(received("1", at: 1000, text: "嗯", token: "t1"))
            try store.record(received("2", at: 2000, text: "嗯", token: "t1"))
            try store.record(received("3", at: 3000, text: "嗯", token: "t2"))
            #expect(try store.page().messages.map(\.serverID) == ["1", "3"])
            #expect(try store.message("2")?.serverID == "1", "the second UID is another name of the first message")
        }
    }

    @Test("D21: conversations and chat rooms have a switch each", arguments: [true, false])
    func switches(isRoom: Bool) throws {
        let key = isRoom ? ConversationKey(.chatRoom, "room") : group
        try withTemporaryStore({
            if isRoom {
                $0.duplicateSuppression.inChatRooms = true
            } else {
                $0.duplicateSuppression.inConversations = true
            }
        }) { store throws in
            for other in [key, isRoom ? group : ConversationKey(.chatRoom, "room")] {
                try store.record(
                    received("1", at: 1000, in: other, text: "a"), received("2", at: 2000, in: other, text: "a"))
                #expect(try store.texts(of: other).count == (other == key ? 1 : 2))
            }
        }
    }

    @Test("D23: the check looks at the messages of a minute, however many the store holds", arguments: [10, 3_000])
    func cost(messages: Int) throws {
        try withTemporaryStore({ $0.duplicateSuppression.inConversations = true }) { store throws in
            try store.record((0..<messages).map { received("m\($0)", at: Int64($0) * 120_000 + 1, text: "same") })
            #expect(try store.unread().messages == messages, "two minutes apart they are no repeats")
            let last = Int64(messages - 1) * 120_000
            try store.record(received("again", at: last + 30_000, text: "same"))
            #expect(try store.unread().messages == messages)
        }
    }

    @Test("D15, D16: 200 messages are one refresh by package and one by completion", arguments: [false, true])
    func refreshes(onCompletion: Bool) async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await store.record(Event(OfflineSyncStarted(), origin: .offline))
        let live = store.observe(policy: onCompletion ? .onCompletion : .perPackage) {
            try $0.unread(of: group).messages
        }
        let values = Follower(live)
        #expect(try await values.next() == 0)
        let package = (0..<200).map { received("m\($0)", at: Int64($0 + 1), origin: .offline) }
        try await store.ingest(OfflinePackage(index: 0, events: package, hasMore: false))
        if onCompletion { try await store.record(Event(OfflineSyncCompleted())) }
        #expect(try await values.next() == 200)
        try await store.close()
        #expect(try await values.next() == nil, "there was no other value")
    }

    @Test("D17, D18: with a window, a refresh at its end and one when all is there")
    func throttled() async throws {
        let clock = ManualClock()
        let place = try TemporaryStore()
        let store = try place.open { $0.clock = clock }
        try await store.record(Event(OfflineSyncStarted(), origin: .offline))
        let values = Follower(
            store.observe(policy: .throttled(.milliseconds(100))) { views in
                [try views.unread(of: group).messages, try views.syncProgress().completions]
            })
        #expect(try await values.next() == [0, 0])
        let package = (0..<200).map { received("m\($0)", at: Int64($0 + 1), origin: .offline) }
        try await store.ingest(OfflinePackage(index: 0, events: package, hasMore: false))
        await clock.waitForSleeper(until: .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        #expect(try await values.next() == [200, 0])
        try await store.record(Event(OfflineSyncCompleted()))
        #expect(try await values.next() == [200, 1])
        try await store.close()
    }
}
