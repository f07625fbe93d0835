import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Conditions on settings, names, words and read markers", .tool, .timeLimit(.minutes(30)))
struct ConditionTermTests {
    private static let team = ConversationKey.group("team")
    init() throws {
        let time = { Timestamp(milliseconds: 1_700_000_000_000 + $0) }
        try place.record(each: [
            .received("m1", from: "bob", in: Self.team, at: time(1), content: .text("a secret")),
            Event(ConversationMuted(true), in: Self.team), Event(ConversationPinned(true), in: Self.team),
            Event(ProfilesFetched([Profile(id: "bob", name: "Bob")])),
            Event(MessageModified(.server("m1"), content: .text("two secrets"), at: time(2)), in: Self.team),
            Event(ConversationRead(upTo: MessageOrder(time: time(439))), in: Self.team, origin: .otherDevice),
            Event(ConversationMuted(false), in: Self.team),
            Event(ProfilesFetched([Profile(id: "bob", name: "Robert, none")])),
        ])
    }

    /// The positions at which a condition becomes true or false, and which values it then has.
    private func flips(_ condition: String, _ options: String...) throws -> [String] {
        let run = try ToolRun(["watch", place.store, condition, "--events", "0"] + options).succeeded()
        return run.lines.filter { !$0.hasPrefix(" ") }.map { line in
            let parts = line.split(separator: "  ")
            return ([parts[0]] + parts.dropFirst(3)).joined(separator: " ")
        }
    }

    @Test("muted, pinned, a name, words, an edit and the read marker; words are shown with --text alone")
    func settings() throws {
        let expected: [(condition: String, flips: [String])] = [
            ("muted(team)", ["2 muted(team)=true", "7 muted(team)=false"]),
            ("not pinned(team)", ["3 pinned(team)=true"]),
            ("name(bob) == 'Bob'", ["4 name(bob)=Bob", "8 name(bob)=Robert, none"]),
            ("name(bob) == none", ["4 name(bob)=Bob"]),
            ("text(m1) != 'a secret'", ["1 text(m1)=(8 bytes)", "5 text(m1)=(11 bytes)"]),
            ("modified(team, m1)", ["5 modified(team, m1)=true"]),
        ]
        for (condition, flips) in expected { #expect(try self.flips(condition) == flips, "\(condition)") }
        #expect(try flips("text(m1) == 'two secrets'", "--text") == ["5 text(m1)=two secrets"])
        let json = try place.run("watch", "text(m1) == 'two secrets'", "--json")
        #expect(!json.output.contains("secret\""))
        #expect(json.output.contains("(11 bytes)"))
        let marker = "6 readUpTo(team)=2023-11-14T22:13:20.439Z"
        for condition in [
            "readUpTo(team) == 2023-11-14T22:13:20.439Z", "readUpTo(team) > '2023-11-14T22:13:20Z'",
            "readUpTo(team) != none", "readUpTo(team) < 2023-11-14T22:13:21+00:00",
        ] { #expect(try flips(condition) == [marker], "\(condition)") }
    }
}
