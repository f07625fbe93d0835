import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d18: the status of own messages", .store)
struct StatusLatticeTests {
    @Test("E20: a queued message is shown and in the outbox at once, with the device's time")
    func queueing() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            let local = try store.send(MessageSendQueued(content: .text("hi"), needsReceipt: true), to: group)
            let message = try #require(try store.message(local))
            #expect(message.status == .sending)
            #expect(message.isOutgoing && message.isTimeProvisional && message.needsReceipt)
            #expect(message.sender == TemporaryStore.account)
            #expect(message.time == place.time.now)
            #expect(message.serverID == nil)
            #expect(try store.outbox() == [local])
            #expect(try store.unread() == .none)
        }
    }

    @Test("E21, E22: failing, retrying and sending, each as told")
    func sending() throws {
        let local = try store.local(queued("hi"))
        try store.record(failed(local, code: -42))
        #expect(try store.message(local)?.status == .failed)
        #expect(try store.message(local)?.failureCode == -42)
        #expect(try store.outbox() == [local])
        try store.record(retried(local))
        #expect(try store.message(local)?.status == .sending)
        #expect(try store.message(local)?.failureCode == nil)
        try store.record(sent(local, "s", at: 5))
        #expect(try store.message(local)?.status == .sent)
        #expect(try store.outbox().isEmpty)
    }

    @Test("d18: a late acknowledgement beats a failure")
    func lateAcknowledgement() throws {
        let local = try store.local(queued("hi"))
        try store.record(failed(local), sent(local, "s", at: 5))
        let message = try #require(try store.message(local))
        #expect(message.status == .sent)
        #expect(message.failureCode == nil)
        #expect(try store.outbox().isEmpty)
    }

    /// Every event that could lower a status, after every status.
    static let reached: [MessageStatus] = [.sent, .delivered, .read]

    @Test("d18: nothing regresses", arguments: reached)
    func nothingRegresses(reached: MessageStatus) throws {
        let local = try store.local(queued("hi"))
        try store.record(sent(local, "s", at: 5))
        if reached >= .delivered { try store.record(delivered(.messages([.local(local)]), at: 6)) }
        if reached >= .read { try store.record(readByPeer(.messages([.server("s")]), at: 7)) }
        #expect(try store.message(local)?.status == reached)
        try store.record(
            failed(local), retried(local), sent(local, "s", at: 9), sent(local, "other", at: 9))
        let message = try #require(try store.message(local))
        #expect(message.status == reached)
        #expect(message.serverID == "s")
        #expect(message.time == ms(5))
        #expect(try store.outbox().isEmpty)
        if reached == .read { try store.record(delivered(.messages([.local(local)]), at: 8)) }
        #expect(try store.message(local)?.status == reached)
    }

    @Test("d18: facts about a queued message in another conversation do not touch it")
    func otherConversation() throws {
        let local = try store.local(queued("hi"))
        try store.record(failed(local, in: peer))
        #expect(try store.message(local)?.status == .sending)
        try store.record(sent(local, "s", at: 5, in: peer))
        #expect(try store.message(local)?.status == .sending)
        #expect(try store.outbox() == [local])
        try store.record(sent(local, "s", at: 5))
        #expect(try store.message("s")?.id == local)
    }

    @Test("d18: facts about positions that hold no own message are passed over", arguments: [1, 2, 99] as [UInt64])
    func noSuchMessage(number: UInt64) throws {
        try store.record(received("a", at: 1), pinned())
        let before = try store.message("a")
        let local = LocalMessageID(number)
        try store.record(failed(local), retried(local), sent(local, "s", at: 5))
        try store.record(readByPeer(.messages([.local(local)]), at: 5))
        #expect(try store.message("a")?.status == before?.status)
        #expect(try store.outbox().isEmpty)
        #expect(try store.texts() == ["a"])
    }

    @Test("B10: messages of others stay received, whatever receipts say")
    func othersStayReceived() throws {
        try store.record(received("a", at: 1), readByPeer(.messages([.server("a")]), at: 5))
        try store.record(delivered(.upTo(ms(100)), at: 6))
        #expect(try store.message("a")?.status == .received)
    }
}
