import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore doctor: what was recorded in the wrong place, order or name", .tool, .timeLimit(.minutes(30)))
struct DoctorSymptomTests {
    private static let team = ConversationKey.group("Team")
    private static let other = ConversationKey.group("other")
    private static let start: Int64 = 1_700_000_000_000
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: start + seconds * 1000) }

    private static func message(
        _ id: ServerMessageID, in key: ConversationKey = team, at seconds: Int64 = 0, counts: Bool = true,
        origin: Origin = .live
    ) -> Event {
        var policy = MessagePolicy.standard
        policy.countsUnread = counts
        return .received(
            id, from: "bob", in: key, at: time(seconds), content: .text("secret \(id)"), policy: policy, origin: origin)
    }

    private func record(_ events: [Event]) throws { try place.record(events, from: Self.time(0), every: 0) }

    private func found(_ symptom: Symptom) throws -> DoctorFinding {
        try place.findings()[symptom] ?? DoctorFinding()
    }

    @Test("a message in two conversations; the same number there for another message is none")
    func twoConversations() throws {
        try record([
            Self.message("1", at: 1), Self.message("a", at: 2), Self.message("1", in: Self.other, at: 7),
            Self.message("a", in: Self.other, at: 2, origin: .history), Self.message("7", at: 3),
            Self.message("7", in: Self.other, at: 3),
        ])
        let found = try found(.twoConversations)
        #expect(found.count == 2 && found.positions == [4, 6])
        #expect(found.conversations.first == "group:other")
        #expect(found.notes == ["a, also at 2 in group:Team", "7, also at 5 in group:Team"])
        #expect(try found.closer().lines.map { $0.prefix(1) } == ["2", "4"])
    }

    @Test("receipts of the account itself")
    func ownReceipts() throws {
        let all = ReceiptScope.messages([.server("x")])
        try record([
            Self.message("1"), Event(MessageReadByPeer(all, by: "bob", at: Self.time(2)), in: Self.team),
            Event(MessageReadByPeer(all, by: "me", at: Self.time(3)), in: Self.team),
            Event(MessageDelivered(all, to: "me", at: Self.time(3)), in: Self.team),
            Event(MessageDelivered(all, at: Self.time(3)), in: Self.team),
        ])
        let found = try found(.ownReceipt)
        #expect(found.count == 2 && found.positions == [3, 4])
        #expect(try found.closer().output.contains("reader=me"))
    }

    @Test("conversations that nothing tells of; one that is known in another case comes first")
    func strays() throws {
        try record([
            Event(ConversationPinned(true), in: .group("new")), Self.message("1"),
            Event(ConversationRead(), in: .group("team"), origin: .otherDevice),
            Event(ConversationMuted(true), in: .group("team")), Event(ConversationMuted(true), in: .group("LATER")),
            Event(ConversationCreated(ConversationFields(name: "secret")), in: .group("LATER")),
        ])
        let found = try found(.stray)
        #expect(found.count == 2 && found.positions == [3, 1])
        #expect(found.notes == ["2 events; there is group:Team", "1 event"])
        #expect(try found.closer().lines.count == 2)
    }

    @Test("an older event that undid a newer one, and neither one that changed nothing nor one of another member")
    func late() throws {
        func event(_ payload: any EventPayload, _ seconds: Int64) -> Event {
            Event(any: payload, in: Self.team, origin: .offline, serverTime: Self.time(seconds))
        }
        try record([
            event(MembersAdded(["ann", "bob"], kind: .joined), 1),
            event(MembersAdded(["carla"], kind: .invited, by: "ben"), 50),
            event(MembersRemoved(["carla"], kind: .kicked), 40),
            event(MembersRemoved(["bob"], kind: .left), 30), event(MembersRemoved(["bob"], kind: .left), 20),
            event(ConversationUpdated(ConversationFields(name: "newer")), 60),
            event(ConversationUpdated(ConversationFields(name: "older")), 55),
            event(ConversationSnapshotReceived(ConversationFields(name: "x"), members: ["ann", "bob"]), 70),
            event(MembersRemoved(["ann"], kind: .left), 65), event(MembersRemoved(["bob"], kind: .left), 75),
            event(MemberInfoChanged("bob", nickname: "B"), 5),
        ])
        let found = try found(.late)
        #expect(found.count == 3 && found.positions == [3, 7, 9])
        #expect(
            found.notes.first
                == "MembersRemoved of 2023-11-14T22:14:00.000Z, recorded after 2 of 2023-11-14T22:14:10.000Z")
        #expect(try found.closer().lines.contains("  members conversation=x (Team) user=carla (gone)"))
        #expect(try place.findings("--quick")[.late] == nil)
    }

    @Test("a policy that turned for one origin, and none that is mixed or turned just now")
    func turns() throws {
        try record(
            (0..<40).map { number in
                switch number % 4 {
                case 0: Self.message("o\(number)", counts: number < 20, origin: .offline)
                case 1: Self.message("l\(number)", counts: number != 21)
                case 2: Self.message("h\(number)", counts: number < 32, origin: .history)
                default: Self.message("d\(number)", counts: true, origin: .otherDevice)
                }
            })
        let found = try found(.turn)
        #expect(found.count == 1 && found.positions == [21])
        #expect(
            found.notes.first == "offline, group, text: countsUnread is false in 5 from there on, true in all 5 before")
        #expect(found.command.hasSuffix("--set origin.offline.counts=yes"))
        #expect(try found.closer().output.contains("badge"))
    }

    @Test("gaps: each with the messages around it, and a command that marks it")
    func gaps() throws {
        try record([
            Self.message("1", at: 1), Self.message("2", at: 2),
            Event(HistoryGapFound(before: MessageOrder(time: Self.time(3), id: "3")), in: Self.team, origin: .live),
            Self.message("3", at: 3), Self.message("4", at: 4),
            Event(HistoryGapFound(), in: Self.team, origin: .live),
        ])
        let found = try found(.gaps)
        #expect(found.count == 2 && found.notes == ["between 2 and 4", "after 5"])
        let lines = try found.closer().lines.dropFirst(2).map { $0.split(separator: " ").first.map(String.init) }
        #expect(lines == ["1", "2", "[gap]", "4", "5", "[gap]"])
        let json = try place.run("messages", "Team", "--json", "--around", "local:4", "--limit", "2")
            .objects()
        #expect(json.map { $0["id"] as? Int } == [2, 4])
        #expect(json.map { $0["hasGapBefore"] as? Bool } == [nil, true])
    }

    @Test("events without effect: the rarest type first, reads last, and the command points at the first")
    func ranks() throws {
        try record([
            Self.message("1"), Event(ConversationRead(), in: Self.team), Event(ConversationRead(), in: Self.team),
            Event(ConversationMuted(false), in: Self.team), Event(ConversationMuted(false), in: Self.team),
            Event(ConversationPinned(false), in: Self.team), Event(ConversationTagged(add: ["a"]), in: Self.team),
        ])
        let found = try found(.noEffect)
        #expect(found.count == 4 && found.positions == [6, 4, 5, 3])
        #expect(found.command.hasSuffix("diff \(place.store) 6"))
        let text = try place.run("doctor", "--without-effect").lines
        #expect(text.first?.hasPrefix(Symptom.noEffect.words) == true)
    }
}
