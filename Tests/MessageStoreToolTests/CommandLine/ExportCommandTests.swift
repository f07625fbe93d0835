import Foundation
import MessageStore
import Testing

@Suite("messagestore export, and import --format events", .tool, .timeLimit(.minutes(30)))
struct ExportCommandTests {
    /// A store of random events, some redacted, in commits of several, with a clock that moves.
    private static func random(seed: UInt64) throws -> ToolPlace {
        let place = try ToolPlace()
        let clock = ManualTime()
        var events = RandomEvents(seed: seed)
        try place.write(account: RandomEvents.account, { $0.now = { clock.now } }) { store in
            for step in 0..<60 {
                let batch = events.nextBatch(after: try store.lastPosition())
                let positions = try store.record(batch).positions
                for (event, position) in zip(batch, positions) where event.type == .messageReceived && step % 20 == 19 {
                    if let position { try store.redact(position) }
                }
                clock.move(byMilliseconds: 700)
            }
            // A type that no version knows, and one that a host of a later version declared.
            for type in [UInt16(0x7123), 0x9123] {
                let payload = UnknownEvent(
                    type: EventType(rawValue: type), schemaVersion: 3, fields: [0x18, 5], content: [0x0A, 1, 0x61],
                    actor: "张三", serverID: "s")
                try store.record(Event(any: payload, in: .group("g1"), id: "unknown", device: "d"))
            }
        }
        return place
    }

    /// Exports and imports into a store of another place.
    private static func copy(_ place: ToolPlace, _ options: [String] = []) throws -> (file: String, copy: ToolPlace) {
        let file = place.store + "-export.jsonl"
        try ToolRun.shell("\"$0\" export \"$1\" \(options.joined(separator: " ")) > \"$2\"", [place.store, file])
            .succeeded()
        let copy = try ToolPlace()
        let run = try ToolRun(["import", copy.store, file, "--format", "events", "--json"]).succeeded()
        #expect((try run.object()["notCompared"] as? [String])?.isEmpty == true)
        return (file, copy)
    }

    private static func events(_ place: ToolPlace) throws -> [RecordedEvent] {
        try MessageStore.openReadOnly(place.store, configuration: .ofTests).events(limit: .max)
    }

    @Test(
        "I3, I9: an exported log makes the same log, record for record, and the same digests", arguments: Seeds.first(2)
    )
    func same(seed: UInt64) throws {
        let place = try Self.random(seed: seed)
        let (file, copy) = try Self.copy(place, seed % 2 == 0 ? ["--gzip"] : [])
        #expect(try Self.events(copy) == Self.events(place))
        #expect(try copy.digests() == place.digests())
        // What is exported again is the same file.
        let again = try copy.run("export").output
        let isGzip = try Data(contentsOf: URL(fileURLWithPath: file)).starts(with: [0x1F, 0x8B])
        #expect(isGzip == (seed % 2 == 0))
        #expect(try place.run("export").output == again)
    }

    @Test("an event of every type with every field goes through an export")
    func everyType() throws {
        let sample = try SampleStore()
        let (_, copy) = try Self.copy(sample.place)
        let (first, second) = (try Self.events(sample.place), try Self.events(copy))
        #expect(first.count == sample.events.count && first == second)
        #expect(Set(second.map(\.event.type)) == Set(EventType.known.map(\.type)))
        #expect(try copy.digests() == sample.place.digests())
        #expect(try copy.run("log", "--text").output == sample.place.run("log", "--text").output)
    }

    @Test("the lines: a header, the events as the log command prints them with Chinese as it is, a trailer")
    func lines() throws {
        try place.importLines([logLine("你好\\u202e", id: "a"), logLine("b", id: "b", conversation: "d")])
        let run = try place.run("export")
        #expect(run.lines.count == 4 && run.errors.isEmpty)
        let objects = try run.objects()
        #expect(objects[0]["format"] as? String == "messagestore-events" && objects[0]["formatVersion"] as? Int == 1)
        #expect(objects[0]["account"] as? String == "me")
        #expect(objects[0]["first"] as? Int == 1 && objects[0]["last"] as? Int == 2)
        #expect(try place.run("log", "--json", "--text").lines == Array(run.lines[1...2]))
        #expect(run.lines[1].contains("你好\\u202e"))
        #expect(objects[3]["events"] as? Int == 2)
        let projections = try #require(objects[3]["projections"] as? [String: [String: Any]])
        #expect(try projections.compactMapValues { $0["digest"] as? String } == place.digests())
        // The log up to its first event makes a store; a part behind it does not.
        let (copy, imported) = try place.imported(place.run("export", "--to", "1").output.utf8)
        imported.succeeded()
        let past = try place.run("replay", "--to", "1", "--json").object()["digests"]
        #expect(try copy.digests() == past as? [String: String])
        let part = try place.run("export", "--from", "2")
        #expect(part.lines.count == 3 && !part.output.contains("projections"))
        let refused = try place.imported(part.output.utf8).run
        refused.ended(2, saying: "begins with event 2")
    }

    @Test("an empty log is exported and imported")
    func empty() throws {
        try MessageStore.open(place.store, account: "me", configuration: .ofTests).close()
        let (_, copy) = try Self.copy(place)
        #expect(try Self.events(copy).isEmpty && copy.run("export").lines.count == 2)
    }

