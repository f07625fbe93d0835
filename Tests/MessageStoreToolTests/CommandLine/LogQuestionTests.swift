import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite(
    "messagestore log --where, --tally, --user, --types",
    .enabled(if: ToolRun.executable != nil, "the tool is not built"), .timeLimit(.minutes(30)))
struct LogQuestionTests {
    private static let team = ConversationKey.group("team")
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_700_000_000_000
    private let place: ToolPlace

    init() throws {
        place = try ToolPlace()
        var configuration = MessageStore.Configuration()
        configuration.now = { Timestamp(milliseconds: Self.start) }
        let store = try MessageStore.open(place.store, account: "me", configuration: configuration)
        let now = { Timestamp(milliseconds: Self.start + $0) }
        func read(_ time: Int64, by device: DeviceID) -> Event {
            Event(
                ConversationRead(upTo: MessageOrder(time: now(time), id: "m1")), in: Self.team, origin: .otherDevice,
                device: device)
        }
        try store.record([
            .received("m1", from: "bob", in: Self.team, at: now(0), content: .text("Straße und KELVIN \u{212A}")),
            Event(MessageReadByPeer(.upTo(now(23 * Self.day)), by: "al", at: now(1)), in: Self.team),
            read(439, by: "phone"), read(0, by: "laptop"), read(1_000, by: "laptop"),
            Event(ProfilesFetched([Profile(id: "carla", name: "Carla"), Profile(id: "dora", name: "Dora")])),
            .received("m2", from: "al", in: .single("bob"), at: now(2), content: .text("two")),
        ])
        try store.close()
    }

    private func positions(_ options: String...) throws -> [Int] {
        let run = try ToolRun(["log", place.store, "--json"] + options)
        #expect(run.exitCode == 0, "\(options): \(run.errors)")
        return try run.objects().compactMap { $0["position"] as? Int }
    }

    @Test("--where compares fields with each other, with times, texts and numbers")
    func comparisons() throws {
        #expect(try positions("--where", "upTo > recordedTime + 1d") == [2])
        #expect(try positions("--where", "upTo>recordedTime") == [2, 3, 5])
        #expect(try positions("--where", "upTo.ms == 0", "--where", "device == laptop") == [4, 5])
        #expect(try positions("--where", "upTo.id == m1", "--where", "device != 'laptop'") == [3])
        #expect(
            try positions("--where", "upTo >= 2023-11-20") == [2]
                && positions("--where", "upTo != none") == [2, 3, 4, 5])
        #expect(
            try positions("--where", "position < 3") == [1, 2]
                && positions("--where", "serverID == none") == [2, 3, 4, 5, 6])
        #expect(try positions("--where", "conversation == single:bob") == [7])
        #expect(try positions("--type", "ConversationRead", "--where", "upTo == recordedTime") == [4])
        for wrong in ["upTo", "editr == bob", "> 3", "upTo >"] {
            let run = try place.run("log", "--where", wrong)
            #expect(run.exitCode == 2 && run.output.isEmpty, "\(wrong): \(run.errors)")
        }
    }

    @Test("--tally counts by fields and comparisons, and says since when")
    func tally() throws {
        let rows = try place.run("log", "--json", "--type", "ConversationRead", "--tally", "device,upTo.ms == 0")
            .objects()
        #expect(rows.map { $0["count"] as? Int } == [2, 1] && rows.map { $0["first"] as? Int } == [4, 3])
        #expect(rows[0]["values"] as? [String: String] == ["device": "laptop", "upTo.ms == 0": "yes"])
        let lines = try place.run("log", "--tally", "type").lines
        #expect(lines[0] == "EVENTS  FIRST  LAST  type" && lines[2] == "     3      3     5  ConversationRead")
        #expect(lines[3] == "     2      1     7  MessageReceived")
        #expect(try place.run("log", "--tally", "recordedTime.day").lines[2] == "     7      1     7  2023-11-14")
        #expect(try !place.run("log", "--tally", "text").output.contains("KELVIN"))
        #expect(try place.run("log", "--tally", "nothing").exitCode == 2)
        #expect(try place.run("log", "--tally", "type", "-n", "3").exitCode == 2)
    }

    @Test("--user: who sent, read, was fetched, or is the other one of a conversation")
    func user() throws {
        #expect(try positions("--user", "al") == [2, 7] && positions("--user", "dora") == [6])
        #expect(try positions("--user", "bob") == [1, 7])
        #expect(try place.run("log", "--user", "nobody").exitCode == 2)
    }

    @Test("--types: every type with its fields, those of the log with how many and where")
    func types() throws {
        let lines = try place.run("log", "--types").lines
        #expect(lines[0] == "ConversationRead: 3 events, 3 to 5" && lines[1].hasPrefix("    upTo"))
        #expect(lines.contains("MessageRecalled: none"))
        let known = try place.run("log", "--types", "--json").objects().compactMap { $0["type"] as? String }
        #expect(Set(known) == Set(EventType.known.map(\.name)))
        #expect(try place.run("log", "--fields", "editr").errors.contains("--types"))
    }

    @Test("--grep finds in whatever case, in ASCII and beyond")
    func grep() throws {
        for needle in ["kelvin k", "STRASSE", "straße UND", "SINGLE:bob", "kelvin \u{212A}"] {
            let expected = needle == "SINGLE:bob" ? [7] : needle == "STRASSE" ? [] : [1]
            #expect(try positions("--grep", needle) == expected, "\(needle)")
        }
        #expect(try positions("--grep", "conversationread") == [3, 4, 5])
        #expect(try positions("--grep", "") == Array(1...7))
    }
}
