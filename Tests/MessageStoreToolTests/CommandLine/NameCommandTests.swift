import MessageStore
import MessageStoreTestKit
import Testing

@Suite(
    "names in the tool", .enabled(if: ToolRun.executable != nil, "the tool is not built"), .timeLimit(.minutes(30)))
struct NameCommandTests {
    private static let linux = ConversationKey.group("56d636d4e610378809c488bc")
    private static let developers = ConversationKey.group("mozilla/#developers")
    private static let nadia: UserID = "54b3f45fdb8155e6700e9307"
    private let place: ToolPlace

    init() throws {
        place = try ToolPlace()
        let store = try MessageStore.open(place.store, account: "me")
        let time = Timestamp(milliseconds: 1_794_800_000_001)
        try store.record([
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
        try store.close()
    }

    @Test(
        "a conversation is found by its name, by its short id, by what is printed, and by an id with # without escapes")
    func conversations() throws {
        for name in [
            "linux", "56d6…88bc", "linux (56d6…88bc)", "56d636d4e610378809c488bc", "group:56d636d4e610378809c488bc",
        ] {
            let run = try place.run("messages", name)
            #expect(run.exitCode == 0 && run.output.contains("hello"), "\(name): \(run.errors)")
        }
        for name in ["mozilla/#developers", "group:mozilla/#developers", "group:mozilla/\\#developers"] {
            #expect(try place.run("why", "unread", name).exitCode == 0, "\(name)")
            #expect(try place.run("log", "--conversation", name).lines.count == 1, "\(name)")
        }
        #expect(try place.run("watch", "exists(linux)").output.contains("true"))
    }

    @Test("a name of two is refused with the ids of both, also of users")
    func ambiguous() throws {
        let run = try place.run("messages", "games")
        #expect(run.exitCode == 2)
        #expect(run.errors.contains("2 conversations are shown as games: group:g1, group:g2"), "\(run.errors)")
        let user = try place.run("profile", "Sam")
        #expect(user.exitCode == 2 && user.errors.contains("2 users are shown as Sam: bob, sam2"), "\(user.errors)")
    }

    @Test("a user is found by name, and an id that nobody has stays one")
    func users() throws {
        #expect(try place.run("profile", "Nadia Haddad", "--json").object()["id"] as? String == Self.nadia.rawValue)
        #expect(try place.run("profile", "nobody", "--json").object()["id"] as? String == "nobody")
        #expect(try place.run("why", "profile", "Nadia Haddad").output.contains("name               Nadia Haddad"))
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
}
