import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("names in the tool", .tool, .timeLimit(.minutes(30)))
struct NameCommandTests {
    private static let linux = ConversationKey.group("56d636d4e610378809c488bc")
    private static let developers = ConversationKey.group("mozilla/#developers")
    private static let nadia: UserID = "54b3f45fdb8155e6700e9307"
    init() throws {
        let time = Timestamp(milliseconds: 1_794_800_000_001)
        try place.record([
            Event(ConversationCreated(ConversationFields(name: "linux"), members: ["me"]), in: Self.linux),
            Event(ConversationCreated(ConversationFields(name: "games"), members: ["me"]), in: .group("g1")),
            Event(ConversationCreated(ConversationFields(name: "games"), members: ["me"]), in: .group("g2")),
            .profilesFetched([
                Profile(id: Self.nadia, name: "Nadia Haddad"), Profile(id: "bob", name: "Sam"),
                Profile(id: "sam2", name: "Sam"),
            ]),
            .received("a", from: Self.nadia, in: Self.linux, at: time, content: .text("hello")),
            .received("b", from: "bob", in: Self.developers, at: time, content: .text("hi")),
        ])
    }

    @Test(
        "a conversation is found by its name, short id, what is printed and an id with #; a name of two is refused with both ids"
    )
    func conversations() throws {
        for name in [
            "linux", "56d6…88bc", "linux (56d6…88bc)", "56d636d4e610378809c488bc", "group:56d636d4e610378809c488bc",
        ] {
            let run = try place.run("messages", name).succeeded()
            #expect(run.output.contains("hello"), "\(name): \(run.errors)")
        }
        for name in ["mozilla/#developers", "group:mozilla/#developers", "group:mozilla/\\#developers"] {
            try place.run("why", "unread", name).succeeded()
            #expect(try place.run("log", "--conversation", name).lines.count == 1, "\(name)")
        }
        #expect(try place.run("watch", "exists(linux)").output.contains("true"))
        try place.run("messages", "games").ended(
            2, saying: "2 conversations are shown as games: group:g1, group:g2")
        try place.run("profile", "Sam").ended(2, saying: "2 users are shown as Sam: bob, sam2")
    }

