import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Written from "NIMKit 自定义": the session list.
@Suite("NIMKit: tips and the recent list", .store, .timeLimit(.minutes(30)))
struct NIMKitTests {
    private let team = ConversationKey.group("t1")

    @Test("C4: a hook gets the sender's name; one that reads the store inside a read is logged, and the type is shown")
    func namesAndErrors() throws {
        let lines = LoggedLines()
        let place = try TemporaryStore()
        let store = try place.open { $0.logger = lines.logger }
        let types = store.contentTypes
        try types.register(TipPayload.self, messageText: { _, message in "\(message?.senderName ?? "-") left" })
        let tip = try TipPayload(["operation": "leave"]).encode()
        let body = MessageReceived(serverID: "s", sender: "bob", sentTime: ms(1), content: tip)
        try store.record(profiles([("bob", "Robert")]), Event(body, in: team, origin: .live))
        #expect(try store.conversation(team)?.lastMessage.flatMap { types.preview(of: $0) } == "Robert left")
        try store.read { views in
            let message = try #require(try views.message(.server("s"), in: team))
            let name = try views.senderName(of: message)
            #expect(types.preview(of: message, senderName: name) == "Robert left")
            #expect(types.preview(of: message) == "bob left", "no name came with the message")
        }
        #expect(lines.all.isEmpty)
        try types.register(
            TipPayload.self,
            messageText: { [weak store] _, message in
                guard let store, let message else { return nil }
                return try store.read { try $0.displayName(of: message.sender, in: message.conversation) } + " left"
            })
        let row = try #require(try store.conversation(team)?.lastMessage)
        #expect(types.preview(of: row) == "Robert left" && lines.all.isEmpty)
        try store.read { _ in #expect(types.preview(of: row) == "[tip]") }
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.metadata["error"]?.hasPrefix("nestedAccess") == true)
        try store.close()
    }

    @Test("C4: a hook words a tip with its sender and ids at hand, in the list and in the timeline")
    func tipOfMessage() throws {
        let types = store.contentTypes
        try types.register(
            TipPayload.self,
            messageText: { tip, message in
                guard tip.fields["operation"]?.stringValue == "recall", let message else { return nil }
                return
                    "\(message.sender) recalled \(message.serverID?.rawValue ?? "-") in \(message.conversation.id)"
            })
        let tip = try TipPayload(["operation": "recall"]).encode()
        let body = MessageReceived(serverID: "s", sender: "Tom", sentTime: ms(1), content: tip)
        try store.record(Event(body, in: team, origin: .live))
        let row = try #require(try store.conversation(team)?.lastMessage)
        #expect(types.preview(of: row) == "Tom recalled s in t1")
        let message = try #require(try store.message("s", in: team))
        #expect(types.preview(of: message) == "Tom recalled s in t1")
        #expect(types.preview(of: tip) == "[tip]", "no message is known")
        try store.record(recalled("s", in: team))
        #expect(try store.message("s", in: team).flatMap { types.preview(of: $0) } == nil)
    }

    @Test(
        "C12, C13, C14: a recent session has the peer's or the team's name, a line of text or type, and the last time")
    func recent() throws {
        try withTemporaryStore { store throws in
            try store.record(
                profiles([("bob", "鲍勃")]), received("a", at: 5, in: peer, text: "在吗"),
                received("b", at: 9, in: team, text: "", type: .image))
            store.contentTypes.label = { _ in "图片消息" }
            let sessions = try store.read { try $0.conversations().elements }
            #expect(sessions.map(\.displayName) == ["t1", "鲍勃"])
            let lines = sessions.compactMap(\.lastMessage).map { store.contentTypes.preview(of: $0) }
            #expect(lines == ["[图片消息]", "在吗"] && sessions.map(\.activity) == [ms(9), ms(5)])
            #expect(sessions.map(\.lastMessage?.time) == [ms(9), ms(5)])
        }
    }

    @Test("C15: deleting a session is reported to the server where wanted; the next message lists it again")
    func delete() throws {
        try store.record(received("a", at: 1, in: team))
        let deleted = ConversationDeleted(alsoMessages: true, isRemote: true)
        try store.record(Event(deleted, in: team))
        #expect(try store.list() == [])
        let logged = try store.events(where: EventFilter(types: [.conversationDeleted]))
        #expect(logged.map { AnyHashable($0.event.payload) } == [deleted], "the transport reads the intent")
        try store.record(received("b", at: 2, in: team))
        #expect(try store.list() == [team] && store.texts(of: team) == ["b"])
    }
}
