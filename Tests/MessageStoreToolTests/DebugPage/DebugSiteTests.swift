import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

/// A store's page without a network.
struct DebugPlace {
    let store: MessageStore
    let site: DebugSite
    static let token = "0123456789abcdef0123456789abcdef"

    init(_ store: MessageStore, port: UInt16 = 8080) throws {
        self.store = store
        site = DebugSite(session: try DebugSession(store), token: Self.token, port: port)
    }

    func answer(
        _ name: String, _ parameters: [String: String] = [:], method: String = "GET", host: String? = "127.0.0.1:8080",
        token: String = Self.token
    ) async -> DebugAnswer {
        await site.answer(
            DebugRequest(method: method, host: host, path: [token, name], parameters: parameters))
    }

    /// An answer, asked for again when the log is folded.
    func final(_ name: String, _ parameters: [String: String]) async -> DebugAnswer {
        var answer = await self.answer(name, parameters)
        while answer.status == 202 {
            await site.session.settle()
            answer = await self.answer(name, parameters)
        }
        return answer
    }

    /// An answer's JSON.
    func object(_ name: String, _ parameters: [String: String] = [:]) async throws -> [String: Any] {
        let answer = await final(name, parameters)
        try #require(answer.status == 200, "\(name) \(parameters): \(String(decoding: answer.body, as: UTF8.self))")
        return try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
    }
}

@Suite("The debug page's answers", .timeLimit(.minutes(30)))
struct DebugSiteTests {
    private let place: TemporaryStore
    private let store: MessageStore
    private let page: DebugPlace
    private let last: UInt64

    init() throws {
        place = try TemporaryStore()
        store = try place.open(account: RandomEvents.account)
        var events = RandomEvents(seed: 11)
        while try store.lastPosition().rawValue < 300 {
            try store.record(events.nextBatch(after: store.lastPosition()))
            place.time.move(byMilliseconds: 1000)
        }
        last = try store.lastPosition().rawValue
        page = try DebugPlace(store)
    }

    @Test("other names, methods and tokens are refused, and the token is not told")
    func refusals() async throws {
        let token = DebugPlace.token
        func request(_ path: [String], host: String? = "127.0.0.1:8080", method: String = "GET") -> DebugRequest {
            DebugRequest(method: method, host: host, path: path, parameters: [:])
        }
        let hosts = ["evil.example", "127.0.0.1", "127.0.0.1:81", "127.0.0.1:8080.evil.example", "", nil]
        let wrongTokens = ["", "0", token + "0", String(token.reversed()), "..", "%00"]
        let paths = [[], [token], [token, "", ""], [token, "..", "etc"], [token, "nothing"]]
        let expected: [(status: Int, requests: [DebugRequest])] = [
            (200, ["127.0.0.1:8080", "LOCALHOST:8080"].map { request([token, ""], host: $0) }),
            (403, hosts.map { request([token, "info"], host: $0) }),
            (405, ["POST", "HEAD", "PUT", "OPTIONS", "DELETE"].map { request([token, "info"], method: $0) }),
            (404, wrongTokens.map { request([$0, "info"]) } + paths.map { request($0) }),
        ]
        for (status, requests) in expected {
            for request in requests {
                let answer = await page.site.answer(request)
                #expect(answer.status == status, "\(request)")
                #expect(status != 404 || !String(decoding: answer.body, as: UTF8.self).contains(token))
            }
        }
        #expect(Set((0..<100).map { _ in DebugSite.makeToken() }).count == 100)
        #expect(DebugSite.makeToken().utf8.count == 32)
    }

    @Test(
        "at port 80 the host has no port, as browsers leave it out",
        arguments: ["127.0.0.1", "localhost", "LocalHost:80"])
    func commonPort(host: String) async throws {
        let page = try DebugPlace(store, port: 80)
        #expect(await page.answer("info", host: host).status == 200)
        for other in ["evil.example", "localhost:8080", "127.0.0.1:", "evil.example:80"] {
            #expect(await page.answer("info", host: other).status == 403, "\(other)")
        }
    }

