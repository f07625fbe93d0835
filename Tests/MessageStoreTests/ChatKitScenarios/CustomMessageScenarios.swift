import MessageStore
import Testing

@Suite("A14–A23, A35: custom messages, by the example of the card", .timeLimit(.minutes(30)))
struct CustomMessageScenarios {
    private typealias Key = MessageContent.AttributeKey

    private let place: TemporaryStore
    private let store: MessageStore
    private let card: MessageContent

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
        card = try CardPayload(clientID: "Tom", conversationType: 1).encode()
    }

    private func arrived(_ content: MessageContent, _ id: ServerMessageID, _ policy: MessagePolicy) -> Event {
        let message = MessageReceived(
            serverID: id, sender: "Jerry", sentTime: ms(10), content: content, policy: policy)
        return Event(message, in: group, origin: .live)
    }

    @Test("A14: given a bullet comment, when it arrives, then listeners have it and history does not")
    func transient() async throws {
        var told = store.deliveries().makeAsyncIterator()
        let comment = arrived(MessageContent(type: "bullet", text: "赞"), "t", .transient)
        try await store.record(comment)
        let delivery = try #require(await told.next())
        #expect(delivery.payload == .message(comment, position: nil) && delivery.isTransient)
        #expect(try store.texts() == [] && store.list() == [] && store.lastPosition() == .origin)
    }

    @Test("A15: given one listener for custom messages, when stored ones come too, then type and flag tell them apart")
    func bothKinds() async throws {
        var told = store.deliveries().makeAsyncIterator()
        try await store.record([
            arrived(card, "a", .standard), arrived(MessageContent(type: "bullet"), "b", .transient),
        ])
        for (type, isTransient) in [(CardPayload.contentType, false), ("bullet", true)] {
            let delivery = try #require(await told.next())
            guard case .message(let event, _) = delivery.payload, let message = event.payload as? MessageReceived else {
                Issue.record("no message")
                continue
            }
            #expect(message.content.type == type && delivery.isTransient == isTransient)
        }
    }

    @Test(
        "A16: given a positive media type, when the card registers, then it is read; a service's own number is refused")
    func mediaType() throws {
        try store.contentTypes.reserve(.leanCloud)
        try store.contentTypes.register(CardPayload.self)
        #expect(store.contentTypes.decode(card).payload() == CardPayload(clientID: "Tom", conversationType: 1))
        expectError(.invalidArgument) { try store.contentTypes.register(Intruder.self) }
    }

    private struct Intruder: JSONPayload {
        static let contentType = ContentType(-100, in: .leanCloud)
    }

    @Test(
        "A17, A18, A35: given a card, when its type is unknown, known late and removed, then it degrades, reads, degrades"
    )
    func lateAndRemoved() throws {
        let degraded = "这是一条名片消息，当前版本过低无法显示，请尝试升级APP查看"
        #expect(try store.readBack(card) == card)
        let types = store.contentTypes
        #expect(types.decode(card).unknown == .some(degraded))
        #expect(try store.lastDigest() == "[名片]")
        try types.register(CardPayload.self)
        #expect(try types.decode(#require(try store.message("a")).content).unknown == nil)
        types.unregister(CardPayload.contentType)
        #expect(try types.decode(#require(try store.message("a")).content).unknown == .some(degraded))
        #expect(try store.lastDigest() == "[名片]" && store.message("a")?.content == card)
    }

    @Test("A19, A20: given a card to a group, when the transport writes its push, then summary and kind are there")
    func push() throws {
        let attributes = try #require(try store.readBack(card)?.jsonAttributes)
        #expect(attributes[Key.summary] == "有人向您发送了一条名片消息，请打开APP查看")
        #expect(attributes[Key.conversationType] == 1)
        #expect(ConversationKind(chatKit: 0) == .single && ConversationKind(chatKit: 1) == .group)
    }

    @Test("A21, A35: given attributes in any notation, when the store is opened anew, then not one byte differs")
    func attributesByteForByte() throws {
        let bytes = Array(#"{ "clientId":"Tom","z" : 1.50, "z":[ ], "\u540d":"名" }"#.utf8)
        let content = MessageContent(type: CardPayload.contentType, data: [0, 255], attributes: bytes)
        #expect(try store.readBack(content)?.attributes == bytes)
        try store.close()
        try place.withStore { store throws in #expect(try store.message("a")?.content == content) }
    }

    @Test(
        "A22, A23: given a card on its way, when the server accepts it, then it is sent, and the app says so below it")
    func sendSucceeds() async throws {
        var told = store.deliveries().makeAsyncIterator()
        let id = try await store.enqueue(MessageSendQueued(content: card), to: group)
        #expect(try store.message(id)?.status == .sending && store.outbox() == [id])
        store.publish(.uploadProgress(id, fraction: 0.5), in: group)
        #expect(await told.next()?.payload == .notice(.uploadProgress(id, fraction: 0.5)))
        try await store.record(sent(id, "s", at: 20))
        #expect(try store.message(id)?.status == .sent && store.outbox() == [])
        let feedback = MessageInsertedLocally(content: .text("名片发送成功"), time: place.time.now)
        try await store.record(Event(feedback, in: group))
        #expect(try store.page().messages.map(\.content) == [card, .text("名片发送成功")])
        #expect(try store.unread().messages == 0)
    }

    @Test("A22, A23: given a card that fails, when the app says so in the chat, then both show and nothing counts")
    func sendFails() async throws {
        let id = try await store.enqueue(MessageSendQueued(content: card), to: group)
        try await store.record(failed(id, code: 7))
        let feedback = MessageInsertedLocally(content: .text("名片发送失败"), time: place.time.now)
        try await store.record(Event(feedback, in: group))
        let messages = try store.page().messages
        #expect(messages.map(\.content) == [.text("名片发送失败"), card], "what is unsent stands last (d2)")
        #expect(messages.map(\.isLocal) == [true, false])
        #expect(messages.last?.status == .failed && messages.last?.failureCode == 7)
        #expect(try store.outbox() == [id], "feedback is not sent")
        #expect(try store.unread().messages == 0 && store.isConsistent())
    }
}
