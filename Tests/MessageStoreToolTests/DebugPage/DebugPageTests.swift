import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite(
    "The debug page in a browser", .tool, .enabled(if: BrowserRun.isPossible, "there is no Chromium or Python"),
    .serialized, .timeLimit(.minutes(30)))
struct DebugPageTests {
    @Test("clicks and keys, on a log full of markup, scripts, bidi and control characters")
    func page() throws {
        try place.write { try HostileStore.fill($0) }
        let page = try ServedPage([place.store])
        let checks = ["stepping", "filtering", "jumping", "choosing", "explaining", "sizes", "hostile", "colours"]
        try BrowserRun.expectNoProblems(checks.map { ($0, page.address) })
        #expect(page.interrupt() == 0)
    }

    @Test(
        "names for ids, times, marks and holes between messages, line breaks, hits, and why what an event names is so")
    func looking() throws {
        let team = try place.write { try TeamStore($0) }
        let page = try ServedPage([place.store])
        let steps = try String(decoding: JSONEncoder().encode(team.positions), as: UTF8.self)
        try BrowserRun.expectNoProblems(("looking", page.address + "#" + Data(steps.utf8).base64EncodedString()))
        #expect(page.interrupt() == 0)
    }

    @Test("a changed message that is none of the newest is shown in the middle of its neighbours, served and in a file")
    func around() throws {
        let long = try place.write { try LongStore($0) }
        let steps = "#" + Data(try JSONEncoder().encode(long.positions)).base64EncodedString()
        let page = try ServedPage([place.store])
        let file = place.logs.directory.appendingPathComponent("page.html")
        try place.run("debug", "--html", file.path).succeeded()
        try BrowserRun.expectNoProblems(("around", page.address + steps), ("around", file.absoluteString + steps))
        #expect(page.interrupt() == 0)
    }

    @Test(
        "a long log: at most 300 rows in the document, no task over 50 ms while one scrolls, and a search that is cancelled"
    )
    func longLog() throws {
        try place.recordMutes()
        let page = try ServedPage([place.store])
        try BrowserRun.expectNoProblems(("scrolling", page.address))
        #expect(page.interrupt() == 0)
    }
}
