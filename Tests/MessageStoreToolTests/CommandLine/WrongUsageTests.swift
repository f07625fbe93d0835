import MessageStore
import Testing

/// Commands that are refused as wrong usage, whatever else their tests check.
@Suite("messagestore: wrong usage", .tool, .timeLimit(.minutes(30)))
struct WrongUsageTests {
    /// STORE is a store of five events: four messages of the conversation `team`, and a count of the server's.
    static let commands = [
        "nonsense", "import", "log", "demo --events 0", "verify STORE --no-such-option", "rows STORE none",
        "rebuild STORE --projection Nothing", "doctor STORE -n 0", "doctor STORE --other",
        "conversations STORE --limit 0", "conversations STORE --limit 1001", "conversations STORE --after nobody",
        "conversations STORE --at 7", "conversations STORE --at -7", "conversations STORE --at 2023-02-30",
        "conversations STORE --at yesterday", "conversations STORE --at 2023-11-14T25:00",
        "conversations STORE --at ''",
        "messages STORE none", "messages STORE team --limit 1001", "messages STORE team --before none",
        "messages STORE team --all --before m1", "messages STORE team --around m2 --all",
        "messages STORE team --around m2 --after m1",
        "log STORE --from 0", "log STORE --type Nothing", "log STORE --type com.example.other", "log STORE -n 0",
        "log STORE --conversation none", "log STORE --message nothing", "log STORE --message 5",
        "log STORE --message 999", "log STORE --user nobody", "log STORE --since soon", "log STORE --until 2023-13-01",
        "log STORE --origin here", "log STORE --follow --to 3", "log STORE --follow --until 2030-01-01",
        "log STORE --fields position,nothing", "log STORE --fields ''", "log STORE --format xml",
        "log STORE --where upTo", "log STORE --where 'editr == bob'", "log STORE --where '> 3'",
        "log STORE --where 'upTo >'", "log STORE --tally nothing", "log STORE --tally type -n 3",
        "diff STORE", "diff STORE 0", "diff STORE 9", "diff STORE 2 1", "diff STORE 1 2 3", "diff STORE x",
        "diff STORE 1 --limit 0", "diff STORE 1 --with STORE",
        "replay STORE --to 6", "replay STORE --to -7", "replay STORE --to 9223372036854775807",
        "replay STORE --to -9223372036854775808", "replay STORE --limit 0", "replay STORE --without x",
        "replay STORE --without 0", "replay STORE --without 5-3", "replay STORE --without 1,",
        "replay STORE --without 3-x", "replay STORE --set all.counts", "replay STORE --set all.counts=maybe",
        "replay STORE --set other=no", "replay STORE --set kind.x.counts=no", "replay STORE --set filter.apply=yes",
        "replay STORE --set .counts=no",
        "why STORE unread", "why STORE unread nobody", "why STORE message nothing", "why STORE badge bob",
        "why STORE member bob", "why STORE other", "why STORE badge -n 0", "why STORE badge --at 99",
        "watch STORE", "watch STORE 'badge > 0' 'badge > 1'", "watch STORE 'badge > 0' -- true",
        "watch STORE 'badge > 0' --first --last", "watch STORE 'badge > 0' --events -1",
        "watch STORE 'badge > 0' --from 0", "watch STORE 'badge > 0' --to 99",
        "watch STORE 'badge > 0' --from 5 --to 3",
        "watch STORE 'badge > 0' --from yesterday", "watch STORE 'unread(nobody) > 0'",
        "minimise STORE", "minimise STORE 'unread(nobody) > 0'", "minimise STORE 'badge > 0' new --because 0",
        "minimise STORE 'badge > 0' new --because 99", "minimise STORE 'badge < 0'",
        "minimise STORE 'badge > 0' new --to 99",
        "minimise STORE 'badge > 0' new --time-limit 0", "minimise STORE 'badge >' new",
        "minimise STORE 'badge > 0' /nowhere/new",
        "suspects STORE", "suspects STORE 'badge > 0'", "suspects STORE 'unread(nobody)'",
        "suspects STORE badge --expected x",
        "suspects STORE badge --expected 9", "suspects STORE badge -n 0", "suspects STORE badge --to 99",
        "suspects STORE badge --since soon", "suspects STORE 'badge and true'",
        "debug STORE --from 1", "debug STORE --no-text", "debug STORE --anonymise", "debug STORE --port 70000",
        "debug STORE --html x.html --port 80", "debug STORE --html /nowhere/x.html",
        "debug STORE --html x.html --to 999",
        "debug STORE --html x.html --from 0", "debug STORE --html x.html --from 4 --to 2",
        "export STORE --from 0", "export STORE --from 6", "export STORE --to 6", "export STORE --from soon",
        "export STORE --shift-times", "export STORE --messages --html x", "export STORE --html x --sqlite y",
        "export STORE --conversation team", "export STORE --messages --from 2", "export STORE --messages --anonymise",
        "export STORE --messages --no-text", "export STORE --html x --gzip", "export STORE --messages --to 9",
        "export STORE --messages --conversation nobody", "export STORE --html STORE", "export STORE --sqlite STORE",
        "import STORE-new a", "import STORE-new a b --format events",
        "import STORE-new a --format events --skip-bad-lines", "import STORE-new a --format matrix-sync",
        "import STORE-new a --format xmpp --account @me:here",
    ]

    @Test("exit code 2, and words on standard error alone")
    func refused() throws {
        func time(_ number: Int64) -> Timestamp { Timestamp(milliseconds: number) }
        let messages = (1...4 as ClosedRange<Int64>).map { number in
            Event.received(
                ServerMessageID("m\(number)"), from: "bob", in: .group("team"), at: time(number),
                content: .text("words"))
        }
        let report = UnreadCountReported(9, upTo: MessageOrder(time: time(4), id: "m4"), at: time(5))
        try place.record(messages + [Event(report, in: .group("team"), origin: .live)])
        let runs = try Self.commands.map { command in
            (command, try ToolRun(command.replacing("STORE", with: place.store).shellWords))
        }
        #expect(runs.filter { !$0.1.isWrongUsage }.map { "\($0): \($1.exitCode) \($1.output)\($1.errors)" } == [])
    }
}
