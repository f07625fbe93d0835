import Foundation
import MessageStore
import MessageStoreMatrix
import Testing

@testable import MessageStoreTool

@Suite("Matrix: packages, files and lines")
struct MatrixImportTests {
    private let three = [
        response("b1", join: room(state: [member("$1", "@me:here", "join")], timeline: [text("$2")], limited: true)),
        response("b2", join: room(timeline: [text("$3")], unread: (2, 0))),
        response("b3", join: room(timeline: [text("$4")], ephemeral: [receipt("$4", "@me:here")])),
    ]

    @Test("I6, D6, D9: the responses of all files are one offline sync, a package and a cursor each")
    func packages() throws {
        let place = try MatrixPlace()
        let paths = [
            try place.logs.file((three[0] + "\n\n" + three[1]).utf8, name: "a"),
            try place.logs.file([] as [UInt8], name: "b"),
            try place.logs.file(try gzip(#"{"name":"X","sync":\#(three[2])}"#.utf8), name: "c"),
        ]
        let summary = try place.importing(files: paths)
        let bodies = try place.bodies()
        #expect(bodies.first is OfflineSyncStarted)
        #expect(bodies.last is OfflineSyncCompleted)
        #expect(
            try place.bodies(.offlinePackageReceived).map { body in
                guard let package = body as? OfflinePackageReceived else { return nil }
                return package.hasMore ? Int(package.index) : -1
            } == [0, 1, -1] as [Int?], "the last one has none after it")
        #expect(try place.store.read { try $0.syncCursor("matrix") } == Array("b3".utf8))
        #expect(summary.records == 3 && summary.messages == 3 && summary.conversations == 1)
        #expect(summary.events == bodies.count)
    }

    @Test("I4: importing again adds nothing but another sync, and changes no view of messages")
    func again() throws {
        let place = try MatrixPlace()
        let path = try place.logs.file(three.joined(separator: "\n").utf8)
        try place.importing(files: [path])
        let conversation = try place.conversation()
        let second = try place.importing(files: [path])
        #expect(second.messages == 0)
        #expect(second.events == 2 + 3 * 2, "the start, the end, and of each package the cursor and its account")
        #expect(try place.conversation() == conversation)
        #expect(try place.store.verify().differences.isEmpty)
    }

    @Test("a file may hold one response on many lines")
    func document() throws {
        let place = try MatrixPlace()
        let value = try JSONSerialization.jsonObject(with: Data(three[0].utf8))
        let pretty = try JSONSerialization.data(withJSONObject: value, options: [.prettyPrinted])
        #expect(pretty.prefix(2) == Data("{\n".utf8))
        #expect(try place.importing(files: [place.logs.file(pretty)]).messages == 1)
        let error = #expect(throws: ChatLogError.self) {
            try place.importing(files: [place.logs.file(pretty.dropLast(3))])
        }
        #expect(error?.code == .invalidJSON && error?.line == 1)
    }

