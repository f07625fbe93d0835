import MessageStore
import Testing

@testable import MatrixChat
@testable import MatrixClient

extension AnswerTests {
    private static func response(_ next: String, _ events: String..., others: String = "") -> String {
        Self.sync(events.joined(separator: ","), others: others).replacing("s1", with: next)
    }

    private static func event(_ type: String, _ id: String, at time: Int64, _ content: String, others: String = "")
        -> String
    {
        message(id, at: time, content + others).replacing("m.room.message", with: type)
    }

    private static func edit(_ id: String, of target: String, to text: String, at time: Int64) -> String {
        let relation = #""m.relates_to":{"rel_type":"m.replace","event_id":"\#(target)"}"#
        return message(
            id, at: time,
            #"{"msgtype":"m.text","body":"* x","m.new_content":{"msgtype":"m.text","body":"\#(text)"},\#(relation)}"#)
    }

    private static func redaction(_ id: String, of target: String, at time: Int64, content: String = "{}") -> String {
        event("m.room.redaction", id, at: time, content, others: #","redacts":"\#(target)""#)
    }

    private func count(_ type: EventType, in client: MatrixClient) throws -> Int {
        var count = 0
        try client.store.forEachEvent(where: EventFilter(types: [type])) { _ in
            count += 1
            return true
        }
        return count
    }

    @Test("a response without events is not asked for again, and its place comes with the next events")
    func emptyResponse() async throws {
        let place = Place()
        let server = try ScriptedServer.server([
            "sync": Self.sync(Self.message("$a", at: 5)), "since=s1": #"{"next_batch":"s2"}"#,
            "since=s2": #"{"next_batch":"s3"}"#, "since=s3": Self.response("s4", Self.message("$b", at: 6)),
        ])
        let client = try await client(server, in: place)
        for _ in 0..<3 { try await client.sync() }
        #expect(try await client.store.read { try $0.syncCursor("matrix") } == Array("s1".utf8))
        try await client.sync()
        #expect(try await client.store.read { try $0.syncCursor("matrix") } == Array("s4".utf8))
        #expect(ScriptedServer.calls(of: server, with: "since=").count == 3)
        try await client.store.close()
    }

    @Test("values that are nested too deep are left out, and the rest is kept", arguments: [100, 5000])
    func deepValues(levels: Int) async throws {
        let deep = String(repeating: #"{"a":["]\"{",1,"#, count: levels) + String(repeating: "]}", count: levels)
        let place = Place()
        let client = try await client(
            [
                "sync": Self.sync(
                    Self.message("$a", at: 5, #"{"msgtype":"m.text","body":"}\\\"","deep":\#(deep)}"#),
                    Self.message("$b", at: 6))
            ], in: place)
        try await client.sync()
        #expect(try await client.texts(of: Self.room) == [#"}\""#, "x"])
        try await client.store.close()
    }

    @Test("half a character costs a text nothing but itself, and an id its own event")
    func halvesOfCharacters() async throws {
        let place = Place()
        let half = #"\ud83d"#
        let client = try await client(
            [
                "sync": Self.sync(
                    Self.message("$a", at: 5, #"{"msgtype":"m.text","body":"cut \#(half)"}"#),
                    Self.message("$b" + half, at: 6), Self.message("$c", at: 7))
            ], in: place)
        try await client.sync()
        #expect(try await client.texts(of: Self.room) == ["cut \u{FFFD}", "x"])
        #expect(await client.skippedEvents == 1)
        try await client.store.close()
    }

    @Test("a reaction is taken back before the response with it came, and stays so")
    func reactionTakenBack() async throws {
        let place = Place()
        let relation = #"{"m.relates_to":{"rel_type":"m.annotation","event_id":"$a","key":"👍"}}"#
        let echo = Self.event("m.reaction", "$r", at: 4_000_000_000_000, relation)
            .replacing("@bob:test", with: Self.account.rawValue)
        let server = try ScriptedServer.server([
            "sync": Self.sync(Self.message("$a", at: 5)), "since=s1": Self.response("s2", echo),
            "send/m.reaction": #"{"event_id":"$r"}"#, "redact": #"{"event_id":"$x"}"#,
        ])
        let client = try await client(server, in: place)
        try await client.sync()
        let message = try await client.message("$a", in: Self.room)
        for _ in 0..<2 { try await client.react("👍", to: message) }
        try await client.sendWaiting()
        #expect(ScriptedServer.calls(of: server, with: "redact/%24r/").count == 1)
        try await client.sync()
        let (reactions, changes) = try await client.store.read { views in
            (try views.reactions(to: .server("$a"), in: Self.room), try views.pendingChanges())
        }
        #expect(reactions.isEmpty && changes.isEmpty)
        try await client.store.close()
    }

    @Test(
        "look-ups of receipts never stop a response: they are few, the own one first, and end where the server is busy",
        arguments: [("none", 30), ("500", 1), ("429", 1), ("200", 30), (#"{"event_id":"$other"}"#, 30)])
    func lookUps(answer: String, calls: Int) async throws {
        let place = Place()
        let receipts = (0..<40).map { #""$e\#($0)":{"m.read":{"@carol:test":{"ts":\#(100 + $0)}}}"# }
        let own = #""$own":{"m.read":{"\#(Self.account)":{"ts":1}}}"#
        let content = (receipts + [own]).joined(separator: ",")
        let others = #","ephemeral":{"events":[{"type":"m.receipt","content":{\#(content)}}]}"#
        let other = answer.hasPrefix("{") ? Self.message("$other", at: 9) : answer
        var answers = ["sync": Self.sync(Self.message("$a", at: 5), others: others)]
        if answer != "none" { answers["/event/"] = other }
        let server = try ScriptedServer.server(answers)
        let client = try await client(server, in: place)
        try await client.sync()
        #expect(try await client.texts(of: Self.room) == ["x"])
        #expect(try await client.store.read { try $0.unread(of: Self.room).readUpTo } == nil)
        let asked = ScriptedServer.calls(of: server, with: "/event/")
        #expect(asked.count == calls && asked.first?.hasSuffix("%24own") == true)
        try await client.store.close()
    }

    @Test("an id of the server that no store allows is no answer", arguments: ["", String(repeating: "x", count: 300)])
    func sentID(id: String) async throws {
        let place = Place()
        let client = try await client(
            ["sync": Self.sync(Self.message("$a", at: 5)), "send": #"{"event_id":"\#(id)"}"#], in: place)
        try await client.sync()
        try await client.send("text", to: Self.room)
        await #expect(throws: MatrixError.invalidAnswer(field: "event_id")) { try await client.sendWaiting() }
        #expect(try await client.store.read { try $0.outbox().count } == 1)
        try await client.store.close()
    }

    @Test("a message that a proxy calls too large fails, and the next one is sent")
    func tooLarge() async throws {
        let place = Place()
        let server = try ScriptedServer.server(["sync": Self.sync(Self.message("$a", at: 5)), "send": "413"])
        let client = try await client(server, in: place)
        try await client.sync()
        for text in ["long", "short"] { try await client.send(text, to: Self.room) }
        try await client.sendWaiting()
        #expect(ScriptedServer.calls(of: server, with: "send/m.room.message").count == 2)
        #expect(try await client.store.read { try $0.outbox().allSatisfy { $0.status == .failed } })
        try await client.store.close()
    }

    @Test("taking back a reaction that the server refused waits for nothing")
    func refusedReaction() async throws {
        let place = Place()
        let client = try await client(["sync": Self.sync(Self.message("$a", at: 5)), "m.reaction": "413"], in: place)
        try await client.sync()
        let message = try await client.message("$a", in: Self.room)
        for _ in 0..<2 { try await client.react("k", to: message) }
        for _ in 0..<2 { try await client.sendWaiting() }
        #expect(try await client.store.read { try $0.pendingChanges().isEmpty })
        try await client.store.close()
    }

    @Test("what a redaction is about is its own field first, and may come after it")
    func redactions() async throws {
        let place = Place()
        let redaction = Self.redaction("$x", of: "$a", at: 7, content: #"{"redacts":"$b"}"#)
        let response = Self.sync(
            Self.message("$a", at: 5), Self.message("$b", at: 6), redaction, Self.redaction("$y", of: "$old", at: 8)
        ).replacing(#""timeline":{"#, with: #""timeline":{"limited":true,"#)
        let client = try await client(
            [
                "sync": response, "context": #"{"start":"t1","end":"t2"}"#,
                "messages": #"{"chunk":[\#(Self.message("$old", at: 4))]}"#,
            ], in: place)
        try await client.sync()
        _ = try await client.history(of: Self.room, before: try await client.message("$a", in: Self.room))
        for (id, isRecalled) in [("$a", true), ("$b", false), ("$old", true)] {
            #expect(try await client.message(id, in: Self.room).isRecalled == isRecalled)
        }
        try await client.store.close()
    }

    @Test("redacted edits, in any order, leave the last version that was not redacted")
    func redactedEdits() async throws {
        let place = Place()
        let client = try await client(
            [
                "sync": Self.sync(
                    Self.message("$a", at: 5), Self.edit("$1", of: "$a", to: "one", at: 6),
                    Self.edit("$2", of: "$a", to: "two", at: 7)),
                "since=s1": Self.response("s2", Self.redaction("$r1", of: "$1", at: 8)),
                "since=s2": Self.response("s3", Self.redaction("$r2", of: "$2", at: 9)),
                "since=s3": Self.response(
                    "s4", Self.edit("$3", of: "$a", to: "three", at: 10), Self.edit("$4", of: "$a", to: "four", at: 11)
                ),
                "since=s4": Self.response(
                    "s5", Self.redaction("$r4", of: "$4", at: 12), Self.redaction("$r3", of: "$3", at: 13)),
            ], in: place)
        for text in ["two", "two", "x", "four", "x"] {
            try await client.sync()
            #expect(try await client.texts(of: Self.room) == [text])
        }
        #expect(try await client.store.verify().isConsistent)
        try await client.store.close()
    }

    @Test("an unban is no second removal, and account data names no room that is not there")
    func unban() async throws {
        let place = Place()
        func member(_ id: String, _ membership: String, before: String, at time: Int64) -> String {
            Self.event(
                "m.room.member", id, at: time, #"{"membership":"\#(membership)"}"#,
                others: #","state_key":"@carol:test","unsigned":{"prev_content":{"membership":"\#(before)"}}"#)
        }
        let long = String(repeating: "x", count: 300)
        let direct = #"{"type":"m.direct","content":{"@bob:test":["!r:test","!gone:test","\#(long)"]}}"#
        let response = Self.sync(
            Self.message("$a", at: 5), member("$1", "ban", before: "join", at: 6),
            member("$2", "leave", before: "ban", at: 7))
        let client = try await client(
            ["sync": #"{"account_data":{"events":[\#(direct)]},"# + response.dropFirst()], in: place)
        try await client.sync()
        #expect(try count(.membersRemoved, in: client) == 1)
        #expect(try count(.memberBlocked, in: client) == 2)
        let rooms = try await client.store.read { try $0.conversations(archived: .included, limit: 10).elements }
        #expect(rooms.map(\.key) == [Self.room] && rooms.first?.kind == .single)
        #expect(await client.skippedEvents == 0)
        try await client.store.close()
    }

    @Test("an answer that is no page of history closes no gap", arguments: ["{}", #"{"chunk":[],"end":1}"#])
    func noHistory(answer: String) async throws {
        let place = Place()
        let sync = Self.sync(Self.message("$a", at: 5)).replacing(
            #""timeline":{"#, with: #""timeline":{"limited":true,"#)
        let client = try await client(
            ["sync": sync, "context": #"{"start":"t1","end":"t2"}"#, "messages": answer], in: place)
        try await client.sync()
        let message = try await client.message("$a", in: Self.room)
        await #expect(throws: StoreError.self) { try await client.history(of: Self.room, before: message) }
        let page = try await client.store.read { try $0.timeline(of: Self.room) }
        #expect(page.hasGapBefore && !page.reachesBeginning)
        try await client.store.close()
    }

    @Test("messages of a page whose sender's clock is ahead do not count as older ones")
    func lateMessages() async throws {
        let place = Place()
        let late = (0..<25).map { Self.message("$late\($0)", at: 9_000_000 + Int64($0)) }.joined(separator: ",")
        let server = try ScriptedServer.server([
            "sync": Self.sync(Self.message("$a", at: 5_000_000))
                .replacing(#""timeline":{"#, with: #""timeline":{"limited":true,"#),
            "context": #"{"start":"t1","end":"t2"}"#, "messages": #"{"chunk":[\#(late)],"end":"t3"}"#,
            "&from=t3&limit=": #"{"chunk":[\#(Self.message("$old", at: 4_000_000))]}"#,
        ])
        let client = try await client(server, in: place)
        try await client.sync()
        let message = try await client.message("$a", in: Self.room)
        let page = try await client.history(of: Self.room, before: message)
        #expect(page.elements.map(\.serverID) == ["$old"] && page.reachesBeginning)
        #expect(try await client.texts(of: Self.room).count == 27)
        try await client.store.close()
    }

    @Test("an open room shows all messages that come at once; numbers that name none are harmless")
    func manyAtOnce() async throws {
        let place = Place()
        let many = (0..<70).map { Self.message("$m\($0)", at: 10 + Int64($0)) }.joined(separator: ",")
        let client = try await client(
            ["sync": Self.sync(Self.message("$a", at: 5)), "since=s1": Self.response("s2", many)], in: place)
        try await client.sync()
        let screen = RoomScreen(client, Self.room)
        let following = Task { await screen.follow() }
        while await screen.message(1) == nil { try await Task.sleep(for: .milliseconds(10)) }
        try await client.sync()
        while await screen.message(71) == nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(await screen.message(2)?.serverID == "$m0")
        for number in [Int.min, -1, 0, 72, .max] { #expect(await screen.message(number) == nil) }
        following.cancel()
        try await client.store.close()
    }
}
