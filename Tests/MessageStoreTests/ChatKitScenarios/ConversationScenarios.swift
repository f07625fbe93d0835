import MessageStore
import Testing

@Suite("A11–A13, A31–A34: lists, previews, badge and session", .timeLimit(.minutes(30)))
struct ConversationScenarios {
    private let place: TemporaryStore
    private let store: MessageStore

    init() throws {
        place = try TemporaryStore()
        store = try place.open()
    }

    @Test("A11: given a conversation, when it is swiped away, then it leaves the list and its unread the badge")
    func swipeToDelete() throws {
        try store.record(received("a", at: 1), received("b", at: 2, in: peer))
        try store.record(conversationDeleted())
        #expect(try store.list() == [peer])
        #expect(try store.totals().badge == 1)
        try store.record(received("c", at: 3))
        #expect(try store.list() == [group, peer], "the next message brings it back")
    }

    @Test("A12: given a read conversation, when it is swiped to unread, then it is marked until it is read")
    func swipeToMarkUnread() throws {
        try store.record(received("a", at: 1), read())
        #expect(try store.totals().badge == 0)
        try store.record(markedUnread())
        #expect(try store.unread().isMarkedUnread && store.unread().messages == 0 && store.totals().badge == 1)
        try store.record(read())
        #expect(try !store.unread().isMarkedUnread && store.totals().badge == 0)
    }

    @Test("A13: given a bubble, when it is pressed long, then its text can be copied, and forwarded to another chat")
    func longPress() throws {
        try store.record(received("a", at: 1, text: "你好"))
        let pressed = try #require(try store.message("a"))
        #expect(pressed.content.text == "你好")
        let forward = MessageSendQueued(
            content: pressed.content, context: MessageContext(forwardOf: pressed.serverID))
        let id = try store.enqueue(forward, to: peer)
        let copy = try #require(try store.message(id))
        #expect(copy.conversation == peer && copy.isOutgoing && copy.status == .sending)
        #expect(copy.content == pressed.content && copy.context.forwardOf == "a")
        #expect(try store.texts() == ["你好"] && store.texts(of: peer) == ["你好"])
    }

    @Test("A31: given pictures among words, when one is tapped, then its index and all of them are there")
    func imagePreview() throws {
        for number in 1...3 {
            let file = MediaFile(url: "https://a/\(number).png", byteCount: 1_000)
            let small = MediaFile(url: "https://a/\(number)-small.png", path: "thumb/\(number)", byteCount: 10)
            let image = try ImagePayload(file, thumbnail: small, width: 4, height: 3).encode()
            let message = MessageReceived(
                serverID: ServerMessageID("i\(number)"), sender: "Tom", sentTime: ms(Int64(number) * 10), content: image
            )
            try store.record(
                Event(message, in: group),
                received(ServerMessageID("t\(number)"), at: Int64(number) * 10 + 1))
        }
        let page = try store.read { try $0.media(of: group, around: .server("i2")) }
        #expect(page.index == 1 && page.messages.map(\.serverID) == ["i1", "i2", "i3"])
        #expect(!page.hasOlder && !page.hasNewer)
        let images = page.messages.compactMap { store.contentTypes.decode($0.content).payload(ImagePayload.self) }
        #expect(images.map(\.file.url) == ["https://a/1.png", "https://a/2.png", "https://a/3.png"])
        #expect(images.map(\.file.path) == [nil, nil, nil], "only the thumbnails are on this device")
        #expect(images.map(\.thumbnail?.path) == ["thumb/1", "thumb/2", "thumb/3"])
        #expect(images.map(\.thumbnail?.url) == (1...3).map { "https://a/\($0)-small.png" })
        #expect(images.map(\.thumbnail?.byteCount) == [10, 10, 10])
    }

    @Test("A32: given a place, when it is previewed, then its coordinates and its address are as sent")
    func locationPreview() throws {
        let sent = LocationPayload(latitude: 39.9087, longitude: 116.3975, text: "天安门广场")
        let content = try #require(try store.readBack(try sent.encode()))
        #expect(store.contentTypes.decode(content).payload() == sent)
    }

    @Test("A33: given a badge, when messages come, are muted and are read, then it shows each total")
    func badge() async throws {
        var totals = store.observeUnreadTotals().makeAsyncIterator()
        #expect(try await totals.next()?.badge == 0)
        try await store.record([received("a", at: 1), received("b", at: 2), received("c", at: 3, in: peer)])
        #expect(try await totals.next()?.badge == 3)
        try await store.record(read())
        #expect(try await totals.next()?.badge == 1)
        try await store.record(muted(in: peer))
        #expect(try await totals.next()?.badge == 0)
        let withMuted = try await store.read { try $0.unreadTotals(includesMuted: true) }
        #expect(withMuted.badge == 1)
    }

    @Test("A34: given a session, when another device takes over, then the app is told why, and what it has stays")
    func kicked() throws {
        try store.record(received("a", at: 1), Event(SessionStateChanged(.connected)))
        let kick = SessionStateChanged(.kicked, code: 4111, text: "SESSION_CONFLICT")
        try store.record(Event(kick))
        #expect(try store.read { try $0.session() } == kick)
        try store.close()
        try place.withStore { store throws in
            #expect(try store.read { try $0.session() } == kick, "a restart can offer to reconnect")
            try store.record(Event(SessionStateChanged(.connected)), received("b", at: 2))
            #expect(try store.read { try $0.session() }?.state == .connected)
            #expect(try store.texts() == ["a", "b"])
        }
    }
}

@Suite("ChatKit: languages")
struct LanguageScenarios {
    @Test("A25: given a language of the app's, when the list is drawn, then its words are used and none of the store's")
    func labels() {
        let registry = ContentTypeRegistry()
        registry.label = { $0 == .image ? "图片" : $0.rawValue }
        #expect(registry.preview(of: MessageContent(type: .image)) == "[图片]")
    }
}
