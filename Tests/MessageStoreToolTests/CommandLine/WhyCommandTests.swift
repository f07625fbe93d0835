import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore why", .tool, .timeLimit(.minutes(30)))
struct WhyCommandTests {
    private static let team = ConversationKey.group("团队")
    private static let bob = ConversationKey.single("bob")

    private static func message(_ id: ServerMessageID, _ time: Int64, _ text: String = "secret") -> Event {
        .received(
            id, from: "bob", in: id.rawValue.hasPrefix("b") ? bob : team, at: Timestamp(milliseconds: time),
            content: .text(text))
    }

    /// "My badge says 7, I see 5 unread, and the message that I deleted came back."
    init() throws {
        let upTo = MessageOrder(time: Timestamp(milliseconds: 30), id: "t3")
        try place.record([
            Self.message("t0", 5), Self.message("t1", 10), Self.message("t2", 20), Self.message("t3", 30),
            Event(MessageRecalled(.server("t1")), in: Self.team, origin: .live),
            Event(MessageRecalled(.server("t2")), in: Self.team, origin: .live),
            .unreadCountReported(4, upTo: upTo, in: Self.team, at: Timestamp(milliseconds: 31)),
            Self.message("t4", 40), Self.message("b1", 50), Event(ConversationRead(), in: Self.bob),
            Event(MessagesDeleted([.server("b1")]), in: Self.bob), Self.message("b1-resent", 50),
            Self.message("b2", 60),
        ])
    }

    private func lines(_ arguments: [String]) throws -> [String] {
        let run = try place.run(["why"], arguments).succeeded()
        #expect(!run.output.contains("secret") || arguments.contains("--text"))
        return run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("unread: the server's count, what it stands for, what does not count, and each event with its change")
    func unread() throws {
        let lines = try lines(["unread", "团队"])
        #expect(lines.contains { $0.hasSuffix("above its position that count: 4 + 1 = 5") })
        #expect(lines.contains { $0.hasSuffix("the store has 2 messages up to there that count") })
        #expect(lines.contains("not counted, recalled: 2 (2, 3)"))
        #expect(lines.contains("counted: 1 (8)"))
        let changes = lines.filter { $0.hasPrefix("unread: ") }
        #expect(
            changes
                == ["0 -> 1", "1 -> 2", "2 -> 3", "3 -> 4", "4 -> 3", "3 -> 2", "2 -> 4", "4 -> 5"].map {
                    "unread: \($0)"
                })
        #expect(lines.contains("All events that changed it:"))
        let report = try #require(lines.lastIndex { $0.contains("UnreadCountReported") })
        #expect(lines[report].hasPrefix("7 ") && lines[report + 1] == "unread: 2 -> 4")
        #expect(lines[report].contains("  upTo=1970-01-01T00:00:00.030Z t3 ("))
        let last = try self.lines(["unread", "团队", "-n", "2", "--at", "6"])
        #expect(last.filter { $0.hasPrefix("unread: ") } == ["unread: 4 -> 3", "unread: 3 -> 2"])
        #expect(last.contains("The last 2 events that changed it:"))
    }

    @Test(
        "the badge, conversations, members and profiles, in words and as JSON; a conversation of which only a mark is known"
    )
    func badge() throws {
        let badge = try lines(["badge"])
        let parts = ["unread: 7 in 2 conversations", "group:团队: 5", "single:bob: 2"]
        #expect(parts.filter { !badge.contains($0) } == [], "\(badge)")
        #expect(badge.filter { $0.hasPrefix("badge: ") }.last == "badge: 6 -> 7")
        #expect(try lines(["conversation", "bob"]).contains("unread: 1 -> 2"))
        #expect(try lines(["member", "团队", "bob"]).contains("No event changed it."))
        #expect(try lines(["profile", "bob"]).contains("No event changed it."))
        let run = try place.run("why", "unread", "团队", "--json")
        let document = try run.object()
        #expect(!run.output.contains("secret"))
        let steps = document.objects("steps")
        try #require(steps.count == 8)
        let change = try #require(steps[6].objects("changes").first)
        #expect(change["name"] as? String == "unread" && change["before"] as? Int == 2 && change["after"] as? Int == 4)
        #expect(document["isComplete"] as? Bool == true && document["position"] as? Int == 13)
        try place.record([true, false].map { Event(ConversationMarkedUnread($0), in: .group("new")) })
        #expect(try lines(["unread", "new", "--at", "14"]).contains("marked unread: no -> yes"))
    }

