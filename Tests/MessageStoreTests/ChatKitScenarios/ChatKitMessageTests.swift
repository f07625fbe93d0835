import MessageStore
import Testing

/// Written from "ChatKit 自定义业务": custom messages, the filter, previews.
@Suite("ChatKit: custom messages and the filter", .timeLimit(.minutes(1)))
struct ChatKitMessageTests {
    /// `LCCKVCardMessage`.
    private struct VCard: MessagePayload {
        static let contentType = ContentType(1, in: .leanCloud)
        let clientId: String

        init(clientId: String) { self.clientId = clientId }

        init(decoding content: MessageContent) throws {
            guard let id = content.jsonAttributes?["clientId"]?.stringValue else { throw Unreadable() }
            clientId = id
        }

        func encode() throws -> MessageContent {
            var content = MessageContent(type: Self.contentType)
            try content.setAttributes([
                "typeTitle": "名片", "degrade": "这是一条名片消息，当前版本过低无法显示，请尝试升级APP查看",
                "summary": "有人向您发送了一条名片消息，请打开APP查看", "conversationType": 1, "clientId": .string(clientId),
            ])
            return content
        }
    }

    private struct Unreadable: Error {}

    private func card(_ id: ServerMessageID, at time: Int64, to users: [UserID]? = nil, from: UserID = "bob") throws
        -> Event
    {
        let message = MessageReceived(
            serverID: id, sender: from, sentTime: ms(time), content: try VCard(clientId: "Tom").encode(),
            context: MessageContext(visibleTo: users))
        return Event(.messageReceived(message), in: group, origin: .live)
    }

    @Test(
        "A16, A17, A35: a card degrades to its text before its type is registered and after it is removed; bytes stay")
    func degrade() throws {
        try withTemporaryStore { store throws in
            try store.record(card("v", at: 1))
            let content = try #require(try store.message("v")?.content)
            let degraded = DecodedContent.Text("这是一条名片消息，当前版本过低无法显示，请尝试升级APP查看")
            #expect(degraded == DecodedContent.Text(store.contentTypes.decode(content)))
            try store.contentTypes.register(VCard.self)
            guard case .payload(let payload) = store.contentTypes.decode(content) else {
                Issue.record("not decoded")
                return
            }
            #expect((payload as? VCard)?.clientId == "Tom")
            store.contentTypes.unregister(VCard.contentType)
            #expect(degraded == DecodedContent.Text(store.contentTypes.decode(content)))
            #expect(try store.message("v")?.content == VCard(clientId: "Tom").encode())
        }
    }

    @Test("A18, A19, A20, A21: the list shows the title in brackets; summary, kind and free attributes are kept")
    func attributes() throws {
        try withTemporaryStore { store throws in
            try store.record(card("v", at: 1))
            let digest = try #require(try store.conversation()?.lastMessage)
            #expect(store.contentTypes.digest(of: digest) == "[名片]")
            let attributes = try #require(try store.message("v")?.content.jsonAttributes)
            #expect(attributes["summary"] == "有人向您发送了一条名片消息，请打开APP查看")
            #expect(attributes["conversationType"] == 1 && attributes["clientId"] == "Tom")
            #expect(ConversationKind(chatKit: 1) == .group && ConversationKind(chatKit: 0) == .single)
        }
    }

