import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("A16–A21, A35: ChatKit's card, a custom message")
struct ChatKitCardTests {
    private static let degrade = "这是一条名片消息，当前版本过低无法显示，请尝试升级APP查看"

    @Test("A17, A18, A35, d15: a card degrades without its type, is read with it, and degrades again without", .store)
    func registration() throws {
        let content = try CardPayload(clientID: "Tom", conversationType: 1).encode()
        let types = store.contentTypes
        #expect(try store.readBack(content) == content)
        #expect(types.decode(content).unknown == .some(Self.degrade))
        #expect(try store.lastDigest() == "[名片]")

        try types.register(CardPayload.self) { "名片：\($0.clientID)" }
        let read = try #require(try store.message("a")?.content)
        #expect(types.decode(read).payload() == CardPayload(clientID: "Tom", conversationType: 1))
        #expect(try store.lastDigest() == "名片：Tom")

        types.unregister(CardPayload.contentType)
        #expect(types.decode(try #require(try store.message("a")?.content)).unknown == .some(Self.degrade))
        #expect(try store.lastDigest() == "[名片]")
        #expect(try store.message("a")?.content == content)
    }

    @Test("A35: a card is kept word for word where its type was never registered")
    func reopening() throws {
        let place = try TemporaryStore()
        let content = try CardPayload(clientID: "Tom").encode()
        try place.withStore { store throws in
            try store.contentTypes.register(CardPayload.self)
            _ = try store.readBack(content)
        }
        try place.withStore { store throws in
            let read = try #require(try store.message("a")?.content)
            #expect(read == content)
            #expect(store.contentTypes.decode(read).unknown == .some(Self.degrade))
        }
    }

    @Test("A19–A21: summary, kind of conversation and free attributes are there for the transport")
    func attributes() throws {
        let content = try CardPayload(clientID: "Tom", conversationType: 1).encode()
        let attributes = try #require(content.jsonAttributes)
        #expect(attributes[MessageContent.AttributeKey.summary] == "有人向您发送了一条名片消息，请打开APP查看")
        #expect(attributes["clientId"] == "Tom")
        guard case .integer(let kind) = attributes[MessageContent.AttributeKey.conversationType] else {
            Issue.record("no kind of conversation")
            return
        }
        #expect(ConversationKind(chatKit: Int(kind)) == .group)
    }

    @Test("d14: all of the attributes are optional; the type's label is the last resort")
    func optionalAttributes() throws {
        let types = ContentTypeRegistry()
        var content = MessageContent(type: CardPayload.contentType)
        #expect(types.preview(of: content) == "[leancloud/1]")
        types.label = { $0 == CardPayload.contentType ? "名片" : "?" }
        #expect(types.preview(of: content) == "[名片]")
        try content.setAttributes(["degrade": "old", "typeTitle": ""])
        #expect(types.preview(of: content) == "old")
        try content.setAttributes(["degrade": "old", "typeTitle": "card"])
        #expect(types.preview(of: content) == "[card]")
        content.text = "words"
        #expect(types.preview(of: content) == "words")
        try content.setAttributes(["degrade": "old", "digest": "chosen"])
        #expect(types.preview(of: content) == "chosen")
    }

    @Test(
        "A21: attributes that are no JSON object are kept and mean nothing", .store,
        arguments: [
            "", "[1]", "\"degrade\"", "{\"degrade\":", "{\"degrade\":7,\"typeTitle\":[],\"digest\":{}}", "\u{0}", "{}",
        ])
    func otherAttributes(text: String) throws {
        let content = MessageContent(type: CardPayload.contentType, attributes: Array(text.utf8))
        #expect(try store.readBack(content) == content)
        #expect(store.contentTypes.decode(content).unknown == .some(nil))
        #expect(try store.lastDigest() == "[leancloud/1]")
    }
}
