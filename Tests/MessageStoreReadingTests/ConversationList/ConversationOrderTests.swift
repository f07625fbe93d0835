import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("the order and the pages of the conversation list", .store)
struct ConversationOrderTests {
    private func key(_ number: Int) -> ConversationKey { .group("g\(number)") }

    @Test("E30: pinned conversations first, then the latest activity")
    func order() throws {
        for number in 1...4 { try store.record(received("a", at: Int64(number * 10), in: key(number))) }
        #expect(try store.list() == [4, 3, 2, 1].map(key))
        try store.record(pinned(in: key(2)), pinned(in: key(1)))
        #expect(try store.list() == [2, 1, 4, 3].map(key))
        try store.record(received("b", at: 50, in: key(1)))
        #expect(try store.list() == [1, 2, 4, 3].map(key))
        try store.record(pinned(false, in: key(1)), pinned(false, in: key(2)))
        #expect(try store.list() == [1, 4, 3, 2].map(key))
    }

    @Test("an older message moves nothing in the list")
    func olderMessages() throws {
        try store.record(received("b", at: 20, in: key(1)), received("c", at: 30, in: key(2)))
        try store.record(received("a", at: 10, in: key(1)))
        #expect(try store.list() == [2, 1].map(key))
        #expect(try store.conversation(key(1))?.activity == ms(20))
        #expect(try store.conversation(key(1))?.lastMessage?.text == "b")
    }

    @Test("B53: an unsent message moves its conversation up by the device's clock, until the server's time is known")
    func provisionalActivity() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(received("a", at: 10, in: key(1)), received("b", at: 20, in: key(2)))
            let local = try store.local(queued("mine", in: key(1)))
            #expect(try store.list() == [1, 2].map(key))
            #expect(try store.conversation(key(1))?.activity == place.time.now)
            try store.record(sent(local, "s", at: 15, in: key(1)))
            #expect(try store.conversation(key(1))?.activity == ms(15))
            #expect(try store.list() == [2, 1].map(key))
            #expect(try store.isConsistent())
        }
    }

    @Test("B53: an acknowledgement ends the device's time also where the message's place was cleared meanwhile")
    func acknowledgementOfCleared() throws {
        try store.record(received("a", at: 10, in: key(1)))
        let local = try store.local(queued("mine", in: key(1)))
        try store.record(cleared(MessageOrder(time: ms(20)), in: key(1)), sent(local, "s", at: 15, in: key(1)))
        #expect(try store.conversation(key(1))?.activity == ms(10))
    }

    @Test("an acknowledgement older than the newest message does not move the conversation below that message")
    func acknowledgementInThePast() throws {
        try store.record(received("a", at: 40, in: key(1)), received("b", at: 30, in: key(2)))
        let local = try store.local(queued("mine", in: key(1)))
        try store.record(sent(local, "s", at: 25, in: key(1)))
        #expect(try store.conversation(key(1))?.lastMessage?.text == "a")
        #expect(try store.conversation(key(1))?.activity == ms(40))
        #expect(try store.list() == [1, 2].map(key))
    }

    @Test("pages follow each other by the cursor without gap or repetition", arguments: [1, 2, 3, 7, 10, 11])
    func paging(limit: Int) throws {
        try withTemporaryStore { store throws in
            for number in 1...10 { try store.record(received("a", at: 5, in: key(number))) }
            try store.record(pinned(in: key(5)), conversationDeleted(in: key(9)))
            var found: [ConversationKey] = []
            var cursor: PageCursor?
            repeat {
                let page = try store.read { try $0.conversations(after: cursor, limit: limit) }
                #expect(page.elements.count <= limit && !page.elements.isEmpty)
                found += page.elements.map(\.key)
                cursor = page.next
            } while cursor != nil
            #expect(found == (try store.list()))
            #expect(found.count == 9 && found.first == key(5))
        }
    }

    @Test("E29: only the wanted kinds; chat rooms are never in the list (d22)")
    func kinds() throws {
        try withTemporaryStore { store throws in
            let room = ConversationKey(.chatRoom, "r")
            try store.record(
                received("a", at: 1), received("b", at: 2, in: peer), received("c", at: 3, in: room), pinned(in: room))
            #expect(try store.list() == [peer, group])
            #expect(try store.list(kinds: [.single]) == [peer])
            #expect(try store.list(kinds: [.chatRoom]) == [])
            #expect(try store.list(kinds: []) == [])
            let page = try store.read { try $0.conversations(kinds: [.single], limit: 1) }
            #expect(page.next == nil)
            #expect(try store.texts(of: room) == ["c"])
        }
    }

    @Test("a created conversation is listed before it has a message")
    func created() throws {
        try store.record(Event(ConversationCreated(), in: key(1), serverTime: ms(9)))
        #expect(try store.list() == [key(1)])
        #expect(try store.conversation(key(1))?.activity == ms(9))
        #expect(try store.conversation(key(2)) == nil)
    }
}
