import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("What a message tells of itself", .store)
struct MessageValueTests {
    @Test("its place is the server's; an unsent message has none, a line of this device stands behind its time")
    func order() throws {
        try store.record(received("m1", at: 10))
        let own = try store.local(queued("own"))
        let line = try store.local(
            Event(MessageInsertedLocally(content: .text("line"), sender: "me", time: ms(10)), in: group))
        #expect(try store.message("m1")?.order == MessageOrder(time: ms(10), id: "m1"))
        #expect(try store.message(own)?.order == nil)
        #expect(try store.message(line)?.order == MessageOrder(time: ms(10)))
        try store.record(sent(own, "m2", at: 20))
        #expect(try store.message(own)?.order == MessageOrder(time: ms(20), id: "m2"))
        try store.record(read(try store.message("m1")?.order))
        #expect(try store.unread().messages == 0)
    }

    @Test("its text is gone once it is recalled or redacted")
    func text() throws {
        let positions = try store.record([received("a", at: 1), received("b", at: 2)]).positions
        #expect(try store.page().elements.map(\.text) == ["a", "b"])
        try store.record(recalled("a"))
        try store.redact(try #require(positions[1]))
        #expect(try store.page().elements.map(\.text) == [nil, nil])
    }

    @Test("I16: a recalled message has no content but its type, and its files no paths; the log keeps the words")
    func contentOfRecalled() throws {
        let content = MessageContent(type: .text, text: "a", data: [1], attributes: [2])
        try store.record(
            Event(MessageReceived(serverID: "a", sender: "bob", sentTime: ms(1), content: content), in: group),
            modified("a", "b", at: 2),
            Event(AttachmentStateChanged(.server("a"), state: .available, localPath: "/a", remoteURL: "b"), in: group),
            recalled("a"))
        let message = try #require(try store.message("a"))
        #expect(message.content == MessageContent(type: .text) && message.isRecalled && !message.isRedacted)
        #expect(message.attachments.map(\.localPath) == [nil] && message.attachments.map(\.remoteURL) == [nil])
        #expect(message.attachments.map(\.state) == [.available])
        #expect(try store.events().compactMap { ($0.event.payload as? MessageReceived)?.content } == [content])
    }
}
