import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("What would be: --without and --edit of every command", .tool, .timeLimit(.minutes(30)))
struct EditedEventTests {
    private static let team = ConversationKey.group("team")

    private static func message(_ id: ServerMessageID, _ time: Int64) -> Event {
        .received(
            id, from: "bob", in: team, at: Timestamp(milliseconds: 1_700_000_000_000 + time),
            content: .text("secret \(id.rawValue)"), origin: time < 20 ? .history : .live)
    }

    /// One commit: three messages, the server's report of 9 up to the last of them, one more message, an acknowledgement.
    private static let events = [
        message("m1", 10), message("m2", 20), message("m3", 30),
        .unreadCountReported(
            9, upTo: MessageOrder(time: Timestamp(milliseconds: 1_700_000_000_030), id: "m3"), in: team,
            at: Timestamp(milliseconds: 1_700_000_000_031)),
        message("m4", 40), .queued(.text("secret mine"), in: team, clientToken: "t"),
        .sent(LocalMessageID(6), as: "m5", in: team, at: Timestamp(milliseconds: 1_700_000_000_050)),
    ]

    init() throws {
        try place.record(Self.events) { $0.sync.countsHistoryAsUnread = true }
    }

    private func run(_ command: String, _ options: String...) throws -> ToolRun {
        try ToolRun([command, place.store] + options).succeeded()
    }

    private func unread(_ options: String...) throws -> Int? {
        let run = try ToolRun(["conversations", place.store, "--json"] + options)
        return try run.objects().first?["unread"] as? Int
    }

    @Test("conversations and messages show what would be; a conversation that does not exist is refused")
    func views() throws {
        #expect(try unread() == 10 && unread("--without", "4") == 4 && unread("--edit", "4", "count=2") == 3)
        #expect(try unread("--edit", "4", "count=2", "--at", "4") == 2)
        // Own messages do not count, and a conversation may be named by its id.
        #expect(try unread("--edit", "5", "sender=me") == 9)
        #expect(try unread("--edit", "4", "conversation=team", "count=2") == 3)
        #expect(try unread("--edit", "5", "countsUnread=no", "--without", "4") == 3)
        let texts = { (run: ToolRun) in try run.objects().map { $0["text"] as? String ?? "" } }
        #expect(try texts(run("messages", "team", "--json", "--without", "2-4,6")) == ["secret m1", "secret m4"])
        let edited = try run(
            "messages", "team", "--json", "--edit", "3", "text=a = b", "sender=al", "--edit", "1", "sender=me")
        #expect(try texts(edited)[2] == "a = b" && edited.objects()[2]["sender"] as? String == "al")
        #expect(try edited.objects()[0]["outgoing"] as? Bool == true)
        #expect(try run("replay", "--edit", "4", "count=2").lines.contains("badge: 10 -> 3"))
        try place.run("messages", "no such", "--without", "4").ended(2, saying: "the store has no conversation no such")
    }

    @Test("why, watch and the page show the events that would be")
    func causes() throws {
        let why = try run("why", "unread", "team", "--edit", "4", "count=2").lines
        #expect(why.contains { $0.hasPrefix("  unread") && $0.hasSuffix(" 3") })
        #expect(why.contains { $0.hasPrefix("  4 ") && $0.contains("count=2") })
        let without = try run("why", "unread", "team", "--without", "4")
        #expect(!without.output.contains("UnreadCountReported") && !without.output.contains("secret"))
        #expect(try run("watch", "unread(team) >= 9", "--each-event").lines.count == 2)
        #expect(try run("watch", "unread(team) >= 9", "--each-event", "--without", "UnreadCountReported").lines.isEmpty)
        let path = place.logs.directory.path + "/page.html"
        try ToolRun(
            ["debug", place.store, "--html", path, "--without", "4", "--edit", "5", "text=another secret"],
            environment: ["TMPDIR": place.makeDirectory("temporary")]
        ).succeeded()
        let page = try embeddedData(of: String(contentsOfFile: path, encoding: .utf8))
        #expect(page.contains("another secret") && !page.contains("secret m4"))
        #expect(page.contains("\"RecordLost\"") && !page.contains("\"UnreadCountReported\""))
        #expect(try place.names(in: "temporary").isEmpty)
    }

