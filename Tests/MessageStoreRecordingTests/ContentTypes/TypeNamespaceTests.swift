import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("B28, E14, d16: numbers of types")
struct TypeNamespaceTests {
    @Test("d16: a service's number is a key of its own; the numbers of built-in types mean those")
    func keys() {
        #expect(ContentType(-1, in: .leanCloud) == "leancloud/-1")
        #expect(ContentType(1, in: .leanCloud) != ContentType(1, in: .spider))
        #expect((-5 ... -1).map(TypeNamespace.leanCloud.type) == [.location, .video, .audio, .image, .text])
        #expect(TypeNamespace.leanCloud.type(for: -6) == "leancloud/-6")
        #expect(TypeNamespace.spider.type(for: 7) == "spider/7")
    }

    @Test(
        "B28, E14: a service's range is closed to registrations, and the rest is open",
        arguments: [
            ("leancloud/-127", false), ("leancloud/-1", false), ("leancloud/0", false), ("leancloud/-01", false),
            ("leancloud/1", true), ("leancloud/2147483647", true), ("leancloud/x", true), ("leancloud", true),
            ("spider/1000", false), ("spider/-1", false), ("spider/1001", true), ("SP:TxtMsg", true),
            ("other/-1", true), ("mine/9", false), ("mine/10", true), ("", false),
            (ContentType(String(repeating: "x", count: 256)), false),
            (ContentType(String(repeating: "x", count: 255)), true),
        ] as [(ContentType, Bool)])
    func ranges(type: ContentType, isFree: Bool) throws {
        let types = ContentTypeRegistry()
        for namespace in [.leanCloud, .spider, TypeNamespace("mine", firstCustom: 10)] { try types.reserve(namespace) }
        try NamedPayload.$name.withValue(type) {
            if isFree {
                try types.register(NamedPayload.self)
                #expect(types.decode(MessageContent(type: type)).payload(NamedPayload.self) != nil)
            } else {
                expectError(.invalidArgument) { try types.register(NamedPayload.self) }
                #expect(types.decode(MessageContent(type: type)).unknown == .some(nil))
            }
        }
    }

    @Test("d16: a reserved name keeps its numbers; types registered before stay")
    func reserving() throws {
        let types = ContentTypeRegistry()
        try types.reserve(.leanCloud)
        expectError(.invalidArgument) { try types.reserve(TypeNamespace("leancloud", firstCustom: -100)) }
        try NamedPayload.$name.withValue("late/1") {
            try types.register(NamedPayload.self)
            try types.reserve(TypeNamespace("late", firstCustom: 5))
            #expect(types.decode(MessageContent(type: "late/1")).payload(NamedPayload.self) != nil)
        }
    }

    @Test("B28: a message of an unregistered number of the service is kept and shown", .store)
    func unregistered() throws {
        let content = MessageContent(type: ContentType(-9, in: .leanCloud), data: [0, 255])
        #expect(try store.readBack(content) == content)
        #expect(try store.lastDigest() == "[leancloud/-9]")
    }

    @Test("E6, D2, A20, d17: numbers of kinds; unknown ones are none")
    func kinds() {
        #expect(
            (0...7).map { ConversationKind(rongCloud: $0) } == [
                nil, .single, nil, .group, .chatRoom, nil, .system, nil,
            ])
        #expect((0...3).map { ConversationKind(spider: $0) } == [nil, .single, .group, nil])
        #expect((-1...2).map { ConversationKind(chatKit: $0) } == [nil, .single, .group, nil])
        #expect((-1...3).map { ConversationKind(nim: $0) } == [nil, .single, .group, .chatRoom, nil])
    }

    @Test("E8, d10: 0 and 3 are not kept, 1 is kept, 2 is counted as well; others are none")
    func persistFlags() {
        let policies = (-1...4).map { MessagePolicy(persistFlag: $0) }
        #expect(policies == [nil, .transient, .uncounted, .standard, .transient, nil])
    }
}

/// A payload whose type a test chooses.
private struct NamedPayload: MessagePayload {
    @TaskLocal static var name: ContentType = "named"
    static var contentType: ContentType { name }
    init(decoding content: MessageContent) {}
    func encode() -> MessageContent { MessageContent(type: Self.contentType) }
}
