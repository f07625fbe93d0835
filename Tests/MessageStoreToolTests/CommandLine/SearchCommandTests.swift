import Foundation
import MessageStore
import Testing

@Suite("messagestore search", .tool, .timeLimit(.minutes(30)))
struct SearchCommandTests {
    private let place: ToolPlace

    init() throws {
        place = try ToolPlace()
        try place.importLines([
            logLine("我知道了", id: "m1", time: "1000"), logLine("see you tomorrow, Ann", id: "m2", time: "2000"),
            logLine("Straße https://example.org", id: "m3", time: "3000"), logLine("你不知道吗", id: "m4", time: "4000"),
        ])
    }

    /// The lines of texts, without those above them.
    private func texts(_ arguments: [String]) throws -> [String] {
        let lines = try place.run(["search"] + arguments).succeeded().lines
        return lines.filter { $0.hasPrefix("    ") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test("messages are found newest first, with an index and without, as JSON with the places that were found")
    func found() throws {
        let searches: [([String], [String])] = [
            (["知道"], ["你不知道吗", "我知道了"]), (["知道", "--before", "4"], ["我知道了"]),
            (["strasse"], ["Straße https://example.org"]),
            // An argument with spaces is a phrase.
            (["you tomorrow"], ["see you tomorrow, Ann"]), (["you ann"], []),
            (["you", "ann"], ["see you tomorrow, Ann"]),
            (["知道", "strasse", "--any", "--has", "link"], ["Straße https://example.org"]),
            (["--", "知道", "-不"], ["我知道了"]),
        ]
        for index in [[], ["--index"]] {
            #expect(try place.run(["search", "知道", "--limit", "1"] + index).succeeded().errors.contains("--before 4"))
            for (arguments, expected) in searches { #expect(try texts(arguments) == expected, "\(arguments)") }
            #expect(try place.run("search", "absent").succeeded().errors.contains("nothing was found"))
        }
        #expect(try place.run("stats").succeeded().output.contains("com.messagestore.search/rows"))
        try place.run("check").succeeded()
        let hit = try place.run("search", "tomorrow", "--json").succeeded().object()
        #expect(hit["text"] as? String == "see you tomorrow, Ann")
        #expect(hit["highlights"] as? [[Int]] == [[8, 8]])
    }

    @Test(
        "what cannot be looked for is wrong usage",
        arguments: [
            ["..."], ["a", "--limit", "0"], ["a", "--has", "wings"],
            ["a", "--since", "2026-02-01", "--until", "2026-01-01"],
        ])
    func refused(arguments: [String]) throws {
        try place.run(["search"] + arguments).ended(2, output: "")
    }
}