    @Test("an exported log with events left out and edited is imported: positions, references and digests are right")
    func export() throws {
        let file = place.logs.directory.path + "/edited.ndjson"
        let other = place.logs.directory.path + "/other"
        let options = ["--without", "2,4", "--edit", "5", "sender=me", "text=other words"]
        let run = try place.run(["export"], options).succeeded()
        try run.output.write(toFile: file, atomically: true, encoding: .utf8)
        let imported = try ToolRun(["import", other, file, "--format", "events", "--json"]).succeeded()
        #expect(
            try imported.object()["events"] as? Int == 7
                && (imported.object()["notCompared"] as? [String])?.isEmpty == true)
        try ToolRun(["verify", other]).succeeded()
        let log = { (path: String) in try ToolRun(["log", path, "--text"]).lines }
        let (before, after) = (try log(place.store), try log(other))
        try #require(after.count == 7)
        for index in [0, 2, 5, 6] { #expect(after[index] == before[index]) }
        for index in [1, 3] { #expect(after[index].contains("  RecordLost  ") && after[index].contains("  commit=1")) }
        #expect(after[4].contains("text=other words") && after[4].contains("sender=me"))
        for command in [["conversations"], ["messages", "team"]] {
            let expected = try place.run(command, ["--json"] + options)
            let found = try ToolRun([command[0], other] + command.dropFirst() + ["--json"])
            #expect(expected.exitCode == 0 && found.output == expected.output, "\(command)")
        }
        let differences = try self.run("diff", "--with", other).lines
        #expect(differences.contains("message m2 in group:team") && differences.contains("  there: yes | no"))
        #expect(
            !differences.contains {
                $0.hasPrefix("message m1") || $0.hasPrefix("message m3") || $0.hasPrefix("message m5")
            })
        let anonymous = try ToolRun(["export", place.store, "--anonymise"] + options).succeeded()
        #expect(anonymous.output.contains("RecordLost") && !anonymous.output.contains("words"))
    }

    @Test(
        "what is no position, field or value is wrong usage, and no words of people are repeated",
        arguments: [
            ["count=2"], ["4"], ["4", "count"], ["99", "count=2"], ["0", "count=2"], ["4", "cuont=2"],
            ["4", "count=many"],
            ["4", "upTo=yesterday"], ["5", "sentTime=secret"], ["5", "position=7"], ["5", "sender="],
            ["5", "countsUnread=perhaps"], ["5", "count=1"],
            ["4", "5", "sender=al"],
        ])
    func wrongUsage(words: [String]) throws {
        let commands = [["conversations"], ["replay"], ["why", "badge"], ["export"]]
        // Each command reads them in the same way.
        for command in TestSize.of(plain: [commands[words.joined().utf8.count % 4]], full: commands) {
            let run = try place.run(command, ["--edit"] + words).ended(2, output: "")
            #expect(!run.errors.contains("secret"))
        }
    }

    @Test("every field that the log shows in words can be set to what it shows, and the event stays the same")
    func everyField() throws {
        let sample = try SampleStore()
        let store = try MessageStore.openReadOnly(sample.place.store, configuration: .ofTests)
        let hosts = HostEvents(try store.eventDescriptions())
        var count = 0
        for recorded in try store.events() {
            // A number beyond those of JSON's readers is in no real log.
            guard !recorded.event.payload.fieldTexts.contains(where: { $0.text == String(UInt64.max) }) else {
                continue
            }
            let columns = EventColumns(recorded, hosts, hasContent: true)
            for field in recorded.event.type.fields {
                guard ![.bytes, .pairs, .group, .message].contains(field.type.kind), !field.type.isList,
                    field.name != "flags",
                    let text = columns.columns.last(where: { $0.name == field.name })?.text
                else { continue }
                var edit = try EventEdit(recorded.position, in: store)
                #expect(throws: Never.self, "\(field.name)=\(text)") { try edit.set("\(field.name)=\(text)") }
                #expect(edit.event == recorded.event, "\(recorded.event.payload.typeName) \(field.name)=\(text)")
                count += 1
            }
        }
        #expect(count > 200)
    }
}
