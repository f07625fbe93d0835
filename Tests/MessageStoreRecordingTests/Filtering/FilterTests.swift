import MessageStore
import MessageStoreLMDB
import Testing
@testable import MessageStoreTestSupport

@Suite("A26–A30, d13: filtered messages", .timeLimit(.minutes(30)))
struct FilterTests {
    private struct Refused: Error {}

    private static let censor = FakeMessageFilter { messages, _ in
        messages.map { message in
            switch message.content.text {
            case "spam": .hide
            case "rude": .replace(.text("…"))
            default: .keep
            }
        }
    }

    @Test("A26, d13: hidden and replaced, by the synchronous and the async call", arguments: [false, true])
    func verdicts(isAsync: Bool) async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.messageFilter = Self.censor }
        let events = [received("a", at: 1), received("b", at: 2, text: "spam"), received("c", at: 3, text: "rude")]
        let result = isAsync ? try await store.record(events) : try Self.record(events, in: store)
        #expect(result.positions.map(\.?.rawValue) == [1, 3, 5], "verdicts stand before their messages")
        #expect(try store.texts() == ["a", "…"])
        #expect(try store.message("b") == nil)
        #expect(try store.message("c")?.isReplaced == true)
        #expect(try store.unread().messages == 2)
        #expect(try store.conversation()?.lastMessage?.text == "…")
        let logged = try await store.events(where: EventFilter(types: [.messageReceived])).map(\.event)
        #expect(
            logged.map { AnyHashable($0.payload) } == events.map { AnyHashable($0.payload) },
            "what came is in the log as it came")
        try await store.close()
        // Replay needs no filter.
        let again = try place.open()
        #expect(try again.isConsistent() && again.texts() == ["a", "…"])
        try await again.close()
    }

    private static func record(_ events: [Event], in store: MessageStore) throws -> RecordResult {
        try store.record(events)
    }

    @Test("d13, d20: a hidden message neither lists, nor moves, nor revives its conversation")
    func movesNothing() throws {
        let filter = FakeMessageFilter { messages, _ in
            messages.map { $0.serverID < "b" || $0.serverID == "x" ? .keep : .hide }
        }
        try withTemporaryStore {
            $0.hooks.messageFilter = filter
        } _: { store throws in
            try store.record(received("a", at: 1), received("x", at: 5, in: peer))
            try store.record(conversationDeleted(in: peer))
            try store.record(
                received("b", at: 10), received("y", at: 11, in: peer), received("z", at: 12, in: .group("h")))
            #expect(try store.list() == [group])
            #expect(try store.conversation()?.activity == ms(1))
            #expect(try store.conversation(.group("h")) == nil)
            #expect(try store.isConsistent())
        }
    }

    @Test("A28: own messages from other devices are not judged; A30: the filter receives the conversation")
    func whatIsJudged() throws {
        let filter = FakeMessageFilter { messages, conversation in
            messages.map { _ in conversation.kind == .single ? .keep : .hide }
        }
        try withTemporaryStore {
            $0.hooks.messageFilter = filter
        } _: { store throws in
            try store.record([
                received("a", at: 1, from: "me", origin: .otherDevice), received("b", at: 2),
                received("c", at: 3, in: peer), received("h", at: 0, origin: .history),
            ])
            #expect(filter.asked.sorted() == ["b", "c", "h"])
            #expect(try store.texts() == ["a"] && store.texts(of: peer) == ["c"])
        }
    }

    @Test("I4: a message that comes again keeps its first verdict")
    func again() throws {
        let place = try TemporaryStore()
        let filtered = try place.open { configuration in
            configuration.hooks.messageFilter = FakeMessageFilter { messages, _ in messages.map { _ in .hide } }
        }
        try filtered.record(received("a", at: 1))
        let last = try filtered.lastPosition()
        try filtered.close()
        try place.withStore { store throws in
            try store.record(received("a", at: 1))
            #expect(try store.lastPosition() == last && store.texts() == [])
        }
    }

    @Test("a filter that throws, answers for fewer or never leaves the messages as they came", arguments: [0, 1, 2])
    func failing(kind: Int) async throws {
        let place = try TemporaryStore()
        let filter = FakeMessageFilter { _, _ in
            switch kind {
            case 0: throw Refused()
            case 1: return [.hide]
            default: try await ManualClock().sleep(for: .seconds(1))
            }
            return []
        }
        let store = try place.open { configuration in
            configuration.hooks.messageFilter = filter
            configuration.hooks.filterTimeout = .milliseconds(30)
        }
        try await store.record([received("a", at: 1), received("b", at: 2)])
        _ = try Self.record([received("c", at: 3)], in: store)
        #expect(try store.texts() == (kind == 1 ? ["a", "b"] : ["a", "b", "c"]))
        await #expect(throws: StoreError.self) { try await store.refilter() }
        try await store.close()
        let unfiltered = try place.open()
        await expectAsyncError(.hookMissing) { _ = try await unfiltered.refilter() }
        try await unfiltered.close()
    }

    @Test("a filter may read the store and record other events, but no messages")
    func reentrant() async throws {
        let place = try TemporaryStore()
        // A hook that needs the store is given it when it is open.
        let opened = Locked<MessageStore?>(nil)
        let filter = FakeMessageFilter { messages, _ in
            guard let store = opened.withLock({ $0 }) else { return [] }
            try await store.record(pinned())
            #expect(try store.list() == [group])
            await #expect(throws: StoreError.self) { try await store.record(received("inner", at: 9)) }
            return messages.map { _ in .keep }
        }
        let store = try place.open { $0.hooks.messageFilter = filter }
        opened.withLock { $0 = store }
        try await store.record(received("a", at: 1))
        #expect(try store.texts() == ["a"] && store.conversation()?.isPinned == true)
        opened.withLock { $0 = nil }
        try await store.close()
    }

    @Test("d13: another filter looks again; only what changed is recorded, and what was hidden comes back")
    func refilter() async throws {
        let place = try TemporaryStore()
        let before = try place.open {
            $0.hooks.messageFilter = FakeMessageFilter(byText: { $0 == "spam" ? .hide : .keep })
        }
        try await before.record([received("a", at: 1), received("b", at: 2, text: "spam"), received("c", at: 3)])
        try await before.close()
        let store = try place.open {
            $0.hooks.messageFilter = FakeMessageFilter(version: 2, byText: { $0 == "c" ? .hide : .keep })
        }
        #expect(try await store.refilter() == 2)
        #expect(try store.texts() == ["a", "spam"])
        #expect(try await store.refilter() == 0)
        let verdicts = try await store.events(where: EventFilter(types: [.messageFiltered])).compactMap { recorded in
            if let body = recorded.event.payload as? MessageFiltered { body.filterVersion } else { nil }
        }
        #expect(verdicts == [1, 2, 2])
        #expect(try store.isConsistent())
        try await store.close()
    }

    @Test("A26, d10: messages that are not kept, and the server's pages that are not stored, are judged as well")
    func unstored() async throws {
        let place = try TemporaryStore()
        let store = try place.open { configuration in
            configuration.hooks.messageFilter = Self.censor
            configuration.hooks.historyProvider = Past()
        }
        let stream = store.deliveries()
        try await store.record([
            received("a", at: 1, text: "spam", policy: .transient),
            received("b", at: 2, text: "rude", policy: .transient),
            received("c", at: 3, text: "rude"),
        ])
        #expect(try store.texts() == ["…"])
        #expect(try await store.remoteHistory(of: group).elements.map(\.content.text) == ["…", "fine"])
        try await store.close()
        #expect(await Self.texts(stream) == ["…", "…"])
    }

    private struct Past: HistoryProvider {
        func page(
            of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
        ) async throws -> RemoteHistoryPage {
            let messages = ["rude", "spam", "fine"].enumerated().map { index, text in
                MessageReceived(
                    serverID: "h\(index)", sender: "bob", sentTime: ms(Int64(index)), content: .text(text))
            }
            return RemoteHistoryPage(messages: messages, reachesBeginning: true)
        }
    }

    /// The texts of the messages that a stream delivers until its store is closed.
    private static func texts(_ stream: Deliveries) async -> [String?] {
        var texts: [String?] = []
        for await delivery in stream {
            if case .message(let event, _) = delivery.payload, let message = event.payload as? MessageReceived {
                texts.append(message.content.text)
            }
        }
        return texts
    }

    @Test("A14, d13: listeners receive what is shown")
    func deliveries() async throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.hooks.messageFilter = Self.censor }
        let stream = store.deliveries()
        try await store.record([received("b", at: 2, text: "spam"), received("c", at: 3, text: "rude")])
        try await store.close()
        #expect(await Self.texts(stream) == ["…"])
    }
}

