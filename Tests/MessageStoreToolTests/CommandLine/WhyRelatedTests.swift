import MessageStore
import Testing

@testable import MessageStoreTool

@Suite(
    "messagestore why: what is related to a value", .enabled(if: ToolRun.executable != nil, "the tool is not built"),
    .timeLimit(.minutes(30)))
struct WhyRelatedTests {
    private static let team = ConversationKey.group("Team")
    private let place: ToolPlace

    init() throws {
        place = try ToolPlace()
        func told(_ payload: any EventPayload) -> Event { Event(payload, in: Self.team, origin: .live) }
        let store = try MessageStore.open(place.store, account: "me")
        try store.record([
            told(MembersAdded(["ann", "bob"], kind: .joined)), told(MembersAdded(["ann"], kind: .invited, by: "bob")),
            told(MembersAdded(["bob"], kind: .joined)),
            told(ConversationSnapshotReceived(ConversationFields(name: "T"), members: ["ann", "bob"])),
            told(ConversationInvalidated()), told(MembersRemoved(["ann"], kind: .left)),
            Event(ConversationRead(), in: .group("team"), origin: .otherDevice),
        ])
        try store.close()
    }

    private func lines(_ arguments: String...) throws -> [String] {
        let run = try ToolRun(["why", place.store] + arguments)
        #expect(run.exitCode == 0, "\(arguments): \(run.errors)")
        return run.lines
    }

    @Test(
        "a conversation that the store does not know, and the known one that is equal without case",
        arguments: [["unread", "team"], ["conversation", "group:team"], ["member", "team", "ann"]])
    func unknownConversation(arguments: [String]) throws {
        let run = try ToolRun(["why", place.store] + arguments)
        #expect(
            run.lines.first
                == "The store has events about group:team and does not know such a conversation; it has T (Team).")
        #expect(try ToolRun(["why", place.store] + arguments + ["--json"]).object()["notes"] as? [String] != [])
    }

    @Test("what only looks like a conversation's id is wrong usage, and the known one is named")
    func misspelt() throws {
        let run = try ToolRun(["why", place.store, "unread", "TEAM"])
        #expect(run.exitCode == 2 && run.errors.contains("the store has no conversation TEAM; it has group:Team"))
        #expect(try !ToolRun(["why", place.store, "unread", "else"]).errors.contains("it has"))
        #expect(try lines("unread", "Team").first == "At 7:")
    }

    @Test("a member: events that named it and changed nothing, of those that are shown")
    func withoutEffect() throws {
        let lines = try lines("member", "Team", "ann")
        let start = try #require(lines.firstIndex(of: "Events that name the member and changed nothing:"))
        #expect(
            lines[(start + 1)...].filter { !$0.hasPrefix("      ") }.map { $0.split(separator: " ").first } == [
                "2", "4",
            ])
        #expect(lines[start + 2].hasPrefix("      ") && lines[start + 4].hasPrefix("      "))
        let last = try self.lines("member", "Team", "ann", "-n", "1")
        #expect(!last.contains("Events that name the member and changed nothing:"))
        let json = try ToolRun(["why", place.store, "member", "Team", "ann", "--json"]).object()
        #expect((json["withoutEffect"] as? [[String: Any]])?.map { $0["position"] as? Int } == [2, 4])
    }

    @Test("a conversation: since when and why it is out of date")
    func outOfDate() throws {
        let start = "  It is out of date since"
        #expect(try lines("conversation", "Team").contains { $0.hasPrefix("\(start) ConversationInvalidated at 5: ") })
        #expect(
            try lines("conversation", "Team", "--at", "3").contains { $0.hasPrefix("\(start) MembersAdded at 1: ") })
        #expect(try !lines("conversation", "Team", "--at", "4").contains { $0.hasPrefix(start) })
    }

    @Test("a message: the status follows from the receipts that the rule names, the account's own excluded")
    func status() throws {
        let store = try MessageStore.open(place.store, account: "me")
        let sent = try store.record([
            Event(MessageSendQueued(content: .text("secret"), clientToken: "t"), in: Self.team)
        ]).lastPosition
        let local = LocalMessageID(sent.rawValue)
        try store.record([
            Event(
                MessageSent(message: local, serverID: "s", sentTime: Timestamp(milliseconds: 9)), in: Self.team,
                origin: .live),
            Event(
                MessageReadByPeer(.messages([.server("s")]), by: "me", at: Timestamp(milliseconds: 9)), in: Self.team,
                origin: .live),
        ])
        #expect(try store.read { try $0.message(.server("s"), in: Self.team)?.status } == .sent)
        try store.record([
            Event(
                MessageReadByPeer(.messages([.server("s")]), by: "bob", at: Timestamp(milliseconds: 9)), in: Self.team,
                origin: .live)
        ])
        try store.close()
        let lines = try lines("message", "s")
        #expect(lines.filter { $0 == "      status: sent -> read" }.count == 1)
    }
}
