import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("tables", .tool, .timeLimit(.minutes(30)))
struct TableWidthTests {
    init() throws {
        for number in 1...3 {
            let name = String(repeating: "很长的名字 ", count: number * 4)
            let key = ConversationKey.id("56d636d4e610378809c488b\(number)")
            let time = Timestamp(milliseconds: 1_794_800_000_439)
            try place.record([
                Event(ConversationCreated(ConversationFields(name: name)), in: .chatRoom(name)),
                Event(ConversationCreated(ConversationFields(name: name, kind: .system)), in: key),
                Event(ConversationPinned(true), in: key), Event(ConversationMuted(true), in: key),
                .profilesFetched([Profile(id: "bob", name: name)]),
                .received(
                    "a", from: "bob", in: key, at: time, content: .text(String(repeating: "words ", count: 50))),
                Event(MessageModified(.server("a"), content: .text("other words"), at: time), in: key),
            ])
        }
    }

    @Test("no line is wider than the terminal")
    func widths() throws {
        for arguments in [
            ["conversations"], ["messages", "56d636d4e610378809c488b2"], ["unread"],
            ["projections"], ["stats"], ["verify"], ["profile", "bob"],
        ] {
            for width in [80, 100, 60] {
                let run = try ToolRun(
                    [arguments[0], place.store] + arguments.dropFirst(), environment: ["COLUMNS": String(width)]
                ).succeeded()
                let wide = run.lines.filter { !$0.hasPrefix("OK") && $0.displayWidth > width }
                #expect(wide == [], "\(arguments), \(width)")
            }
        }
    }

    @Test("times have milliseconds and the zone, an edited message a mark, and --ids what other commands take")
    func contents() throws {
        let messages = try place.run("messages", "56d636d4e610378809c488b2").output
        #expect(messages.contains("  2026-11-16T03:33:20.439Z  "), "\(messages)")
        #expect(messages.contains("[edited] other"))
        #expect(try place.run("conversations").output.contains("2026-11-16T03:33:20.439Z"))
        let ids = try place.run("conversations", "--ids").lines.compactMap { $0.split(separator: " ").last }
        for id in ids where id.hasPrefix("unspecified:") {
            try place.run("messages", String(id)).succeeded()
        }
        #expect(ids.contains("unspecified:56d636d4e610378809c488b3"))
    }
}