    @Test(
        "each value has the event that set it, however far back: the last position at which it became what it is",
        arguments: [
            ["unread", "团队"], ["conversation", "团队"], ["message", "t1"], ["badge"], ["conversation", "bob"],
        ])
    func causes(arguments: [String]) throws {
        try place.record([
            Event(ConversationDraftChanged("secret one"), in: Self.team),
            Event(ConversationDraftChanged("secret"), in: Self.team), Event(ConversationMuted(true), in: Self.team),
            Self.message("t5", 70), Event(ConversationMuted(false), in: Self.team),
        ])
        func facts(_ position: Int) throws -> [String: (value: String, event: Int?)] {
            let run = try place.run(["why"], arguments + ["-n", "1", "--at", "\(position)", "--json"])
            // Before its arrival there is no such message.
            guard run.exitCode == 0 else { return [:] }
            return try Dictionary(
                uniqueKeysWithValues: run.object().objects("facts").map { fact in
                    (try #require(fact["name"] as? String), ("\(fact["value"] ?? "none")", fact["event"] as? Int))
                })
        }
        let history = try (0...18).map(facts)
        var shown = 0
        for (name, fact) in history[18] {
            // A value that is absent, no or 0 is as it was before the first event.
            func value(_ position: Int) -> String {
                history[position][name].map { $0.value == "<null>" ? "0" : $0.value } ?? "0"
            }
            let last = (1...18).last { value($0) != value($0 - 1) }
            let isUnset = value(18) == "0"
            #expect(fact.event == last || isUnset && fact.event == nil, "\(name): \(fact)")
            if !isUnset, let event = fact.event {
                shown += 1
                let lines = try self.lines(arguments + ["-n", "1"])
                #expect(lines.contains { $0.hasPrefix("\(name) ") && $0.contains("  by \(event) ") }, "\(name)")
            }
        }
        #expect(shown >= (arguments == ["badge"] ? 1 : 2), "\(history[18])")
    }

    @Test("a draft that another one replaced is a change of its own")
    func drafts() throws {
        try place.record([
            Event(ConversationDraftChanged("secret one"), in: Self.team),
            Event(ConversationDraftChanged("secret"), in: Self.team, device: "tablet"),
        ])
        let lines = try lines(["conversation", "团队", "-n", "2"])
        #expect(lines.contains { $0.hasPrefix("draft: none -> 10 bytes of ") })
        #expect(lines.contains { $0.hasPrefix("draft: 10 bytes of ") && $0.contains(" -> 6 bytes of ") })
        #expect(lines.contains { $0.hasPrefix("draft ") && $0.hasSuffix("by 15 ConversationDraftChanged") })
    }

    @Test(
        "a former name finds its conversation or user, and why says so; one that two had is refused, as it is by erase")
    func formerNames() throws {
        try place.record([
            .profilesFetched([Profile(id: "bob", name: "Old Bob"), Profile(id: "eve", name: "Twice")]),
            .profilesFetched([Profile(id: "bob", name: "Twice"), Profile(id: "eve", name: "Eve")]),
            .profilesFetched([Profile(id: "bob", name: "Bob")]),
            Event(ConversationUpdated(ConversationFields(name: "Old team")), in: Self.team),
            Event(ConversationUpdated(ConversationFields(name: "Team")), in: Self.team),
        ])
        let person = try lines(["profile", "Old Bob"]).first
        #expect(person == "Old Bob is a former name of Bob (bob), of event 14.")
        let conversation = try lines(["unread", "Old team"]).first
        #expect(conversation == "Old team is a former name of Team (团队), of event 17.")
        #expect(try lines(["member", "Old team", "Old Bob"]).contains("No event changed it."))
        let document = try place.run("why", "profile", "Old Bob", "--json").object()
        #expect((document["notes"] as? [String])?.count == 1)
        // A nickname and a name that two have now are no former names.
        try place.record([
            Event(MemberInfoChanged("bob", nickname: "Bobby"), in: Self.team),
            Event(ConversationUpdated(ConversationFields(name: "Bob")), in: Self.team),
        ])
        try place.run("why", "profile", "Bobby").ended(2, saying: "the store has no user Bobby")
        try place.run("why", "unread", "Bob").ended(2, saying: "2 conversations are shown as Bob")
        try place.run("why", "profile", "Twice").ended(2, saying: "the store has no user Twice")
        try place.run("why", "profile", "Nobody").ended(2, saying: "the store has no user Nobody")
        try place.run("erase", "--user", "Old Bob").ended(2, saying: "the store has no user Old Bob")
    }

    @Test("a message: why it is not shown, and the one with the same words under another id")
    func message() throws {
        let lines = try lines(["message", "b1"])
        #expect(lines.contains { $0.hasPrefix("not shown because") && $0.hasSuffix("deleted") })
        let same = try #require(lines.firstIndex { $0.hasPrefix("The same sender, time and content") })
        #expect(lines[same + 1].hasPrefix("12 ") && lines[same + 1].contains("b1-resent"))
        #expect(lines.count == same + 2)
        #expect(lines.contains { $0.hasPrefix("11 ") && $0.contains("MessagesDeleted") })
        #expect(try self.lines(["message", "b1", "--text"]).contains { $0.contains("secret") })
        let resent = try self.lines(["message", "b1-resent", "--conversation", "bob"])
        #expect(resent.contains { $0.hasPrefix("shown") && $0.hasSuffix("yes") })
        #expect(resent.contains { $0.hasPrefix("9 ") })
    }
}
