import MessageStore
import MessageStoreTestKit
import Testing

@testable import MessageStoreTestSupport

@Suite("I4, I16: what a cut leaves needs nothing of what it takes")
struct CutDependencyTests {
    private let place: TemporaryStore
    private let store: MessageStore

    init() throws {
        place = try TemporaryStore()
        // What has no time of the server is newer than all that has.
        place.time.set(ms(1_000_000))
        store = try place.open()
    }

    @Test("I4, I16: an id that a server gave a message after it was cleared is known when it comes after the cut")
    func laterName() throws {
        let own = try store.local(queued("own", token: "t"))
        try store.record(sent(own, "own", at: 1), received("m2", at: 2))
        try store.record(Event(HistoryCleared(erases: true), in: group))
        // The server answered a repeated request under another id.
        try store.record(sent(own, "again", at: 3))
        let copy = received("again", at: 3, from: TemporaryStore.account)
        #expect(try store.record([copy]).duplicates == 1)
        #expect(try store.compact().cutEvents == 2)
        let last = try store.lastPosition()
        #expect(try store.record([copy]).duplicates == 1)
        #expect(try store.lastPosition() == last)
        #expect(try store.verify().isConsistent)
    }

    @Test("I16: a message whose time an echo told stays cleared after the cut")
    func echo() throws {
        // The message alone moves its conversation in the list, so that it stays.
        let still = MessagePolicy(countsUnread: false, updatesLastMessage: false)
        try store.record(received("own", at: 1, from: TemporaryStore.account, policy: still))
        let own = try store.local(queued("own"))
        try store.record(
            Event(MessageSent(message: own, serverID: "own"), in: group), received("m2", at: 2, policy: still))
        try store.record(Event(HistoryCleared(erases: true), in: group))
        #expect(try store.read { try $0.timeline(of: group, limit: 9).elements }.isEmpty)
        try store.compact()
        #expect(try store.read { try $0.timeline(of: group, limit: 9).elements }.isEmpty)
        #expect(try store.verify().isConsistent)
    }

    @Test("I16: a message that is shown keeps what was told of its cleared repeat")
    func repetition() throws {
        let shown = try store.local(received("shown", at: 9))
        let verdict = MessageDuplicateSuppressed(serverID: "repeat", duplicateOf: shown, rule: .content)
        try store.record(
            received("repeat", at: 1), Event(MessageStatusFlagsSet([.server("repeat")], flags: .retrieved), in: group),
            received("m2", at: 2), Event(verdict, in: group))
        try store.record(Event(HistoryCleared(upTo: order(2, "m2"), erases: true), in: group))
        let before = try store.read { try $0.timeline(of: group, limit: 9).elements }
        #expect(before.map(\.flags) == [.retrieved])
        try store.compact()
        #expect(try store.read { try $0.timeline(of: group, limit: 9).elements } == before)
        #expect(try store.verify().isConsistent)
    }
}
