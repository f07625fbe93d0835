import MessageStore
import MessageStoreTestKit
import Testing

@testable import MessageStoreTestSupport

@Suite("Acknowledgements that were cut off", .timeLimit(.minutes(30)))
struct CutAcknowledgementTests {
    @Test(
        "I4, I14: the id of an acknowledgement that named no queued message is new after the acknowledgement was cut off"
    )
    func withoutMessage() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let own = try store.local(queued("own", token: "t"))
        try store.record(sent(own, "own", at: 1))
        // Nobody queued what this one names.
        let other = try store.local(received("m2", at: 2))
        try store.record(sent(other, "stray", at: 3), received("m4", at: 4), received("m5", at: 5))
        try store.record([Event(HistoryCleared(upTo: order(5, "m5"), erases: true), in: group)])
        #expect(try store.compact().cutEvents == 5)
        let last = try store.lastPosition()
        #expect(try store.record([received("own", at: 1, from: TemporaryStore.account)]).duplicates == 1)
        #expect(try store.lastPosition() == last)
        #expect(try store.record([received("stray", at: 6)]).duplicates == 0)
        #expect(try store.texts(of: group).count == 1)
        #expect(try store.verify().isConsistent)
        try store.close()
    }
}
