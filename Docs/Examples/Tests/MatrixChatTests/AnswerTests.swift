import MessageStore
import Testing

@testable import MatrixChat
@testable import MatrixClient

/// Answers of servers that are broken, hostile or of another clock; these tests need no server.
@Suite("Answers of servers", .timeLimit(.minutes(1)))
struct AnswerTests {
    static let account: UserID = "@alice:test"
    static let room = ConversationKey.id("!r:test")

    func client(_ answers: [String: String], in place: Place) async throws -> MatrixClient {
        try await client(try ScriptedServer.server(answers), in: place)
    }

    func client(_ server: MatrixServer, in place: Place) async throws -> MatrixClient {
        let opened = try await MatrixClient.openStore(of: Self.account, in: try place.create())
        return MatrixClient(server, opened, timelineLimit: 10)
    }

    static func message(_ id: String, at time: Int64, _ content: String = #"{"msgtype":"m.text","body":"x"}"#)
        -> String
    {
        #"{"type":"m.room.message","event_id":"\#(id)","sender":"@bob:test","origin_server_ts":\#(time),"content":\#(content)}"#
    }

    static func sync(_ events: String..., others: String = "") -> String {
        let timeline = events.joined(separator: ",")
        return #"{"next_batch":"s1","rooms":{"join":{"!r:test":{"timeline":{"events":[\#(timeline)]}\#(others)}}}}"#
    }

    @Test(
        "an answer of another form is an error, and nothing is recorded",
        arguments: [
            "", "null", "[]", "<html>", "{}", #"{"next_batch":1}"#, #"{"next_batch":null,"rooms":{}}"#,
            String(repeating: #"{"a":"#, count: 200) + "1" + String(repeating: "}", count: 200),
        ])
    func noAnswer(answer: String) async throws {
        let place = Place()
        let client = try await client(["sync": answer], in: place)
        await #expect(throws: MatrixError.self) { try await client.sync() }
        #expect(try client.store.lastPosition() == .origin)
        try await client.store.close()
    }

    @Test("members of wrong types and values that no store allows cost nothing but themselves")
    func wrongValues() async throws {
        let long = String(repeating: "x", count: 300)
        let odd = [
            "1", "{}", Self.message("", at: 5), Self.message(long, at: 5), Self.message("$n", at: -5),
            Self.message("$f", at: .max), Self.message("$seconds", at: 1_700_000_000),
            Self.message("$type", at: 6, #"{"msgtype":"\#(long)","body":{}}"#),
            Self.message("$mention", at: 7, #"{"msgtype":"m.text","m.mentions":{"user_ids":[1,"","\#(long)"]}}"#),
            #"{"type":"m.reaction","event_id":"$r","sender":"@bob:test","origin_server_ts":8,"content":{"m.relates_to":"#
                + #"{"rel_type":"m.annotation","event_id":"$m","key":"\#(long)"}}}"#,
            #"{"type":"m.reaction","event_id":"$q","sender":"@bob:test","origin_server_ts":8,"content":{"m.relates_to":"#
                + #"{"rel_type":"m.annotation","event_id":"\#(long)","key":"x"}}}"#,
            #"{"type":"m.room.member","state_key":"\#(long)","event_id":"$s","sender":"@bob:test","origin_server_ts":8,"#
                + #""content":{"membership":"join"}}"#,
        ]
        let place = Place()
        let others =
            #","unread_notifications":{"notification_count":-3,"highlight_count":9223372036854775807},"state":[1]"#
        let events = (odd + [Self.message("$m", at: 9)]).joined(separator: ",")
        let client = try await client(["sync": Self.sync(events, others: others)], in: place)
        try await client.sync()
        let ids = try await client.store.read {
            try $0.timeline(of: Self.room).elements.compactMap(\.serverID?.rawValue)
        }
        #expect(ids == ["$type", "$mention", "$m", "$seconds"])
        #expect(await client.skippedEvents >= 8)
        #expect(try await client.store.read { try $0.syncCursor("matrix") } == Array("s1".utf8))
        #expect(try await client.store.verify().isConsistent)
        try await client.store.close()
    }

    @Test("history keeps messages whose sender's clock was ahead, and fails where the server never moves on")
    func history() async throws {
        let place = Place()
        let chunk = [Self.message("$late", at: 9_000_000), Self.message("$old", at: 1_000_000)].joined(separator: ",")
        let sync = Self.sync(Self.message("$m", at: 5_000_000))
            .replacing(#""timeline":{"#, with: #""timeline":{"limited":true,"#)
        let answers = [
            "sync": sync, "context": #"{"start":"t1","end":"t2"}"#, "messages": #"{"chunk":[\#(chunk)]}"#,
        ]
        let client = try await client(answers, in: place)
        try await client.sync()
        let first = try #require(try await client.history(of: Self.room).elements.first)
        _ = try await client.history(of: Self.room, before: first)
        let ids = try await client.store.read {
            try $0.timeline(of: Self.room).elements.compactMap(\.serverID?.rawValue)
        }
        #expect(ids == ["$old", "$m", "$late"])
        try await client.store.close()

        let other = Place()
        let endless = try await self.client(
            ["sync": sync, "context": #"{"start":"t1"}"#, "messages": #"{"chunk":[],"end":"t1"}"#], in: other)
        try await endless.sync()
        let message = try #require(try await endless.store.read { try $0.timeline(of: Self.room).elements.first })
        await #expect(throws: StoreError.self) { try await endless.history(of: Self.room, before: message) }
        try await endless.store.close()
    }

    @Test("nothing that others write controls the terminal")
    func printable() {
        #expect(Terminal.printable("a\u{1B}[2J\u{9B}1m\u{7F}\u{0}\r\u{202E}b\nc\u{2066}晚上") == "a[2J1mb↵c晚上")
    }
}
