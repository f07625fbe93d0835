import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I4: the same message is recorded once", .store)
struct SameMessageTests {
    enum Way: CaseIterable, CustomTestStringConvertible {
        case sameBatch, laterPackage, otherOrder, historyPage, afterFlush, afterReopening, otherText

        var testDescription: String { "\(self)" }
    }

    @Test("I4: the same server id gives the original position and changes nothing", arguments: Way.allCases)
    func serverID(way: Way) throws {
        let place = try TemporaryStore()
        var store = try place.open()
        let first = received("a", at: 10)
        let second = received("b", at: 20)
        if way == .sameBatch {
            let result = try store.record([first, first, second, first])
            #expect(result.positions.map(\.?.rawValue) == [1, 1, 2, 1])
            #expect(result.duplicates == 2)
            #expect(try store.unread().messages == 2)
            return try store.close()
        }
        try store.record([first, second])
        let before = try store.digests()
        switch way {
        case .afterFlush: try store.flush()
        case .afterReopening:
            try store.close()
            store = try place.open()
        default: break
        }
        var again = [first, second]
        switch way {
        case .otherOrder: again = [second, first]
        case .historyPage: again = [received("b", at: 20, origin: .history), received("a", at: 10, origin: .history)]
        case .otherText: again = [received("a", at: 99, text: "other"), received("b", at: 98, from: "eve")]
        default: break
        }
        let result = try store.record(again)
        #expect(result.duplicates == 2)
        #expect(result.lastPosition == Position(2))
        #expect(Set(result.positions) == [Position(1), Position(2)])
        #expect(try store.digests() == before)
        #expect(try store.texts() == ["a", "b"])
        try store.close()
    }

    @Test("I4: a server id is unique in its conversation, not beyond")
    func scopeOfServerIDs() throws {
        let result = try store.record([received("a", at: 1), received("a", at: 1, in: peer)])
        #expect(result.duplicates == 0)
        #expect(try store.texts() == ["a"])
        #expect(try store.texts(of: peer) == ["a"])
    }

    @Test("facts about a message under another name of it reach the message that took its place")
    func factsUnderAnotherName() throws {
        let first = try store.local(queued("one"))
        try store.record(sent(first, "a", at: 10), sent(first, "b", at: 10))
        let second = try store.local(queued("two"))
        try store.record(sent(second, "a", at: 20))
        #expect(try store.texts() == ["two"])
        try store.record(delivered(.messages([.server("b")]), at: 30))
        #expect(try store.page().elements.map(\.deliveredTime) == [ms(30)])
        #expect(try store.isConsistent())
    }

    @Test("facts about a repeat of an echo reach the message that took the echo's place", arguments: [false, true])
    func factsAboutRepeat(isRecallFirst: Bool) throws {
        let queued = try store.local(queued("mine"))
        let echo = received("a", at: 10, from: "me", origin: .otherDevice)
        let recall = Event(MessageRecalled(.server("b")), in: group)
        if isRecallFirst { try store.record(recall) }
        try store.record(echo)
        let original = try store.lastPosition().rawValue
        try store.record(sent(queued, "a", at: 10))
        let repeated = MessageDuplicateSuppressed(
            serverID: "b", duplicateOf: LocalMessageID(original), rule: .clientToken)
        try store.record(Event(repeated, in: group))
        if !isRecallFirst { try store.record(recall) }
        #expect(try store.page().elements.map(\.isRecalled) == [true])
        #expect(try store.isConsistent())
    }

    @Test("I4: the client token of a sender names the message under a second server id")
    func clientToken() throws {
        let result = try store.record([received("a", at: 1, token: "t"), received("b", at: 2, token: "t")])
        #expect(result.positions.map(\.?.rawValue) == [1, 1])
        #expect(try store.message("b")?.serverID == "a", "the second id is another name of it")
        let other = try store.record([received("c", at: 3, from: "eve", token: "t")])
        #expect(other.duplicates == 0, "another sender's token is another token")
        #expect(try store.texts() == ["a", "c"])
    }

    @Test("I4, I6: two own messages with one id of the server are recorded alike, in one batch and in several")
    func twoOwnMessages() throws {
        let events = [
            queued("a", token: "t1"), queued("b", token: "t2"), sent(LocalMessageID(1), "s", at: 5),
            .sent(LocalMessageID(2), as: "s", in: group),
            received("s", at: 7, from: TemporaryStore.account, token: "t2"),
        ]
        var lengths: [UInt64] = []
        for batches in [[0..<5], [0..<2, 2..<5], [0..<1, 1..<2, 2..<3, 3..<4, 4..<5]] {
            try withTemporaryStore { store throws in
                for batch in batches { try store.record(Array(events[batch])) }
                lengths.append(try store.lastPosition().rawValue)
            }
        }
        #expect(lengths == [4, 4, 4])
    }

    @Test("I4: an event id names any event, across batches and kinds of event")
    func eventID() throws {
        let first = Event(ConversationPinned(), in: group, id: "e1")
        let second = Event(ConversationPinned(false), in: group, id: "e1")
        #expect(try store.record([first, second]).positions.map(\.?.rawValue) == [1, 1])
        #expect(try store.record([second]).duplicates == 1)
        #expect(try store.conversation()?.isPinned == true)
    }

    @Test("I4: queueing the same token twice queues one message")
    func queuedToken() throws {
        let first = try store.send(MessageSendQueued(content: .text("hi"), clientToken: "t"), to: group)
        let second = try store.send(MessageSendQueued(content: .text("hi"), clientToken: "t"), to: group)
        #expect(first == second)
        #expect(try store.outbox() == [first])
    }

    @Test("I4: ids that are only canonically equal are different ids")
    func normalisation() throws {
        let result = try store.record([received("\u{E9}", at: 1), received("e\u{301}", at: 1)])
        #expect(result.duplicates == 0)
        #expect(try store.page().elements.count == 2)
    }
}
