import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("D19–D23, d12: repeats of messages")
struct RepeatTests {
    private static let room = ConversationKey(.chatRoom, "room")

    private func withSuppression(
        conversations: Bool = true, chatRooms: Bool = true, _ body: (MessageStore) throws -> Void
    ) throws {
        try withTemporaryStore(
            {
                $0.sync.duplicateSuppression.inConversations = conversations
                $0.sync.duplicateSuppression.inChatRooms = chatRooms
            }, body)
    }

    @Test(
        "D21: each of the two switches works alone, and both are off by default", arguments: [false, true],
        [false, true])
    func switches(conversations: Bool, chatRooms: Bool) throws {
        try withSuppression(conversations: conversations, chatRooms: chatRooms) { store throws in
            for key in [group, Self.room] {
                try store.record(received("a", at: 1000, in: key, text: "hi"))
                try store.record(received("b", at: 2000, in: key, text: "hi"))
            }
            #expect(try store.texts().count == (conversations ? 1 : 2))
            #expect(try store.texts(of: Self.room).count == (chatRooms ? 1 : 2))
        }
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1000, text: "hi"), received("b", at: 2000, text: "hi"))
            #expect(try store.texts() == ["hi", "hi"])
        }
    }

    @Test("d12: sender, type, content, time and token decide", arguments: [false, true])
    func rule(isOneBatch: Bool) throws {
        try withSuppression { store throws in
            let events = [
                received("1", at: 100_000, text: "hi"), received("2", at: 160_000, text: "hi"),
                received("3", at: 160_001, text: "hi", type: .notice),
                received("4", at: 160_002, from: "ann", text: "hi"),
                received("5", at: 160_003, text: "ho"), received("6", at: 230_000, text: "hi"),
                received("7", at: 100_000, in: peer, text: "hi"),
                received("8", at: 230_001, from: "cy", text: "hi", token: "t1"),
                received("9", at: 230_002, from: "cy", text: "hi", token: "t2"),
                received("10", at: 40_000, text: "hi"),
            ]
            if isOneBatch { try store.record(events) } else { for event in events { try store.record(event) } }
            #expect(try store.page().elements.map(\.serverID) == ["1", "3", "4", "5", "6", "8", "9"])
            #expect(try store.texts(of: peer) == ["hi"])
            #expect(try store.unread().messages == 7)
            #expect(try store.isConsistent())
        }
    }

    /// How a message is deleted before its repeat comes.
    enum Deletion: CaseIterable { case deleted, deletedBeforeItCame, cleared, recalled }

    @Test("d19, d21: what was deleted stays so when it comes again under another id", arguments: Deletion.allCases)
    func deletedOriginal(_ deletion: Deletion) throws {
        let place = try TemporaryStore()
        func open(_ body: (MessageStore) throws -> Void) throws {
            let store = try place.open { $0.sync.duplicateSuppression.inConversations = true }
            try body(store)
            try store.close()
        }
        try open { store throws in
            try store.record(received("other", at: 500, text: "ho"))
            if deletion == .deletedBeforeItCame { try store.record(deleted("a")) }
            try store.record(received("a", at: 1000, text: "hi"))
            switch deletion {
            case .deleted: try store.record(deleted("a"))
            case .deletedBeforeItCame: break
            case .cleared: try store.record(cleared(order(1000, "a")))
            case .recalled: try store.record(recalled("a"))
            }
        }
        // Once with what was said lately in memory, once without.
        for (id, time) in [("b", Int64(2000)), ("c", 3000)] {
            try open { store throws in
                try store.record(received(ServerMessageID(id), at: time, text: "hi"))
                #expect(try store.message(ServerMessageID(id)) == nil)
                try store.record(received(ServerMessageID(id + "2"), at: time + 1, text: "hi"))
                #expect(try store.message(ServerMessageID(id + "2")) == nil)
                #expect(try store.unread().messages <= 1)
                #expect(try store.events(where: EventFilter(types: [.messageDuplicateSuppressed])).count > 0)
            }
        }
    }

    @Test("d21: a deleted repeat hides nothing that its original does not")
    func deletedRepeat() throws {
        try withSuppression { store throws in
            try store.record(received("a", at: 100_000, text: "hi"))
            try store.record(received("b", at: 150_000, text: "hi"))
            try store.record(deleted("b"))
            try store.record(received("c", at: 200_000, text: "hi"))
            #expect(try store.page().elements.map(\.serverID) == ["c"], "a minute after the first it is no repeat")
        }
    }

    @Test("d21: a message that a filter hid hides no repeat, and its deletion changes nothing of that")
    func hiddenAndDeleted() throws {
        try withSuppression { store throws in
            try store.record(received("a", at: 1_000, text: "hi"))
            try store.record(Event(MessageFiltered(.server("a"), verdict: .hide), in: group), deleted("a"))
            try store.record(received("b", at: 2_000, text: "hi"))
            #expect(try store.page().elements.map(\.serverID) == ["b"])
        }
    }

    @Test("d21: the row of a deleted message is kept without suppression too, and costs its id and some bytes", .store)
    func rowOfDeleted() throws {
        let ids = (0..<TestSize.of(plain: 3_000, full: 20_000)).map { ServerMessageID("message-\(100_000 + $0)") }
        for part in stride(from: 0, to: ids.count, by: 1_000) {
            let some = ids[part..<part + 1_000]
            try store.record(some.map { received($0, at: Int64(part), text: "") })
            try store.record(some.map { deleted($0) })
        }
        try store.flush()
        let table = try #require(try store.statistics().tables.first { $0.name == "deletedMessages" })
        #expect(table.entries == ids.count)
        let perRow = Double(table.bytes) / Double(table.entries)
        // Fourteen bytes of id; pages that are filled in order are nearly full.
        #expect(perRow < 50, "\(perRow) bytes a row")
    }

    @Test("I4: a repeat that comes again in its batch is known, as it is in a later one", arguments: [true, false])
    func comesAgain(isOneBatch: Bool) throws {
        try withSuppression { store throws in
            let first = received("a", at: 1000, text: "hi")
            let again = received("b", at: 2000, text: "hi", eventID: "e")
            let other = received("c", at: 900_000, text: "else", eventID: "e")
            if isOneBatch {
                #expect(try store.record([first, again, again, other]).positions.map(\.?.rawValue) == [1, 2, 2, 2])
            } else {
                #expect(
                    try [first, again, again, other].map { try store.record($0).position?.rawValue } == [1, 2, 2, 2])
            }
            #expect(try store.lastPosition().rawValue == 3, "two messages and a verdict")
            #expect(try store.isConsistent())
        }
    }

    @Test("d12: the repeat is in the log, and can be shown again")
    func takenBack() throws {
        try withSuppression { store throws in
            try store.record(received("a", at: 1000, text: "hi"), received("b", at: 2000, text: "hi"))
            let verdict = MessageDuplicateSuppressed(serverID: "b", duplicateOf: LocalMessageID(1), rule: .content)
            #expect(try store.events(from: Position(3))[0].event.payload as? MessageDuplicateSuppressed == verdict)
            var undone = verdict
            undone.duplicateOf = nil
            try store.record(Event(undone, in: group))
            #expect(try store.texts() == ["hi", "hi"])
            #expect(try store.unread().messages == 2)
        }
    }

    @Test("d12: a fact of a repeat is one of the message that it repeats", arguments: [false, true])
    func facts(byToken: Bool) throws {
        try withSuppression { store throws in
            let token: ClientToken? = byToken ? "t" : nil
            try store.record(received("a", at: 1000, text: "hi", token: token))
            try store.record(received("b", at: 2000, text: "hi", token: token))
            #expect(try store.texts() == ["hi"])
            try store.record(modified("b", "ho", at: 3000))
            #expect(try store.texts() == ["ho"])
            try store.record(recalled("b"))
            #expect(try store.message("a")?.isRecalled == true && store.unread().messages == 0)
            #expect(try store.isConsistent())
        }
    }

    @Test("I11: redacting a message redacts its repeats")
    func redaction() throws {
        try withSuppression { store throws in
            try store.record(received("a", at: 1000, text: "secret"), received("b", at: 2000, text: "secret"))
            try store.redact(Position(1))
            let texts = try store.events(where: EventFilter(types: [.messageReceived])).map { recorded -> String? in
                if let message = recorded.event.payload as? MessageReceived { message.content.text } else { nil }
            }
            #expect(texts == [nil, nil])
        }
    }

    @Test("d11, E15: a registered type's policy outranks the sender's flag and is frozen")
    func policies() throws {
        struct Ping: JSONPayload {
            static let contentType = ContentType("ping")
            static let policy: MessagePolicy? = .uncounted
            var text: String?
        }
        try withTemporaryStore { store throws in
            try store.contentTypes.register(Ping.self)
            try store.record(received("a", at: 1, type: "ping"), received("b", at: 2))
            store.contentTypes.unregister("ping")
            try store.record(received("c", at: 3, type: "ping"))
            #expect(try store.unread().messages == 2)
            #expect(try store.message("a")?.countsUnread == false)
        }
    }
}
