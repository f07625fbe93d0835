import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d18, d19: receipts", .store)
struct ReceiptTests {
    @Test("d18: receipts that come before the acknowledgement are parked by server id")
    func beforeAcknowledgement() throws {
        let local = try store.local(queued("hi"))
        try store.record(delivered(.messages([.server("s")]), at: 6), readByPeer(.messages([.server("s")]), at: 8))
        #expect(try store.message(local)?.status == .sending)
        try store.record(sent(local, "s", at: 5))
        let message = try #require(try store.message(local))
        #expect(message.status == .read)
        #expect(message.deliveredTime == ms(6))
        #expect(message.readTime == ms(8))
    }

    @Test("d18: receipts that come before the copy from another device are parked", arguments: [false, true])
    func beforeMessage(isReopened: Bool) throws {
        let place = try TemporaryStore()
        var store = try place.open()
        try store.record(readByPeer(.messages([.server("s")]), at: 8))
        if isReopened {
            try store.close()
            store = try place.open()
        }
        try store.record(received("s", at: 5, from: TemporaryStore.account))
        #expect(try store.message("s")?.status == .read)
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("d19: the first delivery and the first reading are kept, in whatever order they are reported")
    func firstTimes() throws {
        try store.record(received("s", at: 5, from: TemporaryStore.account))
        for time in [30, 10, 20] as [Int64] {
            try store.record(delivered(.messages([.server("s")]), at: time))
            try store.record(readByPeer(.messages([.server("s")]), at: time + 5))
        }
        #expect(try store.message("s")?.deliveredTime == ms(10))
        #expect(try store.message("s")?.readTime == ms(15))
    }

    @Test("d19: a receipt up to a time holds for the messages of that time and before, also for later copies")
    func upToTime() throws {
        let me = TemporaryStore.account
        try store.record(received("a", at: 10, from: me), received("c", at: 30, from: me))
        try store.record(delivered(.upTo(ms(30)), at: 50), readByPeer(.upTo(ms(20)), at: 50))
        try store.record(received("b", at: 20, from: me), received("d", at: 31, from: me))
        #expect(try store.page().elements.map(\.status) == [.read, .read, .delivered, .sent])
        try store.record(readByPeer(.upTo(ms(5)), at: 60))
        #expect(try store.message("b")?.status == .read, "an older mark moves nothing back")
    }

    @Test("d18: a receipt up to a time does not send what the server never accepted")
    func upToTimeAndUnsent() throws {
        let local = try store.local(queued("hi"))
        let other = try store.local(queued("ho"))
        try store.record(failed(other), readByPeer(.upTo(.latest), at: 50))
        #expect(try store.message(local)?.status == .sending)
        #expect(try store.message(other)?.status == .failed)
    }

    @Test("d19: a receipt without a member and one of a stranger count alike")
    func members() throws {
        try store.record(received("a", at: 10, from: TemporaryStore.account))
        try store.record(Event(MessageDelivered(.upTo(ms(10)), at: ms(11)), in: group))
        #expect(try store.message("a")?.status == .delivered)
        let read = MessageReadByPeer(.upTo(ms(10)), by: "stranger", at: ms(12))
        try store.record(Event(read, in: group))
        #expect(try store.message("a")?.status == .read)
    }
}