    @Test("a file that was cut or changed: exit code 1, the line is named, and nothing is left")
    func damaged() throws {
        try place.importLines((1...9).map { logLine("text \($0)", id: "m\($0)", time: "\($0)000") })
        let lines = try place.run("export").lines
        #expect(lines.count == 11)
        func changed(_ line: Int, _ old: String, _ new: String) -> [String] {
            var lines = lines
            #expect(lines[line - 1].contains(old))
            lines[line - 1] = lines[line - 1].replacingOccurrences(of: old, with: new)
            return lines
        }
        var swapped = lines
        swapped.swapAt(4, 5)
        let cases: [(lines: [String], line: Int?)] = [
            (Array(lines[..<10]), nil), (Array(lines[..<5]), nil), ([], nil), (Array(lines[1...]), 1),
            (Array(lines[..<6]) + [String(lines[6].dropLast(9))], 7), (Array(lines[..<4] + lines[5...]), 5),
            (swapped, 5), (lines + ["{}"], 12), (lines + lines, 12), (changed(4, "text 3", "text 33"), 11),
            (changed(4, "text 3", "text 4"), 11), (changed(6, "\"recordedTime\":1", "\"recordedTime\":0"), 6),
            (changed(6, "\"recordedTime\"", "\"recorded\""), 6), (changed(3, "\"history\"", "\"somewhere\""), 3),
            (changed(3, "MessageReceived", "MessageEaten"), 3),
            (changed(1, "\"formatVersion\":1", "\"formatVersion\":2"), 1),
            (changed(1, "\"last\":9", "\"last\":8"), 10), (changed(11, "\"events\":9", "\"events\":8"), 11),
            (changed(1, "messagestore-events", "other"), 1),
        ]
        for (number, damaged) in cases.enumerated() {
            let (copy, run) = try place.imported(
                damaged.lines.map { $0 + "\n" }.joined().utf8, name: "damaged-\(number)")
            run.ended(1, output: "")
            if let line = damaged.line { #expect(run.errors.contains("damaged-\(number):\(line): "), "\(run.errors)") }
            #expect(!run.errors.contains("text "), "\(run.errors)")
            #expect(try copy.names().isEmpty, "\(number)")
        }
        // A digest of a projection that the events do not give.
        let digest = try #require(try place.digests()["Timeline"])
        let (copy, run) = try place.imported(
            changed(11, digest, "0000000000000000").map { $0 + "\n" }.joined().utf8)
        run.ended(1, saying: "Timeline")
        #expect(try copy.names().isEmpty)
    }

    @Test("gzip that is cut short leaves nothing; a store that exists and another account are wrong usage")
    func refused() throws {
        try place.importLines((1...500).map { logLine("text \($0 &* 7919)", id: "m\($0)") })
        let (file, copy) = try Self.copy(place, ["--gzip"])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let plain = try place.run("export").output
        #expect(bytes.count < plain.utf8.count / 4)
        let (other, run) = try place.imported(bytes.dropLast(500), name: "cut.gz")
        run.ended(1, saying: "truncated gzip")
        #expect(try other.names().isEmpty)
        for arguments in [
            ["import", copy.store, file, "--format", "events"],
            ["import", other.store, file, "--format", "events", "--account", "you"],
            ["import", other.store, other.store + "-nothing", "--format", "events"],
        ] { try ToolRun(arguments).ended(2, output: "") }
        try ToolRun(["import", other.store, file, "--format", "events", "--account", "me"]).succeeded()
    }

    @Test("I11: --no-text leaves no content behind, and every digest as it was", arguments: Seeds.first(2))
    func withoutText(seed: UInt64) throws {
        // 0 stands for the samples of every type.
        let place = try seed == 0 ? SampleStore().place : Self.random(seed: seed)
        let (file, copy) = try Self.copy(place, ["--no-text", "2>", "'\(place.store).err'"])
        #expect(try copy.digests() == place.digests())
        let (whole, cut) = (try Self.events(place), try Self.events(copy))
        #expect(cut.map(\.position) == whole.map(\.position) && cut.map(\.commit) == whole.map(\.commit))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        // What stands in a field as well, such as a nickname, stays there.
        let kept = Set(whole.flatMap { $0.event.payload.fieldTexts }.filter { !$0.isContent }.compactMap(\.text))
        var hadContent: [String: Int] = [:]
        for (event, rest) in zip(whole, cut) {
            let (fields, left) = (event.event.payload.fieldTexts, rest.event.payload.fieldTexts)
            #expect(fields.filter { !$0.isContent } == left.filter { !$0.isContent })
            let contents = fields.filter { $0.isContent && $0.text != nil && $0.text != "0 bytes" }
            #expect(left.allSatisfy { !$0.isContent || $0.text == nil || $0.text == "0 bytes" }, "\(rest)")
            for content in contents where content.type.kind == .string {
                guard let words = content.text, words.utf8.count > 4, !kept.contains(words) else { continue }
                let isLeft = text.contains("\"\(words)\"")
                #expect(!isLeft, "\(event.event.type).\(content.name)")
            }
            if event.byteCount != rest.byteCount { hadContent[event.event.payload.typeName, default: 0] += 1 }
            #expect(rest.isRedacted || event == rest)
        }
        // What was left out is told on standard error and in the last line.
        let last = try #require(text.split(separator: "\n").last)
        let trailer = try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
        #expect(trailer["withoutText"] as? [String: Int] == hadContent && !hadContent.isEmpty)
        let told = try String(contentsOfFile: place.store + ".err", encoding: .utf8)
        #expect(told.hasPrefix("messagestore: text removed: ") && told.split(separator: "\n").count == 1)
    }
}
