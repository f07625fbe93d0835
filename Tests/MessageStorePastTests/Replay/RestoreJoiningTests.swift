import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Restoring with conversations under other keys", .store)
struct RestoreJoiningTests {
    private static let joined: [ConversationKey: ConversationKey] = [
        .single("a"): .id("a"), .group("a"): .id("a"), .single("b"): .id("b"),
    ]

    /// The events of a store, restored into another one that answers.
    private func restore(
        _ store: MessageStore, joining keys: [ConversationKey: ConversationKey] = joined,
        _ body: (MessageStore) throws -> Void
    ) throws {
        let place = try TemporaryStore()
        try place.withStore { restored throws in
            try restored.restore(store.events(limit: .max), joining: keys)
            #expect(try restored.isConsistent())
            try body(restored)
        }
        let report = try MessageStore.check(place.path)
        #expect(report.isSound)
    }

    /// Events that no store takes for copies of each other: what they mean depends on their order and conversation alone.
    private static func event(_ number: Int, _ ids: [ServerMessageID], _ random: inout SplitMix64) -> Event {
        let key = ConversationKey.id(random.chance(0.6) ? "a" : "b")
        let time = Int64(1_000 + number * 10 - random.nextIndex(50))
        let known = ids.isEmpty ? "m0" : ids[random.nextIndex(ids.count)]
        switch random.nextIndex(16) {
        case 0...4: return received("m\(number)", at: time, in: key, mentions: random.chance(0.2) ? ["me"] : [])
        case 5: return queued("words \(number)", in: key)
        case 6: return sent(LocalMessageID(UInt64(1 + random.nextIndex(number + 1))), "own\(number)", at: time, in: key)
        case 7: return modified(known, "changed \(number)", at: time, in: key)
        case 8: return random.chance(0.5) ? recalled(known, in: key) : deleted(known, in: key)
        case 9: return Event(MessageStatusFlagsSet([.server(known)], flags: .read), in: key)
        case 10: return read(random.chance(0.5) ? nil : order(time), in: key)
        case 11: return random.chance(0.5) ? pinned(random.chance(0.5), in: key) : markedUnread(in: key)
        case 12: return .unreadCountReported(UInt32(random.nextIndex(4)), in: key)
        case 13: return Event(ReactionAdded(.server(known), key: "+1", by: "u1", at: ms(time)), in: key)
        case 14: return random.chance(0.5) ? conversationDeleted(in: key) : cleared(order(time - 500), in: key)
        default: return snapshot("name \(number)", members: random.chance(0.5) ? ["u1", "me"] : nil, in: key)
        }
    }

    @Test("X4, I3: joined conversations are as if one key had been named from the beginning", arguments: Seeds.first(3))
    func asIfOne(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (one, two) = (try TemporaryStore(), try TemporaryStore())
        let (alone, apart) = (try one.open(), try two.open())
        var ids: [ServerMessageID] = []
        for number in 0..<200 {
            let event = Self.event(number, ids, &random)
            if let message = event.payload as? MessageReceived { ids.append(message.serverID) }
            var other = event
            if event.conversation == .id("a") { other.conversation = random.chance(0.5) ? .single("a") : .group("a") }
            if event.conversation == .id("b") { other.conversation = .single("b") }
            #expect(try alone.record([event]).lastPosition == apart.record([other]).lastPosition)
            for place in [one, two] { place.time.move(byMilliseconds: 7) }
        }
        try restore(apart) { restored throws in
            #expect(try restored.digests() == alone.digests())
            #expect(try restored.events(limit: .max).map(\.event) == alone.events(limit: .max).map(\.event))
        }
        try alone.close()
        try apart.close()
    }

    @Test("X4, I4: a message of two joined conversations is one, and what named either names it")
    func sameMessage() throws {
        try store.record(received("m", at: 1, in: .single("a")), received("n", at: 2, in: .single("a")))
        let again = Event.received(
            "m", from: "bob", in: .group("a"), at: ms(1), content: .text("m"), flags: .retrieved)
        let second = LocalMessageID(try store.record([again]).lastPosition.rawValue)
        try store.record(
            modified("m", "changed", at: 5, in: .group("a")),
            Event(MessageStarred(.local(second)), in: .group("a")),
            Event(MessageStatusFlagsSet([.local(second)], flags: .read), in: .group("a")))
        try restore(store) { restored throws in
            let messages = try restored.page(of: .id("a")).messages
            #expect(messages.map(\.serverID) == ["m", "n"] && messages.map(\.content.text) == ["changed", "n"])
            #expect(messages.first?.flags == [.read, .retrieved])
            #expect(try restored.unread(.id("a")).messages == 1)
            #expect(try restored.read { try $0.starredMessages().elements }.map(\.message.serverID) == ["m"])
            // What comes again is still known by its id.
            #expect(try restored.record([received("m", at: 1, in: .id("a"))]).duplicates == 1)
        }
    }

    @Test("X4, d12: an own message and its echo under another key are one", arguments: [true, false])
    func echo(comesFirst: Bool) throws {
        let echo = received("m", at: 3, from: "me", in: .group("a"))
        if comesFirst { try store.record(echo) }
        let local = LocalMessageID(try store.record([queued("words", in: .single("a"))]).lastPosition.rawValue)
        try store.record(sent(local, "m", at: 3, in: .single("a")))
        if !comesFirst { try store.record(echo) }
        try restore(store) { restored throws in
            let messages = try restored.page(of: .id("a")).messages
            #expect(messages.map(\.id) == [local] && messages.map(\.status) == [.sent])
        }
    }

    @Test("X4: teams follow their conversations, others stay, and a chat room joins none")
    func others() throws {
        try store.record(
            Event(TeamInfoFetched([TeamInfo(id: .group("a"), name: "群")])), received("m", at: 1, in: .group("x")))
        try restore(store) { restored throws in
            try restored.read { views throws in
                #expect(try views.team(.id("a")).info.name == "群" && views.team(.group("a")).isPlaceholder)
                #expect(try views.unread(of: .group("x")).messages == 1)
            }
        }
        let place = try TemporaryStore()
        try place.withStore { other throws in
            let events = try store.events(limit: .max)
            for keys: [ConversationKey: ConversationKey] in [
                [.chatRoom("a"): .id("a")], [.group("x"): .chatRoom("x")],
            ] {
                let error = #expect(throws: StoreError.self) { try other.restore(events, joining: keys) }
                #expect(error?.code == .invalidArgument)
            }
            #expect(try other.lastPosition() == .origin)
        }
    }
}
