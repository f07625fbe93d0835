import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("C22: receipts that this account owes", .store)
struct OwedReceiptTests {
    private func wanting(_ id: ServerMessageID, at time: Int64, from sender: UserID = "bob") -> Event {
        Event(
            MessageReceived(
                serverID: id, sender: sender, sentTime: ms(time), content: .text(id.rawValue), needsReceipt: true),
            in: group, origin: .live)
    }

    private func requested(_ ids: ServerMessageID...) -> Event {
        Event(ReadReceiptRequested(ids.map { .server($0) }), in: group, origin: .live)
    }

    private func receiptSent(_ messages: MessageReference...) -> Event {
        Event(ReadReceiptSent(messages), in: group)
    }

    private func owed(_ store: MessageStore, limit: Int = 1000) throws -> [String] {
        try store.read { try $0.owedReceipts(in: group, limit: limit).elements.map { $0.content.text ?? "" } }
    }

    @Test("what was read and wants a receipt is owed one, oldest first, until it is recorded as sent")
    func lifecycle() throws {
        try store.record(wanting("b", at: 2), wanting("a", at: 1), wanting("c", at: 3), received("d", at: 1))
        #expect(try owed(store).isEmpty)
        try store.record(read(order(2)))
        #expect(try owed(store) == ["a", "b"])
        #expect(try owed(store, limit: 1) == ["a"])
        try store.record(requested("d"), receiptSent(.server("a")))
        #expect(try owed(store) == ["d", "b"])
        let second = try #require(try store.message("b")).id
        try store.record(receiptSent(.local(second), .server("d")), read())
        #expect(try owed(store) == ["c"])
        // Asked again after the receipt: it was sent.
        try store.record(requested("a"))
        #expect(try owed(store) == ["c"])
    }

    @Test("one receipt up to a time stands for all messages until then, those included that come later")
    func upToTime() throws {
        try store.record(wanting("a", at: 1), wanting("b", at: 5), wanting("c", at: 9), read())
        try store.record(Event(ReadReceiptSent(.upTo(ms(5))), in: group))
        #expect(try owed(store) == ["c"])
        try store.record(wanting("late", at: 4), received("asked", at: 3), requested("asked", "a"), read())
        #expect(try owed(store) == ["c"])
        // An earlier time takes nothing back.
        try store.record(Event(ReadReceiptSent(.upTo(ms(2))), in: group), wanting("d", at: 3), read())
        #expect(try owed(store) == ["c"])
        try store.record(wanting("e", at: 6), read())
        let chosen = try store.read { try $0.owedReceipts(in: group) { $0.content.text == "c" }.elements }
        #expect(try owed(store) == ["e", "c"] && chosen.map(\.content.text) == ["c"])
        #expect(throws: StoreError.self) { try store.record(Event(ReadReceiptSent([]), in: group)) }
    }

    @Test("d18: the wish and the receipt may come before the message", arguments: [false, true])
    func parked(isReopened: Bool) throws {
        let place = try TemporaryStore()
        var store = try place.open()
        try store.record(requested("a", "b"), receiptSent(.server("b"), .server("c")))
        if isReopened {
            try store.close()
            store = try place.open()
        }
        try store.record(received("a", at: 1), received("b", at: 2), wanting("c", at: 3), wanting("d", at: 4), read())
        #expect(try owed(store) == ["a", "d"])
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("d18: the wish, and then its message, in the package of another message")
    func parkedWithinPackage() throws {
        try store.record(wanting("x", at: 1), requested("a"), received("a", at: 2), requested("x"), read())
        #expect(try owed(store) == ["x", "a"])
    }

    @Test("own, recalled, deleted and cleared messages are owed nothing")
    func gone() throws {
        try store.record(
            wanting("a", at: 1), wanting("b", at: 2), wanting("c", at: 3), wanting("d", at: 4),
            wanting("own", at: 5, from: TemporaryStore.account), requested("own"), read())
        try store.record(recalled("b"), deleted("c"))
        #expect(try owed(store) == ["a", "d"])
        try store.record(requested("b", "c"))
        #expect(try owed(store) == ["a", "d"])
        try store.record(cleared(order(1)))
        #expect(try owed(store) == ["d"])
    }
}
