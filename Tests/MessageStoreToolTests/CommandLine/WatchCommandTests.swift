import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore watch", .tool, .timeLimit(.minutes(30)))
struct WatchCommandTests {
    private let place: ToolPlace

    init() throws { place = try ComplaintStore().place }

    private func watch(_ arguments: String...) throws -> ToolRun { try watch(arguments) }

    private func watch(_ arguments: [String]) throws -> ToolRun {
        let run = try place.run(["watch"], arguments).succeeded()
        #expect(!run.output.contains("secret"))
        return run
    }

    /// The lines of flips, without those of their events.
    private func flips(_ run: ToolRun) -> [String] { run.lines.filter { !$0.hasPrefix(" ") } }

    private func time(_ commit: Int64) -> String {
        Timestamp(milliseconds: 1_700_000_000_000 + commit * 1_000).description
    }

    @Test(
        "each commit that makes the condition true or false, with its time, the terms and what happened, in words and as JSON"
    )
    func flips() throws {
        let run = try watch("unread(team) > shown(team)")
        // Three messages of which two were recalled: the server's 3 against 1, until all was read.
        #expect(
            flips(run) == [
                "6  \(time(5))  true  unread(team)=3  shown(team)=1",
                "8  \(time(6))  false  unread(team)=1  shown(team)=1",
            ])
        let log = try place.run("log").lines
        #expect(run.lines[1] == "    " + log[5])
        #expect(Array(run.lines[3...]) == ["    " + log[6], "    " + log[7]], "the whole commit")
        #expect(run.errors.contains("2 changes from 1 to 9: false before, false at the end"))
        let rows = try watch("unread(team) > shown(team)", "--json", "--events", "1").objects()
        try #require(rows.count == 2)
        #expect(rows.map { $0["position"] as? Int } == [6, 8] && rows.map { $0["isTrue"] as? Bool } == [true, false])
        #expect(rows.map { $0["eventCount"] as? Int } == [1, 2])
        #expect(rows.map { $0["recordedTime"] as? Int64 } == [1_700_000_005_000, 1_700_000_006_000])
        let values = rows[0].objects("values")
        #expect(values.map { $0["term"] as? String } == ["unread(team)", "shown(team)"])
        #expect(values.map { $0["value"] as? Int } == [3, 1])
        let events = rows[1].objects("events")
        #expect(events.map { $0["type"] as? String } == ["ConversationRead"])
        let text = try place.run("watch", "badge > 0", "--json", "--text")
        #expect(text.output.contains("secret 1"))
    }

    @Test("counters rise and fall: every flip is found; after each event also those that nobody could see")
    func everyFlip() throws {
        let expected: [(arguments: [String], positions: [String])] = [
            (["badge >= 2"], ["2", "5", "6", "8", "9"]), (["badge == 0"], ["2"]),
            (["badge == 0", "--each-event"], ["1", "7", "8"]),
            (["badge >= 2", "--each-event"], ["2", "5", "6", "7", "9"]), (["badge >= 2", "--first"], ["2"]),
            (["badge >= 2", "--last"], ["9"]), (["badge >= 2", "--from", "3", "--to", "6"], ["5", "6"]),
            (["badge >= 2", "--from", "6", "--to", "-1"], ["6", "8", "9"]),
            (["badge >= 2", "--from", time(4), "--to", time(5)], ["5", "6"]), (["badge >= 2", "--to", "0"], []),
            (["exists(single:al)"], ["9"]), (["status(team, t1) == recalled"], ["4"]),
            (["status(t3) == none", "--last"], ["3"]),
        ]
        for (arguments, positions) in expected {
            #expect(try flips(watch(arguments)).map { String($0.prefix(1)) } == positions, "\(arguments)")
        }
    }

    @Test("a commit of many events shows the first, and how many more there are")
    func manyEvents() throws {
        let key = ConversationKey.group("many")
        try place.record(
            (0..<9).map {
                .received("m\($0)", from: "bob", in: key, at: Timestamp(milliseconds: $0), content: .text(""))
            })
        let run = try watch("unread(many) > 0")
        #expect(run.lines.count == 7 && run.lines[6].contains("4 more"), "\(run.output)")
        #expect(try watch("unread(many) > 0", "--events", "9").lines.count == 10)
        #expect(try watch("unread(many) > 0", "--events", "0").lines.count == 2)
    }

    @Test(
        "what is wrong with a condition is told with a mark under the character, and none of it reaches the terminal raw"
    )
    func wrongCondition() throws {
        let run = try place.run("watch", "badge > 1 and unraed(team) > 0").ended(2, output: "")
        #expect(
            run.errors == """
                messagestore: in the condition, character 15: there is no unraed; do you mean unread?
                  badge > 1 and unraed(team) > 0
                                ^

                """)
        try ToolRun(["watch", place.store + "-none", "badge > 0"]).ended(3, output: "")
        for text in ["exists('\u{1B}[2J\u{202E}') and", "\u{1B}[2J > 1", "\u{9B}\nfake > 1", "unread('\u{202E}') > 0"] {
            let refused = try place.run("watch", text).ended(2)
            let told = (refused.output + refused.errors).unicodeScalars
            for scalar in ["\u{1B}", "\u{9B}", "\u{202E}"] as [Unicode.Scalar] { #expect(!told.contains(scalar)) }
            #expect(!refused.errors.contains("\nfake"))
        }
    }
}
