import MessageStore
import Testing

/// The document's filter, step by step, by the attribute of its card that lists who may see it.
final class DirectedMessageFilter: MessageFilter {
    static let attribute = "OnlyVisiableForPartClientIds"
    static let placeholder = MessageContent.text("这是群定向消息，仅部分群成员可见")

    let version: UInt32 = 1
    private let clientID: UserID

    init(of clientID: UserID) { self.clientID = clientID }

    func verdicts(on messages: [MessageReceived], in conversation: ConversationKey) async throws -> [FilterVerdict] {
        guard conversation.kind != .single else { return messages.map { _ in .keep } }
        return messages.map { message in
            guard case .array(let listed) = message.content.jsonAttributes?[Self.attribute] else { return .keep }
            guard !listed.isEmpty else { return .hide }
            return listed.contains(.string(clientID.rawValue)) ? .keep : .replace(Self.placeholder)
        }
    }
}

@Suite("A26–A30: the directed group message, seen by Tom, Jerry and everybody else", .timeLimit(.minutes(30)))
struct FilterScenarios {
    /// The document's card, for these alone; nil for everyone.
    private static func card(
        _ id: ServerMessageID, to users: [JSONValue]?, from sender: UserID = "Spike", at time: Int64 = 10
    ) throws -> MessageReceived {
        var content = try CardPayload(clientID: "Tom", conversationType: 1).encode()
        var attributes = content.jsonAttributes ?? [:]
        attributes[DirectedMessageFilter.attribute] = users.map { .array($0) }
        try content.setAttributes(attributes)
        return MessageReceived(serverID: id, sender: sender, sentTime: ms(time), content: content)
    }

    private static func withStore(
        of account: UserID, _ body: (MessageStore) async throws -> Void
    ) async throws {
        let place = try TemporaryStore()
        let store = try place.open(account: account) { $0.messageFilter = DirectedMessageFilter(of: account) }
        try await body(store)
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test(
        "A27, A28: given a card for Tom and Jerry, when it is in the group, then they see it and others a text of it",
        arguments: ["Tom", "Jerry", "Butch"] as [UserID], [Origin.live, .offline, .history])
    func directed(account: UserID, origin: Origin) async throws {
        try await Self.withStore(of: account) { store in
            let card = try Self.card("a", to: ["Tom", "Jerry"])
            try await store.record([Event(card, in: group, origin: origin)])
            let shown = try #require(try store.message("a"))
            let isForAll = account == "Butch"
            #expect(shown.content == (isForAll ? DirectedMessageFilter.placeholder : card.content))
            #expect(shown.content.type == (isForAll ? .text : CardPayload.contentType))
            #expect(shown.isReplaced == isForAll)
        }
    }

    @Test("A28: given a card for others, when the sender's other device has it, then the sender sees it")
    func sender() async throws {
        try await Self.withStore(of: "Spike") { store in
            let cards = try [Self.card("a", to: ["Tom"]), Self.card("b", to: [], at: 20)]
            try await store.record(cards.map { Event($0, in: group, origin: .otherDevice) })
            #expect(try store.page().messages.map(\.content) == cards.map(\.content))
        }
    }

    @Test(
        "A28, A29: given no list and an empty one, when both arrive, then everyone sees the first and no one the second"
    )
    func noListAndEmptyList() async throws {
        try await Self.withStore(of: "Tom") { store in
            let cards = try [Self.card("open", to: nil), Self.card("empty", to: [], at: 20)]
            try await store.record(cards.map { Event($0, in: group, origin: .live) })
            #expect(try store.page().messages.map(\.content) == [cards[0].content])
            #expect(try store.message("empty") == nil)
            #expect(try store.unread().messages == 1 && store.conversation()?.activity == ms(10))
        }
    }

    @Test("A30: given a chat between two, when a card lists somebody else, then it passes untouched")
    func singleChat() async throws {
        try await Self.withStore(of: "Butch") { store in
            let card = try Self.card("a", to: ["Tom", "Jerry"])
            try await store.record(Event(card, in: .single("Spike"), origin: .live))
            #expect(try store.message("a", in: .single("Spike"))?.content == card.content)
        }
    }

    @Test(
        "A26: given a filter, when live messages and a page of history come, then it sees both with their conversation")
    func liveAndHistory() async throws {
        let place = try TemporaryStore()
        let filter = FakeMessageFilter { messages, conversation in
            messages.map { _ in conversation == group ? .replace(.text("…")) : .hide }
        }
        let store = try place.open { configuration in
            configuration.messageFilter = filter
            configuration.historyProvider = FakeHistoryProvider(2)
        }
        try await store.record([received("x", at: 30), received("y", at: 30, in: peer)])
        let page = try await store.history(of: group, limit: 10)
        #expect(filter.asked.sorted() == ["m1", "m2", "x", "y"])
        #expect(page.texts == ["…", "…", "…"])
        #expect(try store.texts(of: peer) == [])
        #expect(try store.isConsistent())
    }

    @Test("A26: given a message that the filter rewrote, when it is told to listeners, then as it is shown")
    func deliveries() async throws {
        try await Self.withStore(of: "Butch") { store in
            var told = store.deliveries().makeAsyncIterator()
            try await store.record(Event(Self.card("a", to: ["Tom"]), in: group, origin: .live))
            guard case .message(let event, .some) = await told.next()?.payload,
                let message = event.payload as? MessageReceived
            else { throw Unreadable() }
            #expect(message.content == DirectedMessageFilter.placeholder)
        }
    }
}