    static let badLines: [(line: TestLine, code: ChatLogError.Code)] = [
        ("not json", .invalidJSON), ("[]", .invalidJSON), ("{", .invalidJSON), ("{}", .missingField),
        (#"{"next_batch":7}"#, .wrongFieldType), (#"{"sync":[]}"#, .wrongFieldType),
        (#"{"next_batch":"b","rooms":[]}"#, .wrongFieldType), (#"{"next_batch":"\ud800"}"#, .invalidJSON),
        (#"{"next_batch":"b","x":1e999}"#, .invalidJSON),
        (TestLine(#"{"next_batch":"b","x":"# + String(repeating: "[", count: 100_000)), .invalidJSON),
    ]

    @Test("a bad line stops the import with file and line; what comes before is recorded", arguments: badLines)
    func badLine(line: TestLine, code: ChatLogError.Code) throws {
        let place = try MatrixPlace()
        let error = #expect(throws: ChatLogError.self) { try place.importing(three[0], line.text, three[1]) }
        #expect(error?.code == code && error?.line == 2)
        #expect(try place.message("$2") != nil && place.message("$3") == nil)
        #expect(try place.store.read { try $0.syncProgress() }.isSyncing, "the sync did not come to its end")
    }

    @Test("events without what they need are counted")
    func incomplete() throws {
        let place = try MatrixPlace()
        let long = String(repeating: "i", count: 300)
        let broken = [
            "7", "{}", #"{"type":"m.room.message","event_id":"$9","sender":"@a","content":{"msgtype":"m.text"}}"#,
            event("m.room.message", "$1", "{}"), event("m.reaction", "$2", "{}"), event("m.room.redaction", "$3", "{}"),
            event("m.room.member", "$4", "{}", stateKey: "@ann:here"),
            event("m.room.member", "$5", "[]", stateKey: "@a"),
        ]
        let refused = [text("$" + long), text("$6", at: -1), text("$7", at: 253_402_300_800_000), text("$8", by: "")]
        let summary = try place.importing(
            response(join: room(state: [event("m.room.name", "$n", "{}")], timeline: broken + refused + [text("$ok")])))
        #expect(summary.skipped == ["field missing": broken.count + 1, "not allowed in a store": refused.count])
        #expect(summary.messages == 1)
    }

    @Test("no value of another type traps, and what becomes of it can be recorded")
    func mutations() throws {
        let relation = #","m.relates_to":{"rel_type":"m.replace","event_id":"$1","m.in_reply_to":{"event_id":"$1"}}"#
        let full = response(
            join: room(
                state: [event("m.room.power_levels", "$p", #"{"users":{"@a":1},"users_default":2}"#, stateKey: "")],
                timeline: [
                    text("$1", content: #","m.mentions":{"user_ids":["@me:here"],"room":true}"#),
                    text("$2", content: relation + #","m.new_content":{"msgtype":"m.text"}"#),
                    event(
                        "m.reaction", "$3", #"{"m.relates_to":{"rel_type":"m.annotation","event_id":"$1","key":"k"}}"#),
                    event("m.room.redaction", "$4", "{}", extra: #","redacts":"$1""#),
                    member("$5", "@ann:here", "join", content: #","displayname":"A""#),
                ], limited: true, accountData: [#"{"type":"m.tag","content":{"tags":{"u":{}}}}"#],
                ephemeral: [receipt("$1", "@me:here")], unread: (3, 1)),
            invite: invitation(
                "!i:here", #"{"type":"m.room.name","state_key":"","sender":"@a","content":{"name":"N"}}"#),
            accountData: [#"{"type":"m.direct","content":{"@ann:here":["!r:here"]}}"#])
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(full.utf8))
        let place = try MatrixPlace()
        let strange: [JSONValue] = [
            .null, .bool(true), .integer(.min), .integer(.max), .number(1e300), .string(""), .array([.null]),
            .object([:]),
            .object(["": .null]),
        ]
        var rules = MatrixRules(place.store, keys: .byKind)
        var packages: [MatrixPackage] = []
        let mutants = strange.flatMap { value.mutants($0) }
        for index in stride(from: 0, to: mutants.count, by: TestSize.of(plain: 5, full: 1)) {
            let line = mutants[index].bytes
            guard let sync = try? MatrixSync.read(line[...]).content else { continue }
            packages.append(try rules.package(of: sync.body, nextBatch: sync.nextBatch, origin: .offline))
        }
        #expect(packages.count > TestSize.of(plain: 100, full: 500))
        try place.store.record(packages.flatMap(\.events))
        #expect(try place.store.verify().differences.isEmpty)
    }
}

extension JSONValue {
    /// The value with each of its parts, one after the other, replaced.
    fileprivate func mutants(_ other: JSONValue) -> [JSONValue] {
        let inner: [JSONValue] =
            switch self {
            case .object(let members):
                members.flatMap { name, value in
                    value.mutants(other).map { .object(members.merging([name: $0]) { $1 }) }
                }
            case .array(let values):
                values.indices.flatMap { index in
                    values[index].mutants(other).map { mutant in
                        var copy = values
                        copy[index] = mutant
                        return JSONValue.array(copy)
                    }
                }
            default: []
            }
        return inner + [other]
    }
}
