import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d19: receipts by member", .store)
struct MemberReceiptTests {
    private let named = ReceiptScope.messages([.server("s")])

    private func delivered(_ scope: ReceiptScope, to member: UserID?, at time: Int64) -> Event {
        Event(MessageDelivered(scope, to: member, at: ms(time)), in: group)
    }

    private func readBy(_ scope: ReceiptScope, _ member: UserID?, at time: Int64, _ counts: ReadCounts? = nil) -> Event
    {
        Event(MessageReadByPeer(scope, by: member, at: ms(time), counts: counts), in: group)
    }

    private func receipts(_ store: MessageStore, _ message: MessageReference = .server("s")) throws -> MessageReceipts {
        try store.read { try $0.receipts(of: message, in: group) }
    }

    private func shown(_ receipts: [MemberReceipt]) -> [String] {
        receipts.map { "\($0.member) \($0.time.map { "\($0.milliseconds)" } ?? "-")" }
    }

    @Test("the first delivery and reading of each member, in whatever order they come; what was read was delivered")
    func firstTimes() throws {
        let events = [
            received("s", at: 5, from: TemporaryStore.account), delivered(named, to: "b", at: 20),
            delivered(named, to: "b", at: 10), readBy(named, "b", at: 40), readBy(named, "b", at: 30),
            readBy(named, "c", at: 15), delivered(named, to: nil, at: 1),
        ]
        for order in [events, events.reversed()] {
            try withTemporaryStore { store throws in
                try store.record(order)
                let receipts = try receipts(store)
                #expect(shown(receipts.delivered) == ["b 10", "c 15"])
                #expect(shown(receipts.read) == ["c 15", "b 30"])
            }
        }
    }

    @Test("a receipt of this account itself says nothing of its own messages, but for the numbers that it carries")
    func ownReceipt() throws {
        let (me, all) = (TemporaryStore.account, ReceiptScope.upTo(ms(99)))
        try store.record(
            received("s", at: 5, from: me), delivered(named, to: me, at: 6), readBy(all, me, at: 8),
            readBy(named, me, at: 7, ReadCounts(read: 1, unread: 2)))
        #expect(try store.message("s")?.status == .sent)
        let receipts = try receipts(store)
        #expect(receipts.delivered.isEmpty && receipts.read.isEmpty)
        #expect(receipts.counts == ReadCounts(read: 1, unread: 2))
        #expect(try store.read { try $0.readMarker(of: me, in: group) } == nil)
        try store.record([readBy(all, "b", at: 9)])
        #expect(try store.message("s")?.status == .read)
    }

    @Test("a receipt up to a time covers own messages of that time and before, without a time of its own")
    func markers() throws {
        let local = try store.local(queued("hi"))
        try store.record(readBy(.upTo(ms(5)), "b", at: 9), delivered(.upTo(ms(4)), to: "c", at: 9))
        #expect(try receipts(store, .local(local)).read.isEmpty)
        try store.record(sent(local, "s", at: 5), readBy(.upTo(ms(99)), nil, at: 9))
        for reference in [MessageReference.local(local), .server("s")] {
            #expect(shown(try receipts(store, reference).delivered) == ["b -"])
            #expect(shown(try receipts(store, reference).read) == ["b -"])
        }
        // A receipt for the message itself tells the time.
        try store.record(readBy(named, "b", at: 7), delivered(.upTo(ms(5)), to: "c", at: 9))
        #expect(shown(try receipts(store).read) == ["b 7"])
        #expect(shown(try receipts(store).delivered) == ["b 7", "c -"])
        try store.read { views throws in
            #expect(try views.readMarker(of: "b", in: group) == ms(5))
            #expect(try views.deliveredMarker(of: "b", in: group) == ms(5))
            #expect(try views.readMarker(of: "c", in: group) == nil)
            #expect(try views.deliveredMarker(of: "c", in: group) == ms(5))
            #expect(try views.readMarker(of: "nobody", in: group) == nil)
        }
    }

    @Test("receipts up to a time are about own messages alone")
    func othersMessages() throws {
        try store.record(received("s", at: 5), readBy(.upTo(ms(9)), "c", at: 9))
        #expect(try receipts(store).read.isEmpty)
    }

    @Test("a time that was not told is none, and gives way to one that was")
    func untoldTime() throws {
        try store.record(readBy(named, "b", at: 0))
        #expect(shown(try receipts(store).read) == ["b -"])
        try store.record(readBy(named, "b", at: 8), readBy(named, "b", at: 0))
        #expect(shown(try receipts(store).read) == ["b 8"])
    }

    @Test("of the numbers that the server told, the latest by its clock are shown")
    func counts() throws {
        #expect(try receipts(store).counts == nil)
        try store.record(
            readBy(named, nil, at: 20, ReadCounts(read: 3, unread: 1)),
            readBy(named, nil, at: 10, ReadCounts(read: 1, unread: 3)))
        #expect(try receipts(store).counts == ReadCounts(read: 3, unread: 1))
        #expect(try receipts(store).read.isEmpty)
    }
}
