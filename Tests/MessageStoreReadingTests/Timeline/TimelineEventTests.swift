import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite(
    "X3, B51: what happened to a conversation and its members stands in its timeline", .timeLimit(.minutes(30)))
struct TimelineEventTests {
    private func joined(_ user: UserID, at time: Int64?) -> Event {
        Event(MembersAdded([user], kind: .joined), in: group, serverTime: time.map { ms($0) })
    }

    private func words(_ entries: [TimelineEntry]) -> [String] {
        entries.map { entry in
            switch entry {
            case .time(let time): "\(time.milliseconds)"
            case .message(let message): message.text ?? ""
            case .event(let entry): (entry.event.payload as? MembersAdded)?.members.first?.rawValue ?? "?"
            }
        }
    }

    @Test("X3: who joined is shown between the messages, after those of its time, and before what was not sent yet")
    func places() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try store.record([
            joined("early", at: 5), received("a", at: 10), received("b", at: 20), joined("between", at: 15),
            joined("with", at: 20), queued("x"), joined("last", at: 30),
            Event(ConversationRead(), in: group),
        ])
        let (page, events) = try store.read { views in
            let page = try views.timeline(of: group)
            return (page, try views.timelineEvents(on: page, in: group))
        }
        #expect(
            words(page.entries(timeRowsEvery: .seconds(1_000_000_000_000), with: events))
                == ["5", "early", "a", "between", "b", "with", "last", "x"])
        #expect(words(page.entries(timeRowsEvery: .milliseconds(9), with: events)).prefix(3) == ["5", "early", "a"])
        #expect(events.map(\.id.rawValue) == [1, 4, 5, 7])
        #expect(events.allSatisfy { !$0.isTimeProvisional })
        try store.close()
    }

    @Test("X3: each event is in one page, whether pages go back or on; what was cleared is left out")
    func pages() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        for number in 1...20 {
            try store.record([
                received(ServerMessageID("m\(number)"), at: Int64(number * 10)),
                joined(UserID("u\(number)"), at: Int64(number * 10 + 5)),
            ])
        }
        let all = (1...20).map { "u\($0)" }
        try store.read { views in
            var back: [String] = []
            var page = try views.timeline(of: group, limit: 6)
            while let first = page.elements.first {
                back = words(try views.timelineEvents(on: page, in: group).map { .event($0) }) + back
                page = try views.timeline(of: group, .before(.message(.local(first.id))), limit: 6)
            }
            #expect(back == all)
            var on: [String] = []
            page = try views.timeline(of: group, .after(.order(order(0))), limit: 7)
            while let last = page.elements.last {
                on += words(try views.timelineEvents(on: page, in: group).map { .event($0) })
                page = try views.timeline(of: group, .after(.message(.local(last.id))), limit: 7)
            }
            #expect(on == all)
            let newest = try views.timeline(of: group, limit: 1000)
            let few = try views.timelineEvents(on: newest, in: group, limit: 3)
            #expect(words(few.map { .event($0) }) == ["u18", "u19", "u20"])
            #expect(try views.timelineEvents(on: newest, in: group, types: [.membersRemoved]).isEmpty)
        }
        try store.record([cleared(order(150, "m15"))])
        let rest = try store.read { views in
            try views.timelineEvents(on: views.timeline(of: group), in: group).map { TimelineEntry.event($0) }
        }
        #expect(words(rest) == Array(all.suffix(6)))
        #expect(try store.isConsistent())
        try store.close()
    }

    private static let ends = [
        Event(HistoryCleared(), in: group), Event(ConversationDeleted(alsoMessages: true), in: group),
        Event(ChatRoomLeft(at: ms(50)), in: .chatRoom("room")),
    ]

    @Test(
        "X3: what clears a whole history takes along what stands behind its messages, or where there are none",
        arguments: ends, [false, true])
    func whole(_ end: Event, hasMessage: Bool) throws {
        let key = try #require(end.conversation)
        func joined(_ user: UserID, at time: Int64) -> Event {
            Event(MembersAdded([user], kind: .joined), in: key, serverTime: ms(time))
        }
        let place = try TemporaryStore()
        let store = try place.open()
        if hasMessage { try store.record([received("a", at: 10, in: key)]) }
        try store.record([joined("early", at: 30), end, joined("late", at: 40)])
        let last = try store.lastPosition()
        let shown = try store.read { views in
            try views.timelineEvents(on: views.timeline(of: key), in: key).map(\.id)
        }
        #expect(shown == [last])
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("B23: an invitation by the account itself, as services send it to the one who invited, stands in no timeline")
    func ownInvitation() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        func invited(by actor: UserID?, at time: Int64) -> Event {
            Event(SelfInvited(by: actor), in: group, serverTime: ms(time))
        }
        try store.record([
            invited(by: store.account, at: 5), invited(by: "bob", at: 6), invited(by: nil, at: 7),
            .membersAdded(["carla"], to: group, kind: .invited, by: store.account, at: ms(8)),
        ])
        let shown = try store.read { views in
            try views.timelineEvents(on: views.timeline(of: group), in: group).map(\.id.rawValue)
        }
        #expect(shown == [2, 3, 4], "what the account did to others is shown")
        #expect(try store.isConsistent())
        try store.close()
    }

    @Test("X3: a conversation that leaves the list keeps its history, and what stands in it")
    func kept() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try store.record([joined("early", at: 30), Event(ConversationDeleted(), in: group)])
        let shown = try store.read { views in
            try views.timelineEvents(on: views.timeline(of: group), in: group).map(\.id)
        }
        #expect(shown == [Position(1)])
        try store.close()
    }

    @Test("an event without a server's time stands where it was recorded, and an observed timeline shows it")
    func provisional() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let shown = Follower(
            store.observe { views in
                try views.timelineEvents(on: views.timeline(of: group), in: group)
            }.updates(of: { $0 }))
        #expect(try await shown.next()?.rows.isEmpty == true)
        try await store.record([joined("bob", at: nil)])
        let event = try #require(try await shown.next()?.rows.first)
        let recorded = try #require(try await store.events().first)
        #expect(event.isTimeProvisional && event.time == recorded.recordedTime && event.id == recorded.position)
        try await store.close()
    }
}
