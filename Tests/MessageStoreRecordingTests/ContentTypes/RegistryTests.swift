import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("E12–E19: the registry of content types", .timeLimit(.minutes(30)))
struct RegistryTests {
    private let types = ContentTypeRegistry()

    @Test("E12, E13, E16: Spider's text message goes out and comes back, with extra and digest")
    func spiderText() throws {
        try types.register(SpiderTextPayload.self)
        let payload = SpiderTextPayload("你好", extra: ["k": [1, 2.5, .null, true]], digest: "short")
        let content = try payload.encode()
        #expect(content.type == "SP:TxtMsg")
        #expect(types.decode(content).payload() == payload)
        #expect(types.preview(of: content) == "short")
        let plain = try SpiderTextPayload("你好", digest: "").encode()
        #expect(types.preview(of: plain) == "你好", "an empty digest is none")
        #expect(types.preview(of: try SpiderTextPayload("你好").encode()) == "你好")
    }

    @Test("E17: no text is encoded as an empty one")
    func emptyText() throws {
        #expect(String(decoding: try SpiderTextPayload(nil).encode().data, as: UTF8.self) == #"{"text":""}"#)
        #expect(TextPayload(nil).encode() == .text(""))
        #expect(types.decode(MessageContent(type: .text)).payload() == TextPayload(""))
        #expect(types.preview(of: .text("")) == "")
    }

    @Test("E19: a type registered late repairs the rows of old messages")
    func lateRegistration() throws {
        let place = try TemporaryStore()
        let content = try PollPayload(question: "Tea?", choices: ["yes", "no"]).encode()
        try place.withStore { store throws in _ = try store.readBack(content) }
        try place.withStore { store throws in
            #expect(try store.lastDigest() == "[com.example/poll]")
            try store.contentTypes.register(PollPayload.self)
            #expect(try store.lastDigest() == "Tea?")
            let read = try #require(try store.message("a")?.content)
            #expect(store.contentTypes.decode(read).payload() == PollPayload(question: "Tea?", choices: ["yes", "no"]))
        }
    }

    @Test("E14: a type belongs to one payload; the same one may come again with another text")
    func conflict() throws {
        struct Other: FieldsPayload {
            static let contentType = PollPayload.contentType
            var fields: [String: JSONValue]
            var text: String?
            init(_ fields: [String: JSONValue], text: String?) { self.fields = fields }
        }
        let content = try PollPayload(question: "Tea?", choices: []).encode()
        try types.register(PollPayload.self) { "first \($0.question)" }
        expectError(.invalidArgument) { try types.register(Other.self) }
        #expect(types.preview(of: content) == "first Tea?")
        try types.register(PollPayload.self) { "second \($0.question)" }
        #expect(types.preview(of: content) == "second Tea?")
        types.unregister(PollPayload.contentType)
        types.unregister(PollPayload.contentType)
        try types.register(Other.self)
        #expect(types.decode(content).payload(Other.self)?.fields["question"] == "Tea?")
    }

    @Test("E14: a built-in type is replaced by unregistering it first")
    func builtInConflict() throws {
        struct Mine: MessagePayload {
            static let contentType = ContentType.image
            init(decoding content: MessageContent) {}
            func encode() -> MessageContent { MessageContent(type: .image) }
            var preview: String? { "mine" }
        }
        expectError(.invalidArgument) { try types.register(Mine.self) }
        types.unregister(.image)
        try types.register(Mine.self)
        #expect(types.preview(of: MessageContent(type: .image)) == "mine")
    }

    @Test("d11: the registered type's policy, else the sender's flag, else kept and not counted")
    func policies() throws {
        #expect(types.policy(of: PollPayload.contentType, senderFlag: .standard) == .standard)
        #expect(types.policy(of: PollPayload.contentType) == .uncounted)
        #expect(types.policy(of: .text, senderFlag: .transient) == .transient)
        #expect(types.policy(of: .text) == .uncounted)
        try types.register(PollPayload.self)
        #expect(types.policy(of: PollPayload.contentType, senderFlag: .standard) == .silent)
        try types.register(SpiderTextPayload.self)
        #expect(types.policy(of: "SP:TxtMsg", senderFlag: .transient) == .standard)
    }

