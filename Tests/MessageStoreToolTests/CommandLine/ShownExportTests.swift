import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore export of what is shown", .tool, .timeLimit(.minutes(30)))
struct ShownExportTests {
    /// A store of random events in a place of its own, and what it must show.
    static func random(seed: UInt64) throws -> (place: ToolPlace, model: StoreModel) {
        let (place, clock) = (try ToolPlace(), ManualTime())
        var (events, model) = (RandomEvents(seed: seed), StoreModel(account: RandomEvents.account))
        try place.write(account: RandomEvents.account, { $0.now = { clock.now } }) { store in
            while model.log.count < TestSize.of(plain: 300, full: 1_500) {
                let batch = events.nextBatch(after: model.lastPosition)
                try store.record(batch)
                model.record(batch, at: clock.now)
                clock.move(byMilliseconds: 700)
            }
        }
        return (place, model)
    }

    /// The conversations of the list in its order, and the others that show messages.
    static func conversations(_ model: StoreModel) -> (
        listed: [ConversationKey], others: Set<ConversationKey>
    ) {
        let listed = model.conversationList(archived: .included).map(\.key)
        let named = Set(model.log.compactMap(\.conversation)).subtracting(listed)
        return (listed, named.filter { !model.timeline(of: $0).isEmpty })
    }

    /// The conversations of JSON lines, in their order, each with its messages.
    private static func conversations(_ objects: [[String: Any]]) -> [(
        key: String, row: [String: Any], messages: [[String: Any]]
    )] {
        var conversations: [(key: String, row: [String: Any], messages: [[String: Any]])] = []
        for object in objects {
            let key = object["key"] as? String ?? ""
            switch object["line"] as? String {
            case "conversation": conversations.append((key, object, []))
            case "message":
                #expect(key == conversations.last?.key)
                if !conversations.isEmpty { conversations[conversations.count - 1].messages.append(object) }
            default: break
            }
        }
        return conversations
    }

