import MessageStore
import Testing

/// Written from Spider-lib's document: its message types, sending and queries.
@Suite("Spider: messages and sessions")
struct SpiderMessageTests {
    /// `SPTextMessage`: text, extra and digest in a JSON object; a nil text is written as "".
    private struct SPTextMessage: MessagePayload {
        static let contentType = ContentType("SP:TxtMsg")
        static let policy = MessagePolicy(persistFlag: 2)
        var text: String?
        var extra: String?
        var digest: String?

        var preview: String? { digest }

        init(_ text: String?, digest: String? = nil) {
            (self.text, self.digest) = (text, digest)
        }

        init(decoding content: MessageContent) throws {
            let fields = content.jsonAttributes ?? [:]
            guard let text = fields["text"]?.stringValue else { throw Broken() }
            self.text = text
            extra = fields["extra"]?.stringValue
            digest = fields["digest"]?.stringValue
        }

        func encode() throws -> MessageContent {
            var content = MessageContent(type: Self.contentType)
            var fields: [String: JSONValue] = ["text": .string(text ?? "")]
            if let digest { fields["digest"] = .string(digest) }
            try content.setAttributes(fields)
            return content
        }
    }

    private struct Broken: Error {}

    private func received(_ id: ServerMessageID, _ content: MessageContent, at time: Int64, flag: Int) -> Event? {
        guard let policy = MessagePolicy(persistFlag: flag) else { return nil }
        let message = MessageReceived(
            serverID: id, sender: "bob", sentTime: ms(time), content: content, policy: policy)
        return Event(message, in: group, origin: .live)
    }

    @Test("E6, E7: a session is an id and a type; the same id of another type is another session")
    func sessions() throws {
        let single = try #require(ConversationKind(spider: 1))
        let group = try #require(ConversationKind(spider: 2))
        #expect(ConversationKind(spider: 3) == nil)
        try withTemporaryStore { store throws in
            for kind in [single, group] {
                try store.record(MessageStoreTests.received("1", at: 1, in: ConversationKey(kind, "42")))
            }
            #expect(try store.list().count == 2)
        }
    }

    @Test("E8, E15: 0 and 3 are not kept, 1 is kept, 2 is kept and counted; the value is frozen with the message")
    func persistFlags() throws {
        try withTemporaryStore { store throws in
            for flag in 0...3 {
                let event = try #require(received("m\(flag)", .text("\(flag)"), at: Int64(flag + 1), flag: flag))
                try store.record(event)
            }
            #expect(MessagePolicy(persistFlag: 4) == nil)
            #expect(try store.texts() == ["1", "2"])
            #expect(try store.unread().messages == 1)
            // A type's own policy outranks the flag, and what is recorded stays as it was.
            try store.contentTypes.register(SPTextMessage.self)
            try store.record(try #require(received("typed", SPTextMessage("x").encode(), at: 9, flag: 1)))
            store.contentTypes.unregister(SPTextMessage.contentType)
            #expect(try store.unread().messages == 2)
        }
    }

    @Test(
        "E9, E10, E20, E21, E26: send answers with the local id at once; the server's id follows, both find the message"
    )
    func sending() throws {
        try withTemporaryStore { store throws in
            let local = try store.enqueue(MessageSendQueued(content: .text("你好")), to: peer)
            let waiting = try #require(try store.message(local))
            #expect(waiting.status == .sending && waiting.serverID == nil && waiting.isTimeProvisional)
            try store.record(sent(local, "unique-1", at: 5_000, in: peer))
            let done = try #require(try store.message("unique-1", in: peer))
            #expect(done.id == local && done.status == .sent && done.time == ms(5_000))
        }
    }

    @Test("E22, E32: an error has its code; a status can be set by hand")
    func failure() throws {
        try withTemporaryStore { store throws in
            let local = try store.enqueue(MessageSendQueued(content: .text("x")), to: peer)
            try store.record(failed(local, code: 30_001, in: peer))
            #expect(try store.message(local)?.status == .failed && store.message(local)?.failureCode == 30_001)
            try store.record(
                Event(MessageStatusOverridden(.local(local), status: .sent), in: peer))
            #expect(try store.message(local)?.status == .sent && store.outbox() == [])
        }
    }

    @Test("E11, E12: a message has its columns; content is raw bytes beside what was parsed")
    func columns() throws {
        try withTemporaryStore { store throws in
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
    }

    @Test(
        "E13, E17, E18: types are read and written by their codec; nil text is \"\", broken bytes are harmless and kept"
    )
    func codec() throws {
        try withTemporaryStore { store throws in
            try store.contentTypes.register(SPTextMessage.self)
            let empty = try SPTextMessage(nil).encode()
            #expect(empty.jsonAttributes?["text"] == .string(""))
            guard case .payload(let payload) = store.contentTypes.decode(empty) else {
                Issue.record("not decoded")
                return
            }
            #expect((payload as? SPTextMessage)?.text == "")
            let broken = MessageContent(type: SPTextMessage.contentType, attributes: Array("{".utf8))
            guard case .unknown = store.contentTypes.decode(broken) else {
                Issue.record("broken bytes were decoded")
                return
            }
            for type in [ContentType.text, .image, .audio] {
                #expect(store.contentTypes.policy(of: type, senderFlag: .standard) == .standard, "built in")
            }
        }
    }

    @Test("E14: a type's name is unique; 1000 and below are the SDK's")
    func conflicts() throws {
        struct Other: JSONPayload { static let contentType = ContentType("SP:TxtMsg") }
        struct Reserved: JSONPayload { static let contentType = ContentType(1000, in: .spider) }
        struct Own: JSONPayload { static let contentType = ContentType(1001, in: .spider) }
        try withTemporaryStore { store throws in
            try store.contentTypes.reserve(.spider)
            try store.contentTypes.register(SPTextMessage.self)
            expectError(.invalidArgument) { try store.contentTypes.register(Other.self) }
            expectError(.invalidArgument) { try store.contentTypes.register(Reserved.self) }
            try store.contentTypes.register(Own.self)
        }
    }

    @Test("E16, E19: an explicit digest wins; a type registered after the message arrived repairs its line")
    func digests() throws {
        try withTemporaryStore { store throws in
            try store.record(try #require(received("a", SPTextMessage("全文", digest: "摘要").encode(), at: 1, flag: 2)))
            let digest = try #require(try store.conversation()?.lastMessage)
            #expect(store.contentTypes.preview(of: digest) == "摘要")
            struct Voice: JSONPayload {
                static let contentType = ContentType("SP:VcMsg")
                var seconds: Int?
            }
            try store.record(
                try #require(
                    received("v", MessageContent(type: "SP:VcMsg", data: Array(#"{"seconds":7}"#.utf8)), at: 2, flag: 2)
                ))
            let line = try #require(try store.conversation()?.lastMessage)
            #expect(store.contentTypes.preview(of: line) == "[SP:VcMsg]")
            try store.contentTypes.register(Voice.self, text: { "语音 \($0.seconds ?? 0)″" })
            #expect(store.contentTypes.preview(of: line) == "语音 7″")
        }
    }

    @Test("E23: content and profile are asked for by the compiler; what breaks a rule is refused and nothing is kept")
    func mandatory() throws {
        try withTemporaryStore { store throws in
            expectError(.invalidArgument) {
                _ = try store.enqueue(MessageSendQueued(content: MessageContent(type: "")), to: peer)
            }
            #expect(try store.lastPosition() == .origin)
        }
    }
}