    private static let badQuestions: [(name: String, parameters: [String: String])] = [
        ("events", [:]), ("events", ["positions": "x"]), ("events", ["positions": "0"]),
        ("events", ["positions": "5-1"]),
        ("events", ["positions": "1-18446744073709551615"]), ("events", ["positions": "1-100,200-400"]),
        ("events", ["positions": "1-2-3"]), ("events", ["positions": "-5"]),
        ("state", [:]), ("state", ["at": "-1"]), ("state", ["at": "18446744073709551615"]),
        ("state", ["at": "99999999999999999999999"]), ("state", ["at": "1", "conversation": "x"]),
        ("state", ["at": "1", "skip": "-1"]), ("state", ["at": "1", "before": "x"]),
        ("changes", ["from": "1"]), ("changes", ["from": "2", "to": "1"]),
        ("changes", ["from": "1", "to": "1000000"]),
        ("chart", ["from": "1"]), ("chart", ["of": "x", "from": "1", "to": "2"]),
        ("chart", ["of": "unread", "from": "1", "to": "2"]), ("chart", ["from": "1", "to": "2", "step": "0"]),
        ("search", ["type": "Nothing"]), ("search", ["conversation": "nobody"]), ("search", ["from": "x"]),
        ("position", [:]), ("position", ["moment": "soon"]), ("position", ["moment": "999999"]),
        ("why", [:]), ("why", ["kind": "x", "at": "1"]), ("why", ["kind": "badge"]),
    ]

    @Test("parameters that are missing or make no sense, and a message that is not there, are an error with words")
    func badParameters() async throws {
        for (name, parameters) in Self.badQuestions {
            let answer = await page.final(name, parameters)
            #expect(answer.status == 400, "\(name) \(parameters)")
            let object = try JSONSerialization.jsonObject(with: answer.body) as? [String: String]
            #expect(object?["error"]?.isEmpty == false, "\(name) \(parameters)")
        }
        var missing = await page.answer("search", ["message": "nobody's"])
        while missing.status == 200 {
            await page.site.session.settle()
            missing = await page.answer("search", ["message": "nobody's"])
        }
        #expect(missing.status == 400)
    }

    @Test("a state is what a replay up to the position shows, and marks what the position before did not show so")
    func states() async throws {
        for position in stride(from: UInt64(1), through: last, by: TestSize.of(plain: 29, full: 7)).reversed() {
            let event = try #require(await store.events(from: Position(position), limit: 1).first)
            var parameters = ["at": String(position), "follow": "1", "newest": "1"]
            parameters["conversation"] = RandomEvents.conversations[0].description
            let state = try await page.object("state", parameters)
            let key = event.event.conversation ?? RandomEvents.conversations[0]
            let now = try Self.shown(store, position, key)
            let before = try Self.shown(store, position - 1, key)
            #expect(state.object("timeline")["conversation"] as? String == key.description)
            let found = try Self.rows(state)
            #expect(found.map(\.name) == now.map(\.name), "position \(position)")
            for (row, expected) in zip(found, now) {
                #expect(row.text == expected.text, "position \(position), \(row.name)")
                let earlier = before.first { $0.name == row.name } ?? Self.single(store, position - 1, row.name)
                #expect(row.isChanged == (earlier?.text != expected.text), "position \(position), \(row.name)")
            }
        }
    }

    private struct Row {
        let name: String
        let text: String
        var isChanged = false
    }

    /// What the commands print of a position of the past.
    private static func shown(_ store: MessageStore, _ position: UInt64, _ key: ConversationKey) throws -> [Row] {
        try store.replay(to: Position(position)) { views throws in
            var rows = [Row(name: "totals", text: try JSON.line(Unread.output(views)))]
            for conversation in try views.conversations(archived: .included, limit: 60).elements {
                rows.append(
                    Row(name: "c \(conversation.key)", text: try JSON.line(ConversationOutput(conversation))))
            }
            rows.append(Row(name: "unread", text: try JSON.line(UnreadOutput(views.unread(of: key)))))
            for message in try views.timeline(of: key, limit: 60).elements {
                rows.append(Row(name: "m \(message.id)", text: try JSON.line(MessageOutput(message, views))))
            }
            return rows
        }
    }

