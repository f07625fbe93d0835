import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

/// Written from LeanCloud's realtime document: clients, conversations, members, queries.
@Suite("LeanCloud: conversations and members", .timeLimit(.minutes(30)))
struct LeanCloudConversationTests {
    @Test("B1, B2, B17: one store a client, several in one process; closing ends one of them only")
    func clients() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/leancloud-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let stores = AccountStores(at: directory)
        let (tom, jerry) = (try stores.open("Tom"), try stores.open("Jerry"))
        try tom.record(received("m1", at: 1, from: "Jerry", in: .single("c1")))
        #expect(try jerry.list() == [] && tom.list() == [.single("c1")])
        try tom.close()
        expectError(.closed) { _ = try tom.list() }
        #expect(try jerry.list() == [] && stores.accounts().sorted() == ["Jerry", "Tom"])
        try jerry.close()
    }

    @Test(
        "B3, B4, B5: a conversation has id, creator, name, attributes and kind from its creation; first members are invited"
    )
    func creation() throws {
        try withTemporaryStore { store throws in
            let fields = ConversationFields(
                name: "Tom & Jerry", creator: "Tom", attributes: Array(#"{"type":0}"#.utf8), indexed: ["type": "0"])
            try store.record(
                Event(ConversationCreated(fields, members: ["Tom", "Jerry"]), in: .group("c1")))
            let conversation = try #require(try store.conversation(.group("c1")))
            #expect(conversation.name == "Tom & Jerry" && conversation.creator == "Tom")
            #expect(conversation.attributes == Array(#"{"type":0}"#.utf8) && conversation.key.kind == .group)
            let members = try store.members(of: .group("c1"))
            #expect(members.map(\.id) == ["Tom", "Jerry"])
            #expect(members.allSatisfy { $0.joinKind == .invited && $0.invitedBy == "Tom" })
        }
    }

    @Test("X5: a conversation that is fetched by query on a new device stands where the server says")
    func fetchedByQuery() throws {
        try withTemporaryStore { store throws in
            try store.record(received("live", at: 3_000, in: .group("c3")))
            // Of each: last activity, unread, the text of the last message where the answer has it.
            let answer: [(id: String, activity: Int64, unread: UInt32, text: String?)] = [
                ("c1", 1_000, 0, "old"), ("c2", 4_000, 7, "new"), ("c4", 2_000, 3, nil),
            ]
            for item in answer {
                let key = ConversationKey.group(item.id)
                let last = order(item.activity, ServerMessageID("last-\(item.id)"))
                let summary = ConversationSummaryReceived(
                    activity: last.time, unread: .init(item.unread, upTo: last), isPinned: item.id == "c4")
                var events = [
                    Event.conversationSnapshot(ConversationFields(name: item.id), members: ["Tom", "me"], in: key),
                    Event(summary, in: key, origin: .live, serverTime: ms(5_000)),
                ]
                if let text = item.text {
                    events.append(
                        .received(
                            last.id ?? "", from: "Tom", in: key, at: last.time, content: .text(text), origin: .history))
                }
                try store.record(events)
            }
            #expect(try store.list() == [.group("c4"), .group("c2"), .group("c3"), .group("c1")])
            let counts = try store.list().map { try store.unread($0).messages }
            #expect(counts == [3, 7, 1, 0])
            #expect(try store.totals().badge == 11)
            #expect(try store.conversation(.group("c2"))?.lastMessage?.text == "new")
            #expect(try store.conversation(.group("c4"))?.lastMessage == nil)
            #expect(try store.isConsistent())
        }
    }

    @Test("X2, X5: a fresh store with summaries alone lists the conversations in their order, with their counts")
    func summariesAlone() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            // The device's clock is years behind the server's.
            place.time.set(ms(1))
            for number in [3, 1, 4, 2] as [Int64] {
                let summary = ConversationSummaryReceived(
                    activity: ms(number * 1_000), unread: .init(UInt32(number)), isMuted: number == 2)
                let time = number == 4 ? nil : ms(9_000)
                try store.record(Event(summary, in: .group("c\(number)"), origin: .live, serverTime: time))
            }
            #expect(try store.list().map(\.id) == ["c4", "c3", "c2", "c1"])
            for number in 1...4 { #expect(try store.unread(.group("c\(number)")).messages == number) }
            #expect(try store.totals().badge == 8, "one is muted")
        }
    }

    private func conversations(in store: MessageStore) throws {
        let members: [[UserID]] = [["Tom", "Jerry"], ["Tom", "Jerry", "Bob"], ["Tom", "Bob"], ["Jerry", "Harry"]]
        for (index, members) in members.enumerated() {
            let fields = ConversationFields(
                name: "room \(index)", creator: members[0], indexed: ["type": "\(index % 2)", "topic": "cats"])
            try store.record(
                Event(
                    ConversationCreated(fields, members: members), in: .group("c\(index)"),
                    serverTime: ms(Int64(index + 1))))
        }
    }

    private func find(_ query: ConversationQuery, in store: MessageStore) throws -> [String] {
        try store.read { try $0.conversations(matching: query).conversations.map(\.key.id) }
    }

    @Test("B6, B7, B49: exact members, some, all, attributes, name, creator and id, each and together; newest first")
    func queries() throws {
        try withTemporaryStore { store throws in
            try conversations(in: store)
            #expect(try find(ConversationQuery(.exactMembers(["Jerry", "Tom"])), in: store) == ["c0"])
            #expect(try find(ConversationQuery(.containsAll(["Tom", "Jerry"])), in: store) == ["c1", "c0"])
            #expect(try find(ConversationQuery(.containsAny(["Harry", "Bob"])), in: store) == ["c3", "c2", "c1"])
            #expect(try find(ConversationQuery(.attribute("type", .equal("1"))), in: store) == ["c3", "c1"])
            #expect(try find(ConversationQuery(.name(.equal("room 2"))), in: store) == ["c2"])
            #expect(try find(ConversationQuery(.creator(.equal("Tom"))), in: store) == ["c2", "c1", "c0"])
            #expect(try find(ConversationQuery(.id(.equal("c3"))), in: store) == ["c3"])
            let both = ConversationQuery(
                .all([
                    .containsAll(["Tom"]), .creator(.equal("Tom")), .attribute("topic", .equal("cats")),
                    .attribute("type", .equal("0")),
                ]))
            #expect(try find(both, in: store) == ["c2", "c0"])
            #expect(
                try find(ConversationQuery(.all([.name(.equal("room 2")), .creator(.equal("Jerry"))])), in: store) == []
            )
        }
    }

    @Test("B49: ten conversations where no limit is given")
    func limit() throws {
        try withTemporaryStore { store throws in
            for index in 0..<12 { try store.record(created("same", in: .group("c\(index)"))) }
            #expect(try find(ConversationQuery(.name(.equal("same"))), in: store).count == 10)
            expectError(.invalidArgument) {
                _ = try store.read {
                    try $0.conversations(matching: ConversationQuery(.name(.equal("same"))), limit: 0)
                }
            }
        }
    }

    private func added(_ members: [UserID], by actor: UserID?, _ kind: JoinKind = .invited) -> Event {
        Event(MembersAdded(members, kind: kind, by: actor), in: group, origin: .live)
    }

    @Test("B20, B22, B24, B25: the invited hears invitedBy and then membersAdded; the kicked hears only kickedBy")
    func notices() throws {
        try withTemporaryStore { store throws in
            try store.record(Event(SelfInvited(by: "Tom"), in: group), added(["me", "Mary"], by: "Tom"))
            #expect(try Set(store.members().map(\.id)) == ["me", "Mary"], "said twice, it is one membership")
            try store.record(Event(SelfKicked(by: "Tom"), in: group))
            #expect(try store.members().map(\.id) == ["Mary"])
            #expect(try store.read { try $0.canSend(in: group) } == false)
        }
    }

    @Test("B21, B23: who remains hears who left; the inviter's own copy of a notice changes nothing")
    func others() throws {
        try withTemporaryStore { store throws in
            try store.record(created(members: ["me", "Tom"]), added(["Mary"], by: "me"), added(["Mary"], by: "me"))
            #expect(try store.members().count == 3)
            let mine = try store.events(where: EventFilter(types: [.membersAdded])).filter { recorded in
                if let body = recorded.event.payload as? MembersAdded { body.actor == store.account } else { false }
            }
            #expect(mine.count == 2, "logged, and recognised by its actor")
            try store.record(
                Event(MembersRemoved(["Tom"], kind: .kicked, by: "Mary"), in: group, origin: .live))
            #expect(try Set(store.members().map(\.id)) == ["me", "Mary"])
        }
    }

    @Test("B23: a notice of what the account did itself lists the conversation, and nobody is told of a message")
    func ownInvitation() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let heard = store.deliveries()
        try await store.record(
            Event(SelfInvited(by: store.account), in: group, origin: .live, serverTime: ms(5)))
        let notices = try await store.events(where: EventFilter(types: [.selfInvited])).compactMap {
            $0.event.payload as? SelfInvited
        }
        #expect(notices.map(\.actor) == [store.account], "kept, and recognised by its actor")
        #expect(try store.conversation()?.activity == ms(5))
        #expect(try store.unread().messages == 0 && store.members().map(\.id) == ["me"])
        try await store.close()
        var count = 0
        for await _ in heard { count += 1 }
        #expect(count == 0)
    }

    @Test("B23: it moves no conversation that is there, by this device's clock or the server's")
    func ownInvitationMovesNothing() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), received("b", at: 2, in: peer))
            try store.record(
                Event(SelfInvited(by: store.account), in: group),
                Event(SelfInvited(by: store.account), in: group, serverTime: ms(9)))
            #expect(try store.list() == [peer, group])
            #expect(try store.conversation()?.activity == ms(1))
            try store.record(Event(SelfInvited(by: "Tom"), in: group, serverTime: ms(9)))
            #expect(try store.list() == [group, peer])
            #expect(try store.isConsistent())
        }
    }

    @Test("B26: notices missed while offline are made good by a snapshot")
    func snapshotWins() throws {
        try withTemporaryStore { store throws in
            try store.record(created(members: ["me", "Tom"]), added(["Mary"], by: "Tom"))
            #expect(try store.conversation()?.isOutdated == true)
            try store.record(snapshot("now", members: ["me", "Jerry"]))
            #expect(try Set(store.members().map(\.id)) == ["me", "Jerry"])
            #expect(try store.conversation()?.isOutdated == false)
        }
    }

    @Test("B35, B36, B37: joining and quitting; who is no member does not send, and the server's refusal is kept")
    func joining() throws {
        try withTemporaryStore { store throws in
            try store.record(added(["me"], by: nil, .joined))
            #expect(try store.read { try $0.isMember("me", of: group) && $0.canSend(in: group) })
            try store.record(Event(MembersRemoved(["me"], kind: .left), in: group))
            #expect(try store.read { try $0.isMember("me", of: group) || $0.canSend(in: group) } == false)
            let local = try store.enqueue(MessageSendQueued(content: .text("hi")), to: group)
            try store.record(failed(local, code: 4401))
            #expect(try store.message(local)?.failureCode == 4401)
        }
    }

    @Test("B38: a new member sees what was said before; the kicked keeps what it has")
    func history() throws {
        try withTemporaryStore { store throws in
            try store.record(Event(SelfInvited(by: "Tom"), in: group, serverTime: ms(100)))
            try store.record(received("old", at: 1, origin: .history), received("new", at: 200))
            try store.record(Event(SelfKicked(by: "Tom"), in: group))
            #expect(try store.texts() == ["old", "new"])
        }
    }

    @Test("B47: muting keeps the count and leaves it out of the badge")
    func mute() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), muted())
            #expect(try store.conversation()?.isMuted == true && store.unread().messages == 1)
            #expect(try store.totals().badge == 0 && store.totals(includesMuted: true).badge == 1)
        }
    }

    @Test("B51: messages and membership stand in one order, told later with from and to")
    func oneLog() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), added(["Mary"], by: "Tom"), received("b", at: 2))
            let filter = EventFilter(types: [.messageReceived, .membersAdded], conversation: group)
            let types = try store.events(from: Position(2), to: Position(3), where: filter).map(\.event.type)
            #expect(types == [.membersAdded, .messageReceived])
        }
    }
}
