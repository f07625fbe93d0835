import MessageStore
import MessageStoreTestKit
import Testing

/// Written from LeanCloud's realtime document: conversations and members.
@Suite("LeanCloud: conversations and members", .timeLimit(.minutes(30)))
struct LeanCloudConversationTests {
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

    private func added(_ members: [UserID], by actor: UserID?, _ kind: JoinKind = .invited) -> Event {
        Event(MembersAdded(members, kind: kind, by: actor), in: group, origin: .live)
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
}
