import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreProjections
import Synchronization
import Testing
@testable import MessageStoreTestSupport

@Suite("I3, I6: conversations that are kept are those that the rows make", .timeLimit(.minutes(30)))
struct KeptConversationTests {
    /// Compares every conversation that the views show with what its rows make, and the pages with the list's order.
    private func check(_ views: borrowing Views, _ context: String) throws {
        var cursor: PageCursor?
        repeat {
            let page = try views.conversations(after: cursor, limit: 2)
            for conversation in page.elements {
                try Disagreement.check(
                    "\(conversation.key) at \(views.position), \(context)", conversation,
                    try #require(try views.assembledConversation(conversation.key)))
            }
            cursor = page.next
        } while cursor != nil
        for key in RandomEvents.conversations {
            try Disagreement.check(
                "\(key) at \(views.position), \(context)", try views.conversation(key),
                try views.assembledConversation(key))
        }
    }

    @Test(
        "whatever is recorded, taken back, flushed, rebuilt and redacted", arguments: Seeds.first(4))
    func anySchedule(seed: UInt64) throws {
        var (random, events) = (SplitMix64(seed: ~seed), RandomEvents(seed: seed, largestBatch: 6))
        let (place, faults) = (try TemporaryStore(), CommitFaults())
        let store = try place.open { configuration in
            faults.install(in: &configuration)
            configuration.durability.groupCommit.delay = .seconds(3600)
            if seed.isMultiple(of: 2) { configuration.bufferBytes = 8 << 10 }
        }
        var reused = 0
        for step in 1...150 {
            place.time.move(byMilliseconds: Int64(random.nextIndex(2_000)))
            let batch = events.nextBatch(after: try store.lastPosition())
            switch random.nextIndex(12) {
            case 0:
                faults.fail(next: 1)
                _ = try? store.record(batch)
                faults.fail(next: 0)
            case 1: try store.flush()
            case 2: try store.rebuild(random.chance(0.5) ? nil : [.conversationList])
            case 3:
                let list = try store.read { try $0.conversations().elements }
                if let message = list.compactMap(\.lastMessage).last {
                    try store.redact(Position(message.id.rawValue))
                    let after = try store.read { try $0.conversations().elements.compactMap(\.lastMessage) }
                    #expect(after.first { $0.id == message.id }?.content == nil)
                }
            default:
                do {
                    try store.record(batch, acknowledgement: random.chance(0.5) ? .visible : .durable)
                } catch let error as StoreError where error.code == .tokenReused {
                    // The first message of the token was lost with a commit that failed.
                }
            }
            try store.read { try check($0, "seed \(seed), step \(step)") }
            reused += try store.read { $0.reusedConversations > 0 ? 1 : 0 }
        }
        #expect(reused > 50)
        let last = try store.lastPosition()
        let kept = try store.read { try $0.conversations(limit: 1000) }
        #expect(try store.replay(to: last) { try $0.conversations(limit: 1000) } == kept)
        try store.close()
    }

    @Test("a page is assembled once, and after a message only its conversation")
    func reuse() throws {
        try withTemporaryStore { store throws in
            for number in 1...20 {
                try store.record(received("\(number)", at: Int64(number), in: .group("g\(number)")))
            }
            func reused(_ body: () throws -> Void) throws -> Int {
                let before = try store.read { $0.reusedConversations }
                try body()
                return try store.read { $0.reusedConversations } - before
            }
            func list() throws -> [Conversation] { try store.read { try $0.conversations().elements } }
            #expect(try list().count == 20)
            #expect(try store.read { $0.reusedConversations } == 0)
            #expect(try reused { _ = try list() } == 20)
            #expect(try reused { _ = try store.read { try $0.conversation(.group("g7")) } } == 1)
            try store.record(received("new", at: 99, in: .group("g7")))
            // A place may be shared with a row of another conversation, but not with those of many.
            let again = try reused { _ = try list() }
            #expect(15...19 ~= again)
            #expect(try list().first?.lastMessage?.text == "new")
            #expect(try reused { _ = try list() } == 20)
            try store.rebuild()
            #expect(try store.read { $0.reusedConversations } == 0)
            #expect(try list().count == 20)
        }
    }

    /// What changes how the list shows a group, or a chat of two with somebody of whom the log knows nothing.
    private static let changes: [(name: String, event: Event)] = [
        ("a peer's first profile", profiles([("bob", "Bob")])),
        ("a peer's picture", .profilesFetched([Profile(id: "bob", avatarURL: "picture")])),
        ("a sender's profile", profiles([("amy", "Amy")])),
        ("a peer's remark", Event(ContactsReceived([ContactInfo(id: "bob", remark: "Bobby")]))),
        ("a sender's remark", Event(ContactsReceived([ContactInfo(id: "amy", remark: "Sis")]))),
        ("a nickname", Event(MemberInfoChanged("amy", nickname: "A"), in: group)),
        ("a member", Event(MembersAdded(["cid"], kind: .joined), in: group)),
        ("members of a chat of two", Event(MembersAdded(["me", "cid"], kind: .joined), in: peer)),
        ("a team's name", Event(TeamInfoFetched([TeamInfo(id: group, name: "team", avatarURL: "url")]))),
        ("a conversation's name", created("name")),
        ("a pin", pinned()), ("a mute", muted()), ("a mark", markedUnread()),
        ("a draft", Event(ConversationDraftChanged("draft"), in: group)),
        ("a tag", Event(ConversationTagged(add: ["tag"]), in: group)),
        ("a doubt", Event(ConversationInvalidated(), in: group)),
        ("a read marker", read()), ("an edit", modified("1", "edited", at: 3)), ("a recall", recalled("1")),
        ("a deletion", deleted("1")), ("a cleared history", cleared()),
        ("a hole", Event(HistoryGapFound(before: order(1, "1")), in: group)),
        (
            "a server's count",
            Event(UnreadCountReported(7, mentions: 1, upTo: order(9), at: ms(9)), in: group)
        ),
    ]

    @Test("every change is shown at once", arguments: changes.indices) func shown(index: Int) throws {
        let (name, event) = Self.changes[index]
        try withTemporaryStore { store throws in
            try store.record(
                received("1", at: 1, from: "amy"), Event(ConversationDraftChanged("hi"), in: peer))
            let before = try store.read { try $0.conversations() }
            #expect(try store.read { try $0.conversations() } == before)
            try store.record(event)
            let after = try store.read { try $0.conversations() }
            #expect(after != before, "\(name)")
            #expect(try store.replay(to: try store.lastPosition()) { try $0.conversations() } == after, "\(name)")
        }
    }

    @Test("a receipt raises the status of the last message", .store, .store) func receipts() throws {
        try store.record(queued("x", in: peer))
        let message = try #require(try store.read { try $0.conversation(peer)?.lastMessage?.id })
        func status() throws -> MessageStatus? {
            try store.read { try $0.conversation(peer)?.lastMessage?.status }
        }
        #expect(try status() == .sending)
        try store.record(sent(message, "s", at: 5, in: peer))
        #expect(try status() == .sent)
        try store.record(readByPeer(.upTo(ms(5)), at: 6, in: peer))
        #expect(try status() == .read)
    }

    @Test("a read that began before a change goes on to show what was, and leaves nothing to others")
    func olderRead() throws {
        try withTemporaryStore { store throws in
            try store.record(received("1", at: 1))
            try store.read { old throws in
                _ = try onOtherThread { try store.record([received("2", at: 2)]) }
                let text = try onOtherThread { try store.text() }
                #expect(text == "2")
                #expect(try old.conversation(group)?.lastMessage?.text == "1")
                let later = try onOtherThread { try store.text() }
                #expect(later == "2")
            }
        }
    }

    private func onOtherThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        let result = Mutex<Swift.Result<Result, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let made = Swift.Result { try body() }
            result.withLock { $0 = made }
            done.signal()
        }
        done.wait()
        return try #require(result.withLock { $0 }).get()
    }

    @Test("while events are recorded and taken back, every reader sees what the rows of its position make")
    func readers() throws {
        let (place, faults) = (try TemporaryStore(), CommitFaults(cost: .milliseconds(1)))
        let store = try place.open { configuration in
            faults.install(in: &configuration)
            configuration.bufferBytes = 16 << 10
        }
        let isDone = Mutex(false)
        let failures = Mutex<[String]>([])
        let reads = Mutex(0)
        let readers = DispatchGroup()
        for reader in 1...3 {
            readers.enter()
            Thread.detachNewThread {
                defer { readers.leave() }
                do {
                    while !isDone.withLock({ $0 }) {
                        try store.read { try check($0, "reader \(reader)") }
                        reads.withLock { $0 += 1 }
                    }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        var (random, events) = (SplitMix64(seed: 7), RandomEvents(seed: 7, largestBatch: 40))
        var batches = 0
        while batches < 200 || reads.withLock({ $0 }) < 200, failures.withLock({ $0.isEmpty }) {
            let batch = events.nextBatch(after: try store.lastPosition())
            if random.chance(0.2) { faults.fail(next: 1) }
            _ = try? store.record(batch)
            faults.fail(next: 0)
            batches += 1
        }
        isDone.withLock { $0 = true }
        readers.wait()
        #expect(failures.withLock { $0 } == [])
        try store.close()
    }
}

extension MessageStore {
    /// What the list shows of the last message.
    fileprivate func text() throws -> String? { try read { try $0.conversation(group)?.lastMessage?.text } }
}