@Suite("A27–A30: directed messages")
struct DirectedMessageTests {
    private func directed(
        _ id: ServerMessageID, to users: [UserID]?, from sender: UserID = "bob", in key: ConversationKey = group
    ) -> Event {
        let message = MessageReceived(
            serverID: id, sender: sender, sentTime: ms(1), content: .text(id.rawValue),
            context: MessageContext(visibleTo: users))
        return Event(message, in: key, origin: .live)
    }

    @Test(
        "A27–A30: a list shows a message to those in it; none shows it to all; between two people it does not count",
        .store)
    func lists() throws {
        try store.record(
            directed("all", to: nil), directed("mine", to: ["Tom", "me"]),
            directed("others", to: ["Tom", "Jerry"]),
            directed("nobody", to: []), directed("own", to: [], from: "me"), directed("two", to: ["Tom"], in: peer))
        #expect(try store.texts() == ["all", "mine", "own"] && store.texts(of: peer) == ["two"])
        #expect(try store.unread().messages == 2)
    }

    @Test("A28: a filter puts a text into the place of what is not meant for this account")
    func placeholder() throws {
        let filter = FakeMessageFilter { messages, _ in
            messages.map { $0.context.visibleTo?.contains("me") == false ? .replace(.text("定向消息")) : .keep }
        }
        try withTemporaryStore {
            $0.hooks.messageFilter = filter
        } _: { store throws in
            try store.record(directed("others", to: ["Tom"]), directed("mine", to: ["me"]))
            #expect(try store.texts() == ["mine", "定向消息"])
        }
    }

    @Test("A28: the filter's keep outranks the list")
    func keep() throws {
        let filter = FakeMessageFilter { messages, _ in messages.map { _ in .keep } }
        try withTemporaryStore {
            $0.hooks.messageFilter = filter
        } _: { store throws in
            try store.record(directed("others", to: ["Tom"]))
            #expect(try store.texts() == ["others"])
        }
    }
}
