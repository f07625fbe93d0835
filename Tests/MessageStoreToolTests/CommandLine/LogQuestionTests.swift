import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore log --where, --tally, --user, --types", .tool, .timeLimit(.minutes(30)))
struct LogQuestionTests {
    private static let team = ConversationKey.group("team")
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_700_000_000_000
    init() throws {
        let now = { Timestamp(milliseconds: Self.start + $0) }
        func read(_ time: Int64, by device: DeviceID) -> Event {
            Event(
                ConversationRead(upTo: MessageOrder(time: now(time), id: "m1")), in: Self.team, origin: .otherDevice,
                device: device)
        }
        try place.record([
            .received("m1", from: "bob", in: Self.team, at: now(0), content: .text("Straße und KELVIN \u{212A}")),
            Event(MessageReadByPeer(.upTo(now(23 * Self.day)), by: "al", at: now(1)), in: Self.team),
            read(439, by: "phone"), read(0, by: "laptop"), read(1_000, by: "laptop"),
            Event(ProfilesFetched([Profile(id: "carla", name: "Carla"), Profile(id: "dora", name: "Dora")])),
            .received("m2", from: "al", in: .single("bob"), at: now(2), content: .text("two")),
        ]) { $0.now = { Timestamp(milliseconds: Self.start) } }
    }

    @Test(
        "--where compares fields, --user finds who had a part in it, and --grep finds in whatever case, in ASCII and beyond"
    )
    func comparisons() throws {
        let chosen: [(conditions: [String], positions: [Int])] = [
            (["upTo > recordedTime + 1d"], [2]), (["upTo>recordedTime"], [2, 3, 5]),
            (["upTo.ms == 0", "device == laptop"], [4, 5]), (["upTo.id == m1", "device != 'laptop'"], [3]),
            (["upTo >= 2023-11-20"], [2]), (["upTo != none"], [2, 3, 4, 5]), (["position < 3"], [1, 2]),
            (["serverID == none"], [2, 3, 4, 5, 6]), (["conversation == single:bob"], [7]),
        ]
        for (conditions, positions) in chosen {
            #expect(try place.logged(conditions.flatMap { ["--where", $0] }) == positions, "\(conditions)")
        }
        #expect(try place.logged("--type", "ConversationRead", "--where", "upTo == recordedTime") == [4])
        #expect(try ["al", "dora", "bob"].map { try place.logged("--user", $0) } == [[2, 7], [6], [1, 7]])
        let needles = [
            "kelvin k", "STRASSE", "straße UND", "SINGLE:bob", "kelvin \u{212A}", "conversationread", "",
        ]
        let found = try needles.map { try place.logged("--grep", $0) }
        #expect(found == [[1], [], [1], [7], [1], [3, 4, 5], Array(1...7)])
    }

    @Test("--tally counts by fields and comparisons, and --types lists every type with its fields")
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
        let types = try place.run("log", "--types").lines
        #expect(types[0] == "ConversationRead: 3 events, 3 to 5" && types[1].hasPrefix("    upTo"))
        #expect(types.contains("MessageRecalled: none"))
        let known = try place.run("log", "--types", "--json").values("type", as: String.self)
        #expect(Set(known) == Set(EventType.known.map(\.name)))
        #expect(try place.run("log", "--fields", "editr").errors.contains("--types"))
    }
}
