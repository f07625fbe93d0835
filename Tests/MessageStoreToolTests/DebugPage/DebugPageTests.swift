import Foundation
import MessageStore
import MessageStoreTestKit
import Testing

@Suite(
    "The debug page in a browser",
    .enabled(if: BrowserRun.isPossible, "the tool is not built, or there is no Chromium or Python"), .serialized,
    .timeLimit(.minutes(10)))
struct DebugPageTests {
    private let place: ToolPlace

    init() throws {
        place = try ToolPlace()
    }

    private func fill() throws {
        let store = try MessageStore.open(place.store, account: "me")
        try HostileStore.fill(store)
        try store.close()
    }

    @Test(
        "clicks and keys, on a log full of markup, scripts, bidi and control characters",
        arguments: ["stepping", "filtering", "jumping", "choosing", "explaining", "hostile", "colours"])
    func page(check: String) throws {
        try fill()
        let page = try ServedPage([place.store])
        try BrowserRun.expectNoProblems(check, page.address)
        #expect(page.interrupt() == 0)
    }

    @Test("100,000 events: at most 300 rows in the document, and no task over 50 ms while one scrolls")
    func longLog() throws {
        let store = try MessageStore.open(place.store, account: "me")
        for batch in 0..<100 {
            try store.record(
                (0..<1000).map { number in
                    let key = ConversationKey.group("g\(number % 40)")
                    return Event(ConversationMuted(batch.isMultiple(of: 2)), in: key)
                })
        }
        try store.close()
        let page = try ServedPage([place.store])
        try BrowserRun.expectNoProblems("scrolling", page.address)
        #expect(page.interrupt() == 0)
    }

    @Test("the page in a file shows the same at every position", arguments: [[], ["--no-text"], ["--anonymise"]])
    func file(options: [String]) throws {
        try fill()
        let file = place.logs.directory.appendingPathComponent("page.html")
        let run = try ToolRun(
            ["debug", place.store, "--html", file.path, "--from", "30", "--to", "150"] + options)
        #expect(run.exitCode == 0, "\(run.errors)")
        try BrowserRun.expectNoProblems("written", file.absoluteString)
    }
}
