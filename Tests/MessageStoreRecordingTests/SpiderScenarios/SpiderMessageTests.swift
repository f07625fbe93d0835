import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Written from Spider-lib's document: its message types, sending and queries.
@Suite("Spider: messages", .store)
struct SpiderMessageTests {
    private func received(_ id: ServerMessageID, _ content: MessageContent, at time: Int64, flag: Int) -> Event? {
        guard let policy = MessagePolicy(persistFlag: flag) else { return nil }
        let message = MessageReceived(
            serverID: id, sender: "bob", sentTime: ms(time), content: content, policy: policy)
        return Event(message, in: group, origin: .live)
    }

    @Test("E22, E32: an error has its code; a status can be set by hand")
    func failure() throws {
        let local = try store.send(MessageSendQueued(content: .text("x")), to: peer)
        try store.record(failed(local, code: 30_001, in: peer))
        #expect(try store.message(local)?.status == .failed && store.message(local)?.failureCode == 30_001)
        try store.record(
            Event(MessageStatusOverridden(.local(local), status: .sent), in: peer))
        #expect(try store.message(local)?.status == .sent && store.outbox() == [])
    }

    @Test("E11, E12: a message has its columns; content is raw bytes beside what was parsed")
    func columns() throws {
        let content = MessageContent(type: "SP:Custom", data: [0, 255, 7], attributes: Array(#"{"extra":1}"#.utf8))
        try store.record(try #require(received("u1", content, at: 77, flag: 2)))
        let message = try #require(try store.message("u1"))
        #expect(message.conversation == group && message.sender == "bob" && !message.isOutgoing)
        #expect(message.time == ms(77) && message.status == .received && message.content == content)
        #expect(message.countsUnread && store.contentTypes.preview(of: message) == "[SP:Custom]")
        let recorded = try #require(try store.events().first)
        #expect(message.recordedTime == recorded.recordedTime && recorded.recordedTime != ms(77))
        try store.record(try #require(received("u2", content, at: 78, flag: 1)))
        #expect(try store.message("u2")?.countsUnread == false)
    }

    @Test("E23: content and profile are asked for by the compiler; what breaks a rule is refused and nothing is kept")
    func mandatory() throws {
        expectError(.invalidArgument) {
            _ = try store.send(MessageSendQueued(content: MessageContent(type: "")), to: peer)
        }
        #expect(try store.lastPosition() == .origin)
    }
}