    /// A row that the lists do not show, though it may be there.
    private static func single(_ store: MessageStore, _ position: UInt64, _ name: String) -> Row? {
        let id = name.dropFirst(2)
        return try? store.replay(to: Position(position)) { views throws in
            if name.hasPrefix("c "), let key = ConversationKey(String(id)) {
                return try views.conversation(key).map {
                    Row(name: name, text: try JSON.line(ConversationOutput($0)))
                }
            }
            guard let number = UInt64(id), number <= position else { return nil }
            return try views.message(LocalMessageID(number)).map {
                Row(name: name, text: try JSON.line(MessageOutput($0, views)))
            }
        }
    }

    /// The rows of an answer, each without its mark.
    private static func rows(_ state: [String: Any]) throws -> [Row] {
        let timeline = state.object("timeline")
        let conversations = state.objects("conversations")
        let messages = timeline.objects("messages")
        let named =
            [("totals", state.object("totals"))]
            + conversations.map { row in
                let channel = (row["channel"] as? String).map { "#\($0)" } ?? ""
                return ("c \(row["kind"] ?? ""):\(row["conversation"] ?? "")\(channel)", row)
            } + [("unread", timeline.object("unread"))]
            + messages.map { ("m \($0["id"] ?? "")", $0) }
        return try named.map { name, row in
            var row = row
            let isChanged = row.removeValue(forKey: "changed") as? Bool ?? false
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
            let data = try JSONSerialization.data(withJSONObject: row, options: options)
            return Row(name: name, text: String(decoding: data, as: UTF8.self).terminalSafeJSON, isChanged: isChanged)
        }
    }

    @Test("a timeline has others' read marks, those that the event moved, and where messages may be missing")
    func marks() async throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        let team = try TeamStore(store)
        let page = try DebugPlace(store)
        func timeline(_ step: String) async throws -> [String: Any] {
            let position = try #require(team.positions[step])
            return try await page.object("state", ["at": "\(position)", "conversation": TeamStore.key.description])
                .object("timeline")
        }
        func readers(_ timeline: [String: Any]) -> [[String]] {
            timeline.object("marks").objects("readers").map { reader in
                [reader["user"] as? String ?? "", reader["name"] as? String ?? "", "\(reader["upTo"] ?? "")"]
            }
        }
        let ann = ["u-18", "Ann", "\(TeamStore.time(2).milliseconds)"]
        let before = try await timeline("hole")
        #expect(before.object("marks")["gaps"] as? [Int] == [])
        #expect(readers(before).isEmpty && before["moved"] as? [String] == [])
        let first = try await timeline("ann")
        #expect(readers(first) == [ann] && first["moved"] as? [String] == ["u-18"])
        let fourth = Int(try #require(team.positions["m4"]))
        #expect(first.object("marks")["gaps"] as? [Int] == [fourth])
        let second = try await timeline("lin")
        #expect(readers(second).map { $0[0] } == ["u-17", "u-18"] && second["moved"] as? [String] == ["u-17"])
        #expect(try await timeline("edit")["moved"] as? [String] == [])
    }

