import Foundation
import MessageStore
import Testing

@Suite("messagestore's lists, to their end", .tool, .timeLimit(.minutes(30)))
struct PagingCommandTests {
    init() throws {
        // More than one page of both; the first messages have no time, and others share one.
        let messages = (0..<2_305).map { number in
            Event.received(
                ServerMessageID("m\(number)"), from: "bob", in: .group("long"),
                at: Timestamp(milliseconds: Int64(number / 3)), content: .text("\(number)"))
        }
        let others = (0..<1_203).map { number in
            Event.received(
                "x", from: "bob", in: .group("g\(number)"), at: Timestamp(milliseconds: Int64(10_000 + number % 7)),
                content: .text("x"))
        }
        try place.record(messages + others)
        try place.record([.queued(.text("unsent"), in: .group("long"))])
    }

    @Test("messages --all: every message once, oldest first, unsent ones last; --after begins behind one")
    func messages() throws {
        let all = try place.run("messages", "long", "--all", "--json").objects()
        let times = all.dropLast().compactMap { $0["time"] as? Int }
        #expect(all.count == 2_306 && times == times.sorted())
        #expect(Set(all.compactMap { $0["serverID"] as? String }).count == 2_305)
        #expect(all.first?["time"] as? Int == 0 && all.last?["text"] as? String == "unsent")
        #expect(try place.run("messages", "long", "--all").lines.count == 2_306 + 2)
        let ids = all.compactMap { $0["id"] as? Int }
        for index in [0, 1_000, 2_304] {
            let rest = try place.run("messages", "long", "--all", "--json", "--after", "\(ids[index])").objects()
            #expect(rest.compactMap { $0["id"] as? Int } == Array(ids[(index + 1)...]))
        }
    }

    @Test("conversations --all and --after: every conversation once, in the order of the list")
    func conversations() throws {
        func names(_ options: [String]) throws -> [String] {
            try ToolRun(["conversations", place.store, "--json"] + options).values("conversation", as: String.self)
        }
        let all = try names(["--all"])
        #expect(all.count == 1_204 && Set(all).count == 1_204)
        #expect(try place.run("conversations", "--all").lines.count == 1_204 + 2)
        #expect(try names(["--limit", "1000"]) == Array(all[..<1_000]))
        #expect(try names([]) == Array(all[..<50]))
        for index in TestSize.of(plain: [0, 1_000, 1_203], full: [0, 49, 998, 1_000, 1_202, 1_203]) {
            #expect(try names(["--after", all[index]]) == Array(all[(index + 1)...].prefix(50)), "\(index)")
            #expect(try names(["--all", "--after", "group:\(all[index])"]) == Array(all[(index + 1)...]), "\(index)")
        }
        // Page after page to the end.
        var paged: [String] = []
        while true {
            let page = try names(["--limit", "400"] + (paged.last.map { ["--after", $0] } ?? []))
            paged += page
            if page.count < 400 { break }
        }
        #expect(paged == all)
    }
}

@Suite("messagestore: conversations that are not there", .tool, .timeLimit(.minutes(30)))
struct SpelledAlikeTests {
    @Test(
        "a conversation that is not there is told apart from one that is spelled alike",
        arguments: [
            ["messages", "LONG"], ["conversations", "--after", "LONG"], ["log", "--conversation", "Long"],
            ["watch", "unread(single:long) > 0"], ["why", "unread", "LONG"],
        ])
    func spelledAlike(command: [String]) throws {
        try place.record([.queued(.text("x"), in: .group("long"))])
        try place.run(command).ended(2, output: "", saying: "no conversation ", "; it has group:long")
        let other = try ToolRun(
            [command[0], place.store] + command.dropFirst().map { $0.replacing(/(?i)long/, with: "x") })
        #expect(other.exitCode == 2 && !other.errors.contains("it has"), "\(other.errors)")
    }
}
