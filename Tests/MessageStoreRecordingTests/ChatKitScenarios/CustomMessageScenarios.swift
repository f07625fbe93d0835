import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A21–A23, A35: custom messages, by the example of the card", .timeLimit(.minutes(30)))
struct CustomMessageScenarios {
    private let place: TemporaryStore
    private let store: MessageStore
    private let card: MessageContent

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
        card = try CardPayload(clientID: "Tom", conversationType: 1).encode()
    }

    @Test("A21, A35: given attributes in any notation, when the store is opened anew, then not one byte differs")
    func attributesByteForByte() throws {
        let bytes = Array(#"{ "clientId":"Tom","z" : 1.50, "z":[ ], "\u540d":"名" }"#.utf8)
        let content = MessageContent(type: CardPayload.contentType, data: [0, 255], attributes: bytes)
        #expect(try store.readBack(content)?.attributes == bytes)
        try store.close()
        try place.withStore { store throws in #expect(try store.message("a")?.content == content) }
    }

    @Test("A22, A23: given a card that fails, when the app says so in the chat, then both show and nothing counts")
    func sendFails() async throws {
        let id = try await store.send(MessageSendQueued(content: card), to: group)
        try await store.record(failed(id, code: 7))
        let feedback = MessageInsertedLocally(content: .text("名片发送失败"), time: place.time.now)
        try await store.record(Event(feedback, in: group))
        let messages = try store.page().elements
        #expect(messages.map(\.content) == [.text("名片发送失败"), card], "what is unsent stands last (d2)")
        #expect(messages.map(\.isLocal) == [true, false])
        #expect(messages.last?.status == .failed && messages.last?.failureCode == 7)
        #expect(try store.outbox() == [id], "feedback is not sent")
        #expect(try store.unread().messages == 0 && store.isConsistent())
    }
}
