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
        let report = try #require(lines.firstIndex { $0.contains("UnreadCountReported") })
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