    @Test("A13: a message is copied by its text and forwarded as a new one")
    func forwarding() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1, text: "转发我"))
            let original = try #require(try store.message("a"))
            let copy = MessageSendQueued(
                content: original.content, context: MessageContext(forwardOf: original.serverID))
            let sent = try #require(try store.message(store.send(copy, to: peer)))
            #expect(sent.content.text == "转发我" && sent.context.forwardOf == "a")
        }
    }

    @Test("A14, A15: a transient custom message is told, not kept; the same notice tells stored ones, by type")
    func transient() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let stream = store.deliveries()
        try await store.record([
            received("heart", at: 1, type: ContentType(2, in: .leanCloud), policy: .transient), card("v", at: 2),
        ])
        #expect(try store.page().messages.map(\.serverID) == ["v"])
        try store.close()
        var told: [String] = []
        for await delivery in stream {
            guard case .message(let event, _) = delivery.payload, case .messageReceived(let message) = event.body else {
                continue
            }
            told.append("\(message.content.type) \(delivery.isTransient)")
        }
        #expect(told == ["leancloud/2 true", "leancloud/1 false"])
    }

    @Test("A22: success and failure of a custom send, and how far its file has come")
    func sending() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        var stream = store.deliveries().makeAsyncIterator()
        let local = try await store.send(MessageSendQueued(content: VCard(clientId: "Tom").encode()), to: group)
        store.publish(.uploadProgress(local, fraction: 0.5), in: group)
        #expect(await stream.next()?.payload == .notice(.uploadProgress(local, fraction: 0.5)))
        try await store.record(failed(local, code: 1))
        #expect(try store.outbox() == [local])
        try await store.record([retried(local), sent(local, "s", at: 5)])
        #expect(try store.message(local)?.status == .sent && store.outbox() == [])
        try store.close()
    }

    @Test("A23: local feedback stands in the timeline, is never sent and never counts")
    func feedback() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), read())
            let line = MessageInsertedLocally(content: .text("名片发送成功"), time: ms(2))
            try store.record(Event(.messageInsertedLocally(line), in: group))
            #expect(try store.texts() == ["a", "名片发送成功"] && store.outbox() == [] && store.unread().messages == 0)
            #expect(try store.page().messages.last?.isLocal == true)
        }
    }

    /// `setFilterMessagesBlock:` of the demo: group messages for some of the members.
    private struct Directed: MessageFilter {
        let version: UInt32 = 1
        let account: UserID

        func verdicts(on messages: [MessageReceived], in conversation: ConversationKey) async throws -> [FilterVerdict]
        {
            if conversation.kind == .single { return messages.map { _ in .keep } }
            return messages.map { message in
                guard let users = message.context.visibleTo, message.sender != account else { return .keep }
                if users.isEmpty { return .hide }
                return users.contains(account) ? .keep : .replace(.text("这是群定向消息，仅部分群成员可见"))
            }
        }
    }

    @Test(
        "A26, A27, A28, A29: a card for Tom and Jerry, as Tom, Jerry, Mary and its sender see it; live and from history",
        arguments: ["Tom", "Jerry", "Mary", "bob"] as [UserID], [Origin.live, .history])
    func directed(account: UserID, origin: Origin) throws {
        let place = try TemporaryStore()
        let store = try place.open(account: account)
        store.setMessageFilter(Directed(account: account))
        var events = [
            try card("both", at: 1, to: ["Tom", "Jerry"]), try card("none", at: 2, to: []), try card("all", at: 3),
        ]
        for index in events.indices { events[index].origin = origin }
        try store.record(events)
        let shown = try store.page().messages
        switch account {
        case "bob": #expect(shown.map(\.serverID) == ["both", "none", "all"])
        case "Mary":
            #expect(shown.map(\.serverID) == ["both", "all"])
            #expect(shown[0].content == .text("这是群定向消息，仅部分群成员可见") && shown[0].isReplaced)
        default:
            #expect(shown.map(\.serverID) == ["both", "all"] && shown[0].content.type == VCard.contentType)
        }
        try store.close()
    }

    @Test("A30: messages between two people pass the filter as they are")
    func single() throws {
        try withTemporaryStore { store throws in
            store.setMessageFilter(Directed(account: store.account))
            var event = try card("v", at: 1, to: ["Tom"])
            event.conversation = peer
            try store.record(event)
            #expect(try store.page(of: peer).messages.count == 1)
        }
    }

    @Test("A31: a picture is previewed among all pictures of its conversation")
    func images() throws {
        try withTemporaryStore { store throws in
            try store.record((1...9).map { received("m\($0)", at: Int64($0), type: $0 % 2 == 0 ? .image : .text) })
            let media = try store.read { try $0.media(of: group, around: .server("m4"), limit: 10) }
            #expect(media.messages.map(\.serverID) == ["m2", "m4", "m6", "m8"] && media.index == 1)
        }
    }

    @Test("A32: a place is previewed by its coordinates and words")
    func location() throws {
        try withTemporaryStore { store throws in
            let content = try LocationPayload(latitude: 39.9, longitude: 116.4, text: "天安门").encode()
            let message = MessageReceived(serverID: "l", sender: "bob", sentTime: ms(1), content: content)
            try store.record(Event(.messageReceived(message), in: group))
            guard case .payload(let payload) = store.contentTypes.decode(try #require(try store.message("l")).content)
            else {
                Issue.record("not decoded")
                return
            }
            let place = try #require(payload as? LocationPayload)
            #expect(place.latitude == 39.9 && place.longitude == 116.4 && place.text == "天安门")
        }
    }

    @Test("A25: the store gives data for every language and no words of its own")
    func words() throws {
        let registry = ContentTypeRegistry()
        registry.label = { $0 == .image ? "图片" : $0.rawValue }
        #expect(registry.digest(of: MessageContent(type: .image)) == "[图片]")
    }
}

extension DecodedContent {
    /// The text that stands in the place of what cannot be read; nil where it can.
    fileprivate struct Text: Equatable {
        let text: String?

        init(_ text: String) { self.text = text }

        init(_ content: DecodedContent) {
            if case .unknown(let degraded) = content { text = degraded } else { text = nil }
        }
    }
}