    @Test("a user is found by name; a name of two and an id that nobody has are refused with those that are like it")
    func users() throws {
        #expect(try place.run("profile", "Nadia Haddad", "--json").object()["id"] as? String == Self.nadia.rawValue)
        try place.run("profile", "nobody", "--json").ended(2, saying: "the store has no user nobody")
        #expect(try place.run("why", "profile", "Nadia Haddad").output.contains("name               Nadia Haddad"))
        for command in [["why", "profile"], ["why", "member", "linux"], ["profile"], ["log", "--user"]] {
            let run = try place.run(command, ["nad"]).ended(2)
            #expect(
                run.errors.contains("the store has no user nad; like it: Nadia Haddad (54b3…9307)"), "\(run.errors)")
        }
        let several = try place.run("profile", "sa").errors
        #expect(several.contains("no user sa; like it: Sam (bob), Sam (sam2)"), "\(several)")
        for name in ["Nadia Haddad", "54b3…9307", Self.nadia.rawValue] {
            #expect(try place.run("log", "--user", name, "--fields", "position").lines == ["4", "5"], "\(name)")
        }
        try place.run("log", "--user", "Sam").ended(2, saying: "2 users are shown as Sam: bob, sam2")
    }

    @Test("why, watch, diff and the page name whose read marker it is; JSON has the ids alone")
    func markers() throws {
        let store = try MessageStore.open(place.store, account: "me", configuration: .ofTests)
        let now = try #require(store.events().last).recordedTime
        func time(_ hours: Int64) -> Timestamp { Timestamp(milliseconds: now.milliseconds + hours * 3_600_000) }
        let events: [Event] = [
            .readByPeer(.upTo(time(5)), by: Self.nadia, in: Self.linux, at: now),
            .queued(.text("mine"), in: Self.linux, clientToken: "t"),
            .sent(LocalMessageID(8), as: "s1", in: Self.linux, at: time(1)),
        ]
        for event in events { try store.record([event]) }
        let words = "by the read marker of 7: Nadia Haddad (54b3…9307) read up to "
        let notes = try EventNotes(store: store, session: store.replaySession()).lines(at: Position(9))
        #expect(notes.last?.contains(words) == true, "\(notes)")
        let why = DebugWhy(kind: .message, names: ["s1"], position: Position(9))
        #expect(try JSON.line(why.answer(in: store) {}).contains(words))
        try store.close()
        for command in [["why", "message", "s1"], ["watch", "status(s1) == read"], ["diff", "9"]] {
            let run = try place.run(command)
            #expect(run.output.contains(words), "\(command): \(run.output)\(run.errors)")
            let json = try place.run(command, ["--json"]).output
            #expect(!json.isEmpty && !json.contains("Nadia"), "\(command): \(json)")
        }
    }

    @Test("why shows the names of users that are facts; JSON has the ids alone")
    func facts() throws {
        try place.record([
            Event(MembersAdded(["bob"], kind: .invited, by: Self.nadia), in: Self.linux, origin: .live),
            .received(
                "n", from: Self.nadia, in: .single(Self.nadia.rawValue), at: Timestamp(milliseconds: 1_794_800_000_009),
                content: .text("x")),
        ])
        let member = try place.run("why", "member", "linux", "bob").lines
        #expect(
            member.contains { $0.contains("invited by") && $0.contains("  Nadia Haddad (54b3…9307)  by 7 ") },
            "\(member)")
        let single = try place.run("why", "conversation", "single:\(Self.nadia)").lines
        #expect(
            single.contains { $0.contains("peer") && $0.contains("  Nadia Haddad (54b3…9307)  by 8 ") }, "\(single)")
        let json = try place.run("why", "member", "linux", "bob", "--json").output
        #expect(json.contains(Self.nadia.rawValue) && !json.contains("…"), "\(json)")
    }

    @Test("log shows names with short ids and how late an event came; tsv and JSON have the ids and times alone")
    func log() throws {
        let lines = try place.run("log").lines
        #expect(lines[4].contains("  linux (56d6…88bc)  "), "\(lines[4])")
        #expect(lines[4].contains("sender=Nadia Haddad (54b3…9307)"))
        #expect(lines[4].contains(/sentTime=2026-11-16T03:33:20\.001Z \(\d.* (before|after) it was recorded\)/))
        #expect(lines[5].contains("  group:mozilla/#developers  "))
        let tsv = try place.run("log", "--format", "tsv", "--fields", "conversation,sender,sentTime").lines
        #expect(tsv[4] == "group:\(Self.linux.id)\t\(Self.nadia)\t2026-11-16T03:33:20.001Z")
        #expect(tsv[5].hasPrefix("group:mozilla/\\#developers"))
    }

    @Test("doctor shows names with short ids in places, notes and what is shared; JSON has the ids alone")
    func doctor() throws {
        let time = Timestamp(milliseconds: 1_794_800_000_001)
        let now = try place.write { try $0.events(limit: 1)[0].recordedTime }
        let ahead = Timestamp(milliseconds: now.milliseconds + 172_800_000)
        try place.record([
            .received("a2", from: Self.nadia, in: Self.linux, at: time, content: .text("hello")),
            .received("a", from: Self.nadia, in: .group("g1"), at: time, content: .text("hello")),
            .readByPeer(.upTo(ahead), by: Self.nadia, in: Self.linux, at: time),
            .readByPeer(.upTo(ahead), by: Self.nadia, in: Self.linux, at: time),
            Event(ProfilesFetched([Profile(id: Self.nadia, name: "Nadia")]), origin: .live),
            Event(ProfilesFetched([Profile(id: Self.nadia, name: "Nadia Haddad")]), origin: .live),
            Event(ConversationMuted(), in: .group("56D636D4E610378809C488BC")),
        ])
        let run = try place.run("doctor")
        for words in [
            "in linux (56d6…88bc), repeats 5", "in games (g1), a, also at 5 in linux (56d6…88bc)",
            "in linux (56d6…88bc), by Nadia Haddad (54b3…9307), 1 d 2",
            "by Nadia Haddad (54b3…9307), conversation linux (56d6…88bc)",
            "Nadia Haddad (54b3…9307): the name of 4 is back", "1 event; there is linux (56d6…88bc)",
        ] { #expect(run.output.contains(words), "\(words): \(run.output)") }
        let json = try place.run("doctor", "--json").output
        #expect(!json.contains("Nadia") && !json.contains("…") && json.contains("by \(Self.nadia), "))
        #expect(json.contains("also at 5 in \(Self.linux)"))
    }

    @Test("diff --with shows names of either store; JSON has the ids alone")
    func comparison() throws {
        let other = try ToolPlace()
        let key = ConversationKey.group("574b0ee9c43b8c6019753e1c")
        try other.record([Event(ConversationCreated(ConversationFields(name: "rust"), members: [Self.nadia]), in: key)])
        let lines = try place.run("diff", "--with", other.store).lines
        for line in [
            "conversation linux (56d6…88bc)", "conversation rust (574b…3e1c)", "message a in linux (56d6…88bc)",
            "member Nadia Haddad (54b3…9307) in rust (574b…3e1c)",
        ] { #expect(lines.contains(line), "\(line): \(lines)") }
        let sender = try ToolPlace()
        let time = Timestamp(milliseconds: 1_794_800_000_001)
        try sender.record([.received("a", from: "bob", in: Self.linux, at: time, content: .text("hello"))])
        let senders = try place.run("diff", "--with", sender.store).lines
        #expect(senders.contains("  sender: Nadia Haddad (54b3…9307) | Sam (bob)"), "\(senders)")
        let subjects = try place.run("diff", "--with", other.store, "--json").objects().compactMap {
            $0["subject"] as? String
        }
        #expect(subjects.contains("conversation \(key)") && subjects.contains("member \(Self.nadia) in \(key)"))
    }
}
