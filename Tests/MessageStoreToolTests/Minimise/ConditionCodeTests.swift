import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("Conditions as Swift", .timeLimit(.minutes(5)))
struct ConditionCodeTests {
    private static let start: Int64 = 1_700_000_000_000
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: start + seconds * 1000) }
    private static let team = ConversationKey.group("team")

    /// Each part is true of the log, so that the whole is false, as the opposite that the test expects is true.
    private static let parts = [
        "badge == 2", "unread(team) == 2", "shown(team) >= 2", "unread(team) <= shown(team)", "unread(team) != 7",
        "readUpTo(team) < activity(team)", "readUpTo(team) >= 2023-11-14T22:13:21Z",
        "not readUpTo(bob) > readUpTo(team)",
        "readUpTo(bob) == none", "activity(team) > 2023-11-14", "status(team, m1) == received",
        "status(local:9) == sending", "status(team, m4) == recalled", "status(team, m5) == none",
        "text(team, m2) == 'Hi \"there\" \\\\'",
        "text(team, m5) == none", "modified(team, m2)", "not modified(team, m1)", "member(team, ann)",
        "name(ann) == 'Ann'", "name(bob) == none", "exists(team)", "exists(team, m1)", "not exists(team, m5)",
        "rows(profiles) > 0", "pinned(team)", "muted(bob)", "not mentionsOnly(team)", "not archived(team)",
        "listed(team)",
        "not deletedFromList(team)", "not outOfDate(team)", "(badge > 5 or unread(team) == badge)",
        "rows(profiles) < 9",
    ]

    private static func events() -> [Event] {
        func message(_ number: Int64, _ text: String = "Hello") -> Event {
            .received("m\(number)", from: "ann", in: team, at: time(number), content: .text(text))
        }
        return [
            .conversationCreated(ConversationFields(name: "Team"), members: ["me", "ann"], in: team, origin: .offline),
            .profilesFetched([Profile(id: "ann", name: "Ann")]), message(1), message(2), message(3), message(4),
            message(5),
            .read(upTo: MessageOrder(time: time(1), id: "m1"), in: team),
            Event(MessageSendQueued(content: .text("Mine"), clientToken: "t"), in: team),
            Event(
                MessageModified(.server("m2"), content: .text("Hi \"there\" \\"), at: time(8), by: "ann"), in: team,
                origin: .live),
            Event(MessageRecalled(.server("m4"), by: "ann"), in: team, origin: .live),
            Event(MessagesDeleted([.server("m5")]), in: team), Event(ConversationPinned(true, at: time(9)), in: team),
            .received("b1", from: "bob", in: .single("bob"), at: time(10), content: .text("Hey")),
            Event(ConversationMuted(at: time(11)), in: .single("bob")),
        ]
    }

    @Test("the test that is written for a log has each term, compiles and passes")
    func everyTerm() throws {
        let condition = "not (\(Self.parts.joined(separator: " and ")))"
        #expect(ConditionFunction.all.filter { !condition.contains($0.name) }.map(\.name).isEmpty)
        let place = try ToolPlace()
        try place.record(Self.events(), from: Self.time(20), every: 1_000)
        let store = try MessageStore.openReadOnly(place.store, configuration: .ofTests)
        for part in Self.parts {
            let read = try Condition(part, in: store)
            let holds = try store.read { try read.holds(read.values($0)) }
            #expect(holds, "\(part)")
        }
        let log = try ReducedLog(of: store, through: store.lastPosition())
        let read = try Condition(condition, in: store)
        let kept = ReducedLog.Kept(all: log.events.count)
        let names = try Minimisation.names(of: log.events, read, store.account)
        let copy = try log.copy(kept, of: store, read, names)
        defer { copy.copy.remove() }
        let holds = try copy.holds()
        #expect(!holds)
        let written = try MinimisedTest(copy: copy, configuration: MessageStore.Configuration()).text()
        // This file is compiled, and its test runs.
        let file = DebuggingGuide.root.appendingPathComponent("Tests/MessageStoreToolTests/Minimise/MinimisedLog.swift")
        let committed = try String(contentsOf: file, encoding: .utf8)
        #expect(written == committed, "a new form of it is this:\n\(written)")
        try store.close()
    }
}