    @Test("a mark of a reader whom the server does not name is told without a name")
    func unnamedReader() async throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        let team = try TeamStore(store)
        let later = MessageReadByPeer(.upTo(TeamStore.time(2)), at: TeamStore.time(80))
        try await store.record([
            .queued(.text("x"), in: TeamStore.others), Event(later, in: TeamStore.others, origin: .live),
        ])
        let page = try DebugPlace(store)
        let last = try #require(team.positions["other"]) + 2
        let state = try await page.object("state", ["at": "\(last)", "follow": "1"])
        let timeline = state.object("timeline")
        let readers = timeline.object("marks").objects("readers")
        #expect(readers.count == 1 && readers[0]["user"] == nil)
        #expect(readers[0]["upTo"] as? Int64 == TeamStore.time(2).milliseconds)
        #expect((timeline["moved"] as? [Any])?.first is NSNull)
    }

    @Test("what changed is what `diff` tells, for one event and between two positions")
    func changes() async throws {
        let session = try store.replaySession()
        for position in stride(from: UInt64(2), through: last, by: 31) {
            let changes = try await page.object("state", ["at": String(position)]).object("changes")
            let (own, count) = try session.changes(from: Position(position - 1), to: Position(position), limit: 60)
            let rows = changes.objects("changes")
            #expect(changes["count"] as? Int == count)
            // A part that was not there before does not make the row a new one.
            #expect(rows.map { $0["isNew"] as? Bool ?? false } == own.map { $0.first == nil }, "\(position)")
            #expect(rows.map { $0["isGone"] as? Bool ?? false } == own.map { $0.second == nil }, "\(position)")
            let between = try await page.object("changes", ["from": String(position / 2), "to": String(position)])
            let expected = try session.changes(from: Position(position / 2), to: Position(position), limit: 60)
            #expect(between["count"] as? Int == expected.count)
            let tables = between.objects("changes").map { $0["table"] as? String }
            #expect(tables == expected.changes.map(\.table))
        }
    }

    @Test("a search finds what a look at every event finds", arguments: ["", "a", "MessageReceived", "42"])
    func search(text: String) async throws {
        let conversation = RandomEvents.conversations[1]
        let hosts = HostEvents([])
        var search = EventSearch()
        search.text = text.isEmpty ? nil : SoughtText(text)
        let expected = try await store.events(where: EventFilter(conversation: conversation), limit: .max)
            .filter { search.matches($0, hosts) }.map { Int($0.position.rawValue) }
        var found: [Int] = []
        var from: Int? = 1
        while let first = from {
            let part = try await page.object(
                "search", ["text": text, "conversation": conversation.description, "from": String(first)])
            found += part["positions"] as? [Int] ?? []
            from = part["next"] as? Int
        }
        #expect(found == expected)
        #expect(!found.isEmpty || text == "42")
    }

    @Test("a chart has the numbers that a replay has")
    func chart() async throws {
        let key = RandomEvents.conversations[0]
        let positions = Array(Set(stride(from: 5, to: Int(last), by: 13)).union([Int(last)])).sorted()
        let totals = try positions.map { position in
            try store.replay(to: Position(UInt64(position))) { views throws in
                (try views.unreadTotals(), try views.unread(of: key).messages)
            }
        }
        for (counter, expected) in [
            ("badge", totals.map(\.0.badge)), ("total", totals.map(\.0.messages)),
            ("mentions", totals.map(\.0.mentions)),
            ("conversations", totals.map(\.0.conversations)), ("unread", totals.map(\.1)),
        ] {
            var points: [[Int]] = []
            var from: Int? = 5
            while let first = from {
                let parameters = ["of": counter, "conversation": key.description, "to": "\(last)", "step": "13"]
                let part = try await page.object("chart", parameters.merging(["from": "\(first)"]) { $1 })
                points += part["points"] as? [[Int]] ?? []
                from = part["next"] as? Int
            }
            let expectedPoints = zip(positions, expected).map { [$0, $1] }
            #expect(points == expectedPoints, "\(counter)")
        }
    }

    @Test("why is what the command explains")
    func why() async throws {
        let store = store
        let explanation = try Explanation(.badge, in: store, at: Position(200), limit: 20, names: Names(store)) {
            _, _ in
        }
        let found = try await page.object("why", ["kind": "badge", "at": "200"])
        #expect(found["rule"] as? [String] == explanation.rule)
        let steps = found.objects("steps").map { $0.object("event")["position"] as? Int }
        #expect(steps == explanation.steps.map { Int($0.event.position.rawValue) } && !steps.isEmpty)
    }

    @Test("the events that decide a value are those of suspects, for every kind of value")
    func suspects() async throws {
        let store = try TemporaryStore()
        let messages = try store.open(account: "me")
        let team = ConversationKey.group("my \"team\"")
        try await messages.record([
            Event(ConversationCreated(ConversationFields(name: "T"), members: ["me", "bob"]), in: team),
            .received("a", from: "bob", in: team, at: Timestamp(milliseconds: 5), content: .text("secret")),
            .profilesFetched([Profile(id: "bob", name: "Bob")]),
            Event(MembersRemoved(["bob"], kind: .kicked), in: team),
        ])
        let page = try DebugPlace(messages)
        for (kind, name, user, event, without) in [
            ("badge", nil, nil, 2, "0"), ("unread", team.description, nil, 2, "0"), ("message", "a", nil, 2, "none"),
            ("conversation", team.description, nil, 2, "none"), ("profile", "bob", nil, 3, "none"),
            ("member", team.description, "bob", 4, "1"),
        ] as [(String, String?, String?, Int, String)] {
            let parameters = ["kind": kind, "name": name, "user": user, "at": "4"].compactMapValues(\.self)
            let found = try await page.object("suspects", parameters)
            let suspects = found.objects("suspects")
            #expect(suspects.contains { $0.object("event")["position"] as? Int == event }, "\(kind): \(found)")
            let first = try #require(suspects.first { $0.object("event")["position"] as? Int == event })
            #expect("\(first["without"] ?? "")".replacing("<null>", with: "none") == without)
        }
        #expect(await page.final("suspects", ["kind": "badge"]).status == 400)
        #expect(await page.final("suspects", ["kind": "unread", "name": "nobody", "at": "4"]).status == 400)
    }

    @Test("an event that changed a message beyond the newest 60 shows it among its neighbours, served and in a file")
    func around() async throws {
        let place = try TemporaryStore()
        let store = try place.open(account: "me")
        let long = try LongStore(store)
        let page = try DebugPlace(store)
        let report = try DebugReport(of: store, from: Position(1), to: store.lastPosition()) { _, _ in }
        let data = try JSONSerialization.jsonObject(with: Data(embeddedData(of: report.page()).utf8)) as? [String: Any]
        let steps = try #require(data?["steps"] as? [[String: Any]])
        func ids(_ rows: [[String: Any]]) -> [String?] { rows.map { $0["serverID"] as? String } }
        func changed(_ rows: [[String: Any]]) -> [String?] { ids(rows.filter { $0["changed"] as? Bool == true }) }
        for (name, expected) in LongStore.expected {
            let position = try #require(long.positions[name])
            let timeline = try await page.object("state", ["at": "\(position)", "follow": "1"]).object("timeline")
            let rows = timeline.objects("messages")
            #expect(changed(rows) == [expected], "\(name): \(ids(rows))")
            let hasNewer = timeline["hasNewer"] as? Bool
            let step = steps[Int(position)]["around"] as? [String: Any]
            guard name != "newest" else {
                #expect(ids(rows) == (141...200).map { "m\($0)" } && hasNewer == false && step == nil)
                continue
            }
            let older = LongStore.older(than: expected)
            #expect(ids(rows).firstIndex(of: expected) == min(30, older), "\(name): \(ids(rows))")
            #expect(rows.count >= 60 && hasNewer == true && (timeline["moved"] as? [Any])?.isEmpty == true)
            let written = try #require(step).objects("messages")
            #expect(ids(written).firstIndex(of: expected) == min(15, older) && changed(written) == [expected])
            let newest = try await page.object("state", ["at": "\(position)", "follow": "1", "newest": "1"])
            let latest = newest.object("timeline").objects("messages")
            #expect(ids(latest).last == "m200" && changed(latest) == [])
        }
    }
}
