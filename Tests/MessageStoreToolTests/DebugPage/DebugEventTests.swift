import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

/// A host's event that the tool has no code for.
private struct LampSwitched: AccountPayload, DeclaredFields {
    var lamp: String
    var isOn: Bool

    static let declaration = EventDeclaration("com.example.lamp-switched", scope: .account)
    static let fieldList = FieldList(Self.init, FieldOf(3, "lamp", \Self.lamp), FieldOf(4, "isOn", \Self.isOn))
}

@Suite("Events on the debug page", .timeLimit(.minutes(30)))
struct DebugEventTests {
    private func columns(_ page: DebugPlace, _ positions: String) async throws -> [[String: String]] {
        let rows = try #require(try await page.object("events", ["positions": positions])["events"] as? [[String: Any]])
        return try rows.map { row in
            let pairs = try #require(row["columns"] as? [[String]])
            return Dictionary(pairs.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first })
        }
    }

    @Test("every event type and every field of it is shown")
    func everyField() async throws {
        let sample = try SampleStore()
        let page = try DebugPlace(try MessageStore.openReadOnly(sample.place.store, configuration: .ofTests))
        let rows = try await columns(page, "1-\(sample.events.count)")
        #expect(rows.count == sample.events.count)
        for (event, row) in zip(sample.events, rows) {
            let name = try #require(EventType.known.first { $0.type == event.type }?.name)
            #expect(row["type"] == name)
            for field in event.payload.fieldTexts where field.text != nil {
                #expect(row[field.name]?.isEmpty == (field.text?.isEmpty ?? true), "\(name).\(field.name)")
            }
            #expect(row["conversation"] == event.conversation?.description && row["id"] == event.id?.rawValue)
        }
        #expect(Set(rows.compactMap { $0["type"] }) == Set(EventType.known.map(\.name)))
        let types = try await page.object("info")["types"] as? [String]
        #expect(Set(types ?? []) == Set(EventType.known.map(\.name)))
    }

    @Test("events come with the names of the conversations and users that they name by ids")
    func names() async throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        let team = try TeamStore(store)
        let page = try DebugPlace(store)
        let last = try #require(team.positions["other"])
        let answer = try await page.object("events", ["positions": "3-\(last)"])
        let names = try #require(answer["names"] as? [String: String])
        #expect(names["u-17"] == "Lin Wei" && names["u-18"] == "Ann")
        #expect(names[TeamStore.key.description] == "The team")
        let rows = answer.objects("events")
        let received = try #require(rows.first { $0["position"] as? UInt64 == team.positions["m2"] })
        let columns = try #require(received["columns"] as? [[String]])
        #expect(columns.contains(["sender", "u-17", "user"]))
        #expect(columns.contains(["conversation", TeamStore.key.description, "conversation"]))
        let edit = try #require(rows.first { $0["position"] as? UInt64 == team.positions["edit"] })
        #expect((edit["columns"] as? [[String]])?.contains(["message", "m20", "message"]) == true)
    }

    @Test("a host's event has the names that the log describes")
    func hosts() async throws {
        let place = try ToolPlace()
        try place.record([Event(LampSwitched(lamp: "hall", isOn: true))]) { $0.events = [LampSwitched.self] }
        let page = try DebugPlace(try MessageStore.openReadOnly(place.store, configuration: .ofTests))
        let row = try #require(try await columns(page, "1").first)
        #expect(row["type"] == "com.example.lamp-switched" && row["lamp"] == "hall" && row["isOn"] == "true")
        let types = try await page.object("info")["types"] as? [String]
        #expect(types?.contains("com.example.lamp-switched") == true)
        #expect(
            try await page.object("search", ["type": "com.example.lamp-switched"])["positions"] as? [Int] == [1])
    }

    @Test("messages are found by the words that they show, in the conversation and the range that are wanted")
    func words() async throws {
        let place = try ToolPlace()
        try place.record(
            each: ["你知道吗", "nothing", "我知道", "知道了"].enumerated().map { index, text in
                .received(
                    "m\(index)", from: "bob", in: .group(index == 3 ? "other" : "g"), at: Timestamp(milliseconds: 1),
                    content: .text(text))
            })
        let page = try DebugPlace(try MessageStore.openReadOnly(place.store, configuration: .ofTests))
        func found(_ query: [String: String]) async throws -> [Int]? {
            try await page.object("search", query)["positions"] as? [Int]
        }
        #expect(try await found(["words": "知道"]) == [1, 3, 4])
        #expect(try await found(["words": "知道", "conversation": "group:g"]) == [1, 3])
        #expect(try await found(["words": "知道", "from": "2", "to": "3"]) == [3])
        #expect(await page.final("search", ["words": "…"]).status == 400)
    }

    @Test("a damaged record is shown as such, and what comes before it as it was")
    func damage() async throws {
        let place = try ToolPlace()
        try place.record(each: (1...20).map { Event(ConversationPinned(), in: .group("g\($0)")) })
        try place.damage(10)
        let page = try DebugPlace(try MessageStore.openReadOnly(place.store, configuration: .ofTests))
        let rows = try #require(try await page.object("events", ["positions": "8-12"])["events"] as? [[String: Any]])
        #expect(rows.map { $0["position"] as? Int } == [8, 9, 10, 11, 12])
        #expect(rows.map { $0["damage"] is String } == [false, false, true, false, false])
        #expect(
            try await page.object("search", ["text": "pinned"])["positions"] as? [Int] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
                + Array(11...20))
        #expect(try await page.object("state", ["at": "9"])["position"] as? Int == 9)
        #expect(await page.final("state", ["at": "15"]).status == 500)
        #expect(try await page.object("info")["failure"] is String)
    }
}
