import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore why: what is related to a value", .tool, .timeLimit(.minutes(30)))
struct WhyRelatedTests {
    private static let team = ConversationKey.group("Team")
    init() throws {
        func told(_ payload: any EventPayload) -> Event { Event(any: payload, in: Self.team, origin: .live) }
        try place.record([
            told(MembersAdded(["ann", "bob"], kind: .joined)), told(MembersAdded(["ann"], kind: .invited, by: "bob")),
            told(MembersAdded(["bob"], kind: .joined)),
            told(ConversationSnapshotReceived(ConversationFields(name: "T"), members: ["ann", "bob"])),
            told(ConversationInvalidated()), told(MembersRemoved(["ann"], kind: .left)),
            Event(ConversationRead(), in: .group("team"), origin: .otherDevice),
        ])
    }

    private func lines(_ arguments: String...) throws -> [String] {
        let run = try place.run(["why"], arguments).succeeded()
        return run.lines
    }

    @Test(
        "a conversation that the store does not know, and the known one that is equal without case",
        arguments: [["unread", "team"], ["conversation", "group:team"], ["member", "team", "ann"]])
    func unknownConversation(arguments: [String]) throws {
        let run = try place.run(["why"], arguments)
        #expect(
            run.lines.first
                == "The store has events about group:team and does not know such a conversation; it has T (Team).")
        #expect(try place.run(["why"], arguments + ["--json"]).object()["notes"] as? [String] != [])
    }

    @Test(
        "a member: events that changed nothing; a conversation: since when it is out of date; a misspelt one is wrong usage"
    )
    func withoutEffect() throws {
        let (member, heading) = (
            try lines("member", "Team", "ann"), "Events that name the member and changed nothing:"
        )
        let rest = member.drop { $0 != heading }.dropFirst()
        // Each has a line of its own and one with what it says.
        #expect(rest.map { $0.hasPrefix("      ") } == [false, true, false, true], "\(member)")
        #expect(rest.filter { !$0.hasPrefix("      ") }.map { $0.split(separator: " ").first } == ["2", "4"])
        #expect(try !lines("member", "Team", "ann", "-n", "1").contains(heading))
        let json = try place.run("why", "member", "Team", "ann", "--json").object()
        #expect(json.objects("withoutEffect").map { $0["position"] as? Int } == [2, 4])
        let start = "  It is out of date since"
        #expect(try lines("conversation", "Team").contains { $0.hasPrefix("\(start) ConversationInvalidated at 5: ") })
        #expect(
            try lines("conversation", "Team", "--at", "3").contains { $0.hasPrefix("\(start) MembersAdded at 1: ") })
        #expect(try !lines("conversation", "Team", "--at", "4").contains { $0.hasPrefix(start) })
        try place.run("why", "unread", "TEAM").ended(
            2, saying: "the store has no conversation TEAM; it has group:Team")
        #expect(try !place.run("why", "unread", "else").errors.contains("it has"))
        #expect(try lines("unread", "Team").first == "At 7:")
    }

    @Test("a message: the status follows from the receipts that the rule names, the account's own excluded")
    func status() throws {
        let time = Timestamp(milliseconds: 9)
        func receipt(_ reader: UserID) -> Event {
            Event(MessageReadByPeer(.messages([.server("s")]), by: reader, at: time), in: Self.team, origin: .live)
        }
        try place.write { store in
            try store.record(.queued(.text("secret"), in: Self.team, clientToken: "t"))
            let local = LocalMessageID(try store.lastPosition().rawValue)
            try store.record([.sent(local, as: "s", in: Self.team, at: time), receipt("me")])
            #expect(try store.read { try $0.message(.server("s"), in: Self.team)?.status } == .sent)
            try store.record(receipt("bob"))
        }
        let lines = try lines("message", "s")
        #expect(lines.filter { $0 == "      status: sent -> read" }.count == 1)
    }
}