    @Test("C4, E13: a hook or decoder that throws, or has nothing to say, is passed over")
    func throwing() throws {
        let content = try PollPayload(question: "Tea?", choices: []).encode()
        try types.register(PollPayload.self) { _ in throw Unreadable() }
        #expect(types.preview(of: content) == "Tea?")
        try types.register(PollPayload.self) { _ in nil }
        #expect(types.preview(of: content) == "Tea?")
        var broken = content
        broken.data.removeLast()
        broken.text = "words"
        #expect(types.decode(broken).unknown == .some(nil))
        #expect(types.preview(of: broken) == "words")
    }

    @Test("C4: the words of a tip come from the host, which may ask the registry meanwhile")
    func tips() throws {
        let content = try TipPayload(["kind": "renamed", "name": "Team"]).encode()
        #expect(types.preview(of: content) == "[tip]")
        try types.register(TipPayload.self) { [types] tip in
            types.label = { _ in "hint" }
            _ = types.policy(of: .tip)
            return tip.fields["name"]?.stringValue.map { "renamed to \($0)" }
        }
        #expect(types.preview(of: content) == "renamed to Team")
        #expect(types.preview(of: try TipPayload(text: "as it came").encode()) == "as it came")
        #expect(types.preview(of: try TipPayload(["kind": "other"]).encode()) == "[hint]")
    }

    @Test("C13, C30: text, else the type's label; an unknown type is reported as such, its bytes kept")
    func labels() throws {
        types.label = { "<\($0)>" }
        #expect(types.preview(of: .text("hello")) == "hello")
        #expect(types.preview(of: MessageContent(type: .image)) == "[<image>]")
        #expect(types.preview(of: MessageContent(type: .image, text: "")) == "[<image>]")
        #expect(types.preview(of: MessageContent(type: "x/y", data: [1, 2])) == "[<x/y>]")
        #expect(types.decode(MessageContent(type: "x/y", data: [1, 2])).unknown == .some(nil))
        #expect(types.decode(MessageContent(type: .action, text: "waves")).unknown == .some(nil))
    }

    @Test("d15: a recalled or redacted last message has no content and no digest", .store)
    func recalledAndRedacted() throws {
        try store.record(received("a", at: 1), received("b", at: 2))
        #expect(try store.conversation()?.lastMessage?.content == .text("b"))
        #expect(try store.lastDigest() == "b")
        try store.record(recalled("b"))
        #expect(try store.conversation()?.lastMessage?.content == nil)
        #expect(try store.lastDigest() == nil)
        try store.record(deleted("b"))
        #expect(try store.lastDigest() == "a")
        try store.redact(Position(1))
        #expect(try store.conversation()?.lastMessage?.content == nil)
        #expect(try store.conversation()?.lastMessage?.text == nil)
        #expect(try store.lastDigest() == nil)
    }

    @Test("the registry is used from inside a read, and by many threads at once")
    func threads() async throws {
        let types = types
        await withTaskGroup(of: Void.self) { tasks in
            for number in 0..<200 {
                tasks.addTask {
                    if number % 4 == 0 {
                        try? types.register(PollPayload.self) { $0.question }
                    } else if number % 4 == 1 {
                        types.unregister(PollPayload.contentType)
                    } else {
                        let digest = types.preview(of: MessageContent(type: PollPayload.contentType, text: "t"))
                        #expect(digest == "t")
                    }
                }
            }
        }
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1))
            let line = try store.read { views in
                try views.conversation(group)?.lastMessage.flatMap { store.contentTypes.preview(of: $0) }
            }
            #expect(line == "a")
        }
    }
}