    @Test(
        "--messages has each message that the events make shown, once, in its place",
        arguments: Seeds.first(3))
    func lines(seed: UInt64) throws {
        let (place, model) = try Self.random(seed: seed)
        let objects = try place.run("export", "--messages").succeeded().objects()
        let found = Self.conversations(objects)
        let (listed, others) = Self.conversations(model)
        #expect(found.prefix(listed.count).map(\.key) == listed.map(\.description))
        #expect(
            found.count == listed.count + others.count
                && Set(found.map(\.key)).isSuperset(of: others.map(\.description)))
        for (name, row, messages) in found {
            let key = try #require(ConversationKey(name))
            let timeline = model.timeline(of: key)
            #expect(
                messages.compactMap { $0["id"] as? Int } == timeline.map { Int($0.id.rawValue) },
                "seed \(seed): \(key)")
            #expect(row["unread"] as? Int == model.unread(of: key).messages, "seed \(seed): \(key)")
            for (object, message) in zip(messages, timeline) { try Self.compare(object, message, model) }
        }
        let count = found.reduce(0) { $0 + $1.messages.count }
        #expect(objects.first?["position"] as? Int == model.log.count)
        #expect(
            objects.last?["messages"] as? Int == count
                && objects.last?["conversations"] as? Int == found.count)
    }

    private static func compare(_ object: [String: Any], _ message: Message, _ model: StoreModel)
        throws
    {
        let isSame: [(String, Bool)] = [
            ("text", object["text"] as? String == message.text),
            ("sender", object["sender"] as? String == message.sender.rawValue),
            ("time", object["time"] as? Int == Int(message.time.milliseconds)),
            ("status", object["status"] as? String == message.status.description),
            ("recalled", object["recalled"] as? Bool == message.isRecalled),
            ("modified", object["modified"] as? Bool == message.isModified),
            ("read", object["read"] as? Bool == message.isRead),
            ("replyTo", object["replyTo"] as? String == message.context.replyTo?.rawValue),
            (
                "mentions",
                object["mentions"] as? [String] ?? [] == message.context.mentions.map(\.rawValue)
            ),
        ]
        let wrong = isSame.filter { !$0.1 }.map(\.0)
        #expect(wrong == [], "\(object)")
        let found = object.objects("reactions").map { row in
            let users = (row["users"] as? [String] ?? []).map { UserID($0) }
            return Reaction(key: row["key"] as? String ?? "", users: users, count: row["count"] as? Int)
        }
        let reactions = message.isRecalled ? [] : model.reactions(to: .local(message.id), in: message.conversation)
        #expect(found == reactions, "\(object)")
    }

    @Test(
        "--messages has all that `messages --json` prints of a message; --conversation, --to and --gzip choose"
    )
    func choices() throws {
        let (place, model) = try Self.random(seed: 1)
        let key = try #require(Self.conversations(model).listed.first { $0.kind == .group })
        let one = try place.run("export", "--messages", "--conversation", key.description).succeeded()
            .objects()
        #expect(
            one.map { $0["line"] as? String ?? "" }.filter { $0 != "message" } == [
                "store", "conversation", "end",
            ])
        let messages = one.filter { $0["line"] as? String == "message" }
        let printed = try place.run("messages", key.description, "--all", "--json").objects()
        #expect(!printed.isEmpty && printed.count == messages.count)
        for (object, less) in zip(messages, printed) {
            let isSame = less.allSatisfy { "\(object[$0.key] ?? "none")" == "\($0.value)" }
            #expect(isSame, "\(object) \(less)")
        }
        let past = StoreModel(model, upTo: 100)
        let then = Self.conversations(
            try place.run("export", "--messages", "--to", "100").succeeded().objects())
        #expect(
            then.count == Self.conversations(past).listed.count + Self.conversations(past).others.count)
        for (name, _, messages) in then {
            let expected = past.timeline(of: try #require(ConversationKey(name))).map {
                Int($0.id.rawValue)
            }
            #expect(messages.compactMap { $0["id"] as? Int } == expected, "\(name)")
        }
        let file = place.store + ".gz"
        try ToolRun.shell("\"$0\" export \"$1\" --messages --gzip > \"$2\"", [place.store, file])
            .succeeded()
        let plain = try ToolRun.shell("gzip -dc \"$1\"", [file]).output
        #expect(try plain == place.run("export", "--messages").output)
    }

    @Test(
        "I11, I16, I22: words that are recalled, deleted, cleared, edited, erased or redacted is in no form, nor is it with --no-text"
    )
    func gone() throws {
        let key = ConversationKey.group("g")
        func time(_ number: Int) -> Timestamp {
            Timestamp(milliseconds: 1_700_000_000_000 + Int64(number))
        }
        func received(_ number: Int, _ text: String, in key: ConversationKey = key) -> Event {
            .received(
                ServerMessageID("m\(number)"), from: "bob", in: key, at: time(number), content: .text(text))
        }
        let events =
            (1...7).map { received($0, "secret\($0)") } + [
                received(8, "visible"),
                .historyCleared(upTo: MessageOrder(time: time(2), id: "m2"), in: key),
                .recalled(.server("m3"), in: key, origin: .live), .deleted([.server("m4")], in: key),
                .modified(.server("m5"), content: .text("changed"), in: key, at: time(9), origin: .live),
                .deleted([.server("m6")], in: key, erases: true),
                received(10, "secret10", in: .group("other")),
                .conversationDeleted(.group("other"), alsoMessages: true),
            ]
        try place.write { store in
            try store.record(events)
            try store.redact(Position(7))
        }
        for form in Self.forms {
            let text = try Self.export(form, place)
            #expect(!text.contains("secret"), "\(form)")
            #expect(text.contains("visible") && text.contains("changed"), "\(form)")
        }
        if Self.forms.contains("--sqlite") {
            let text = try Self.export("--sqlite", place, ["--no-text"])
            #expect(!text.contains("visible") && !text.contains("changed") && text.contains("bob"))
        }
        // A record that is damaged ends each form, and nothing is left.
        try place.damage(8)
        let before = try place.names()
        for form in Self.forms.dropFirst() {
            try place.run("export", form, place.store + "-damaged").ended(3, output: "")
        }
        try place.run("export", "--messages").ended(3)
        #expect(try place.names() == before)
    }

    #if SQLite
    static let forms = ["--messages", "--html", "--sqlite"]
    #else
    static let forms = ["--messages", "--html"]

    @Test("without the trait SQLite the error names it")
    func withoutTrait() throws {
        try place.importLines([logLine("a", id: "a")])
        try place.run("export", "--sqlite", place.store + "-x").ended(
            2, output: "", saying: "--traits Tool,SQLite")
    }
    #endif

    /// All that an export writes, as one text.
    static func export(_ form: String, _ place: ToolPlace, _ options: [String] = []) throws -> String {
        guard form != "--messages" else { return try place.run(["export", form]).succeeded().output }
        let path = place.store + "-\(UUID().uuidString)"
        try place.run(["export", form, path] + options).succeeded()
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: path))?.map { path + "/" + $0 } ?? [
                path
            ]
        return try names.map {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: $0)), as: UTF8.self)
        }
        .joined()
    }

    @Test(
        "I20: nothing is overwritten, an empty directory can be used, and files are for their owner alone"
    )
    func places() throws {
        try place.importLines([logLine("a", id: "a")])
        let taken = try place.makeDirectory("taken")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: taken + "/file"))
        for form in Self.forms.dropFirst() {
            for path in [taken, taken + "/file"] {
                try place.run("export", form, path).ended(2, output: "", saying: "already")
            }
        }
        #expect(try place.names(in: "taken") == ["file"])
        for form in Self.forms.dropFirst() {
            try place.run("export", form, place.store + "/views/x").ended(2, output: "", saying: "is refused")
            try place.run("export", form, taken + "/none/x").ended(2, output: "", saying: "no directory")
            try place.run("export", form, "").ended(2, output: "", saying: "is empty")
        }
        let path = try place.makeDirectory("empty")
        try place.run("export", "--html", path + "/").succeeded()
        #expect(try place.names(in: "empty") == ["0001-c-1.html", "index.html"])
        for (name, expected) in [("", 0o700), ("/index.html", 0o600), ("/0001-c-1.html", 0o600)] {
            let mode =
                try FileManager.default.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int
            #expect(mode == expected, "\(name)")
        }
    }
}
