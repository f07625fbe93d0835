import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Events on a terminal", .timeLimit(.minutes(30)))
struct EventBlockTests {
    @Test("no line is wider than the terminal, and the words are those of the one line", arguments: [20, 40, 80, 200])
    func blocks(width: Int) throws {
        let text = String(repeating: "这条消息很长。", count: 30) + "and more"
        let event = Event.received(
            "m1", from: "bob", in: .group("团队"), at: Timestamp(milliseconds: 1_794_800_000_001), content: .text(text))
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        try store.record([event])
        let recorded = try #require(try store.event(at: Position(1)))
        let columns = EventColumns(recorded, HostEvents([]), hasContent: true)
        let lines = columns.lines(width: width)
        #expect(lines.allSatisfy { $0.displayWidth <= width } && lines.count > 1)
        #expect(lines[0].hasPrefix("1") && lines.dropFirst().allSatisfy { $0.hasPrefix("    ") })
        let one = columns.lines(width: nil)
        try #require(one.count == 1)
        #expect(lines.joined().filter { $0 != " " } == one[0].filter { $0 != " " })
        #expect(columns.lines(indent: 2, width: width).allSatisfy { $0.displayWidth <= width && $0.hasPrefix("  ") })
    }
}

@Suite("messagestore log", .tool, .timeLimit(.minutes(30)))
struct LogCommandTests {
    @Test("every event type and every field of it is shown, as text, as tsv and as JSON")
    func everyField() throws {
        let sample = try SampleStore()
        let texts = try sample.place.run("log", "--text").lines
        let rows = try sample.place.run("log", "--text", "--format", "tsv").lines
        let objects = try sample.place.run("log", "--text", "--format", "json").objects()
        #expect(texts.count == sample.events.count && rows.count == texts.count && objects.count == texts.count)
        var shown: [String: Set<String>] = [:]
        for (index, event) in sample.events.enumerated() {
            let name = try #require(EventType.known.first { $0.type == event.type }?.name)
            #expect(objects[index]["type"] as? String == name)
            #expect(texts[index].contains("  \(name)  ") && rows[index].contains("\t\(name)\t"))
            let payload = try #require(objects[index]["payload"] as? [String: Any])
            for field in event.payload.fieldTexts where field.text != nil {
                let (text, row) = ("  \(field.name)=", "\t\(field.name)=")
                #expect(texts[index].contains(text) && rows[index].contains(row), "\(name).\(field.name)")
                #expect(payload[field.name] != nil, "\(name).\(field.name)")
                if field.type.kind == .string || field.type.kind == .user, let value = field.text {
                    #expect(rows[index].contains(row + value.terminalSafe), "\(name).\(field.name)")
                }
                shown[name, default: []].insert(field.name)
            }
            for (part, value) in [("id", event.id?.rawValue), ("device", event.device?.rawValue)] {
                guard let value else { continue }
                #expect(texts[index].contains("  \(part)=\(value)") && objects[index][part] as? String == value)
            }
            if let conversation = event.conversation { #expect(texts[index].contains("  \(conversation)")) }
        }
        #expect(texts.contains { $0.hasSuffix("  indexed=type=1 主题=饭") }, "pairs stand in the order of their keys")
        for (type, name) in EventType.known { #expect(shown[name, default: []] == Set(type.fields.map(\.name))) }
    }

    @Test("--type is repeated for several types; a second value behind it is refused and the error says so")
    func types() throws {
        let (key, time) = (ConversationKey.group("g"), Timestamp(milliseconds: 1))
        try place.record(each: [
            .received("m1", from: "bob", in: key, at: time, content: .text("one")), .read(in: key),
            .recalled(.server("m1"), in: key, origin: .live),
        ])
        #expect(try place.logged("--type", "MessageReceived", "--type", "MessageRecalled") == [1, 3])
        #expect(try place.logged("--type", "MessageRecalled") == [3])
        let refused = try place.run("log", "--type", "MessageReceived", "MessageRecalled")
        #expect(refused.exitCode == 2 && refused.errors.contains("--type A --type B"), "\(refused.errors)")
    }

    @Test("--message: what names a message under any of its names, and nothing else")
    func message() throws {
        let (key, other) = (ConversationKey.group("g"), ConversationKey.group("other"))
        let time = { Timestamp(milliseconds: $0) }
        try place.record(each: [
            Event(MessageReadByPeer(.messages([.server("m2")]), by: "bob", at: time(1)), in: key),
            .received("m1", from: "bob", in: key, at: time(1), content: .text("one")),
            .queued(.text("two"), in: key, clientToken: "t2"),
            .received("m2", from: "al", in: other, at: time(2), content: .text("another m2")),
            .sent(LocalMessageID(3), as: "m2", in: key, at: time(3)),
            Event(MessageRecalled(.server("m1")), in: key),
            Event(MessageModified(.local(LocalMessageID(3)), content: .text("2"), at: time(4)), in: key),
            .received(
                "m3", from: "bob", in: key, at: time(5), content: .text("answer"),
                context: MessageContext(replyTo: "m2")),
            .read(upTo: MessageOrder(time: time(3), id: "m2"), in: key),
            .received("10", from: "bob", in: key, at: time(6), content: .text("named by a number")),
        ])
        let chosen: [(options: [String], positions: [Int])] = [
            // 3 was sent as m2: what names either is about it, in its conversation.
            (["3"], [1, 3, 5, 7, 8, 9]), (["m2", "--conversation", "g"], [1, 3, 5, 7, 8, 9]),
            (["m2", "--conversation", "other"], [4]), (["m2"], [1, 3, 4, 5, 7, 8, 9]),
            // The read marker at 9 covers it.
            (["m1"], [2, 6, 9]), (["2"], [2, 6, 9]), (["m2", "--type", "MessageSent"], [5]),
            // A position that is a message's.
            (["10"], [10]),
        ]
        #expect(try chosen.map { try place.logged(["--message"] + $0.options) } == chosen.map(\.positions))
    }

    @Test("a number that is one message's id and the server's of another: both are named, and each can be chosen")
    func numericServerIDs() throws {
        let (key, other) = (ConversationKey.group("g"), ConversationKey.group("other"))
        // 2 is the first one's name at the server; 3 is named so by itself, 4 in another conversation.
        let ids = [("2", key), ("1001", key), ("3", key), ("7", key), ("4", other), ("local:x", key)]
        try place.record(
            each: ids.enumerated().map { number, message in
                .received(
                    ServerMessageID(message.0), from: "bob", in: message.1,
                    at: Timestamp(milliseconds: Int64(number) + 1), content: .text("message \(number + 1)"))
            })
        let chosen: [(options: [String], positions: [Int])] = [
            (["local:2"], [2]), (["server:2"], [1]), (["1001"], [2]), (["server:1001"], [2]),
            // Both names are of the same message.
            (["3"], [3]), (["1"], [1]), (["7"], [4]), (["4", "--conversation", "other"], [5]),
            (["4", "--conversation", "g"], [4]), (["local:x"], [6]),
        ]
        #expect(try chosen.map { try place.logged(["--message"] + $0.options) } == chosen.map(\.positions))
        let page = ["messages", place.store, "g", "--json"]
        for (name, ids) in [("local:2", [3, 4, 6]), ("server:2", [2, 3, 4, 6]), ("4", [6]), ("3", [4, 6])] {
            #expect(try ToolRun(page + ["--after", name]).values("id") == ids, "\(name)")
        }
        for command in [
            ["log", place.store, "--message", "2"], ["why", place.store, "message", "2"], page + ["--around", "2"],
            ["watch", place.store, "exists(g, 2)"], ["log", place.store, "--message", "4"],
        ] {
            try ToolRun(command).ended(2, output: "", saying: "write local:", "server:")
        }
        for name in ["local:9", "server:9", "9", "server:", "5"] {
            #expect(try ToolRun(page + ["--before", name]).errors.contains("no message \(name)"), "\(name)")
        }
        #expect(try place.run("watch", "exists(g, server:2)", "--json").objects().count == 1)
    }

    /// Six events, recorded a second and a half apart.
    private static func timed() throws -> ToolPlace {
        let place = try ToolPlace()
        let texts = ["Äpfel und 苹果", "b\tb", "", "APFEL", "zz", "y"]
        let origins: [Origin] = [.live, .offline, .history, .live, .otherDevice, .live]
        let events = zip(texts, origins).enumerated().map { number, event in
            Event.received(
                ServerMessageID("m\(number)"), from: number == 2 ? "äpfelbaum" : "bob", in: .group("g"),
                at: Timestamp(milliseconds: Int64(number)), content: .text(event.0), origin: event.1)
        }
        try place.record(events, from: Timestamp(milliseconds: 1_700_000_000_000), every: 1_500)
        return place
    }

    @Test("--since, --until, --origin and --grep select alone and together, forwards and from the end")
    func selections() throws {
        let place = try Self.timed()
        let at = { (number: Int) in Timestamp(milliseconds: 1_700_000_000_000 + Int64(number) * 1_500).description }
        let cases: [([String], [Int])] = [
            (["--since", at(2)], [3, 4, 5, 6]), (["--until", at(2)], [1, 2, 3]),
            (["--since", at(1), "--until", at(3)], [2, 3, 4]), (["--since", at(3), "--until", at(1)], []),
            (["--since", "2023-11-14T22:13:20.001Z"], [2, 3, 4, 5, 6]), (["--since", "2023-11-15"], []),
            (["--until", "2023-11-15 06:13:23+08:00"], [1, 2, 3]), (["--until", "2023-11-14"], []),
            (["--origin", "live"], [1, 4, 6]), (["--origin", "history", "--origin", "otherDevice"], [3, 5]),
            (["--grep", "ÄPFEL"], [1, 3]), (["--grep", "苹果"], [1]), (["--grep", "pfel", "--origin", "live"], [1, 4]),
            (["--grep", "m4"], [5]), (["--grep", "messagereceived", "-n", "2"], [5, 6]), (["--grep", "nothing"], []),
            (["--grep", "pfel", "-n", "1"], [4]), (["--from", "2", "--grep", "pfel"], [3, 4]),
        ]
        for (options, positions) in cases {
            let run = try ToolRun(["log", place.store, "--json"] + options).succeeded()
            #expect(try run.objects().map { $0["position"] as? Int } == positions, "\(options)")
        }
    }

    @Test("--fields and --format: the chosen fields alone, in their order, one event a line")
    func fields() throws {
        let place = try Self.timed()
        let options = ["log", place.store, "--to", "3", "--text", "--fields", "text,position,sender,recordedTime"]
        #expect(
            try ToolRun(options).lines == [
                "Äpfel und 苹果  1  bob  2023-11-14T22:13:20.000Z", "b b  2  bob  2023-11-14T22:13:21.500Z",
                "  3  äpfelbaum  2023-11-14T22:13:23.000Z",
            ])
        // A tab within a value would be a column of its own.
        let rows = try ToolRun(options + ["--format", "tsv"]).lines.map { $0.components(separatedBy: "\t") }
        #expect(rows.allSatisfy { $0.count == 4 } && rows[1][0] == "b b")
        let objects = try ToolRun(options + ["--format", "json"]).objects()
        #expect(objects[1]["text"] as? String == "b\tb" && objects[1].count == 4)
        #expect(objects[2]["recordedTime"] as? Int == 1_700_000_003_000)
        // Words stay away without --text.
        let hidden = try place.run("log", "--json", "--fields", "text,sender", "--to", "1").objects()
        #expect(hidden.first?.keys.sorted() == ["sender"])
        #expect(try place.run("log", "--fields", "text,device", "--to", "1").lines == ["(17 bytes)  -"])
    }

    @Test("--follow prints what is there, then each event when it is recorded, and ends without a word with its reader")
    func follow() throws {
        let place = try Self.timed()
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = ToolRun.executable
        process.arguments = ["log", place.store, "--follow", "--from", "5", "--fields", "position,text", "--text"]
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        var seen = ""
        func read(until text: String) {
            while !seen.contains(text) {
                let data = output.fileHandleForReading.availableData
                if data.isEmpty { return }
                seen += String(decoding: data, as: UTF8.self)
            }
        }
        read(until: "6  y\n")
        #expect(seen == "5  zz\n6  y\n")
        let store = try MessageStore.open(place.store, account: "me", configuration: .ofTests)
        for text in ["新的", "newer"] {
            let id = ServerMessageID(text)
            try store.record(
                .received(id, from: "bob", in: .group("g"), at: Timestamp(milliseconds: 9), content: .text(text)))
            read(until: text + "\n")
        }
        #expect(seen == "5  zz\n6  y\n7  新的\n8  newer\n")
        try output.fileHandleForReading.close()
        try store.record(
            .received("last", from: "bob", in: .group("g"), at: Timestamp(milliseconds: 9), content: .text("last")))
        process.waitUntilExit()
        #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
        try store.close()
    }
}
