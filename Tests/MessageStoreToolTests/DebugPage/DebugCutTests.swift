import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("The debug page of a cut log", .timeLimit(.minutes(30)))
struct DebugCutTests {
    /// A store of which records were cut off, and its base.
    private static func makeCut(in place: TemporaryStore) throws -> (store: MessageStore, base: UInt64) {
        let store = try place.open()
        let events = (1...10).map { number in
            Event.received(
                ServerMessageID("m\(number)"), from: "bob", in: .group("c"), at: Timestamp(milliseconds: number),
                content: .text("words"))
        }
        try store.record(events.dropLast())
        let base = try #require(try store.record(Event(HistoryCleared(erases: true), in: .group("c"))).position)
        try store.record(events.suffix(1))
        #expect(try store.compact().cutEvents == 8)
        return (store, base.rawValue)
    }

    @Test("of a log of which records were cut off, the page begins after the last event that erased them")
    func cut() async throws {
        let place = try TemporaryStore()
        let (store, base) = try Self.makeCut(in: place)
        let page = try DebugPlace(store)
        #expect(try await page.object("info")["first"] as? UInt64 == base + 1)
        for position in [base, base + 1] {
            let state = try await page.object("state", ["at": "\(position)"])
            #expect(state["position"] as? UInt64 == position)
        }
        #expect(await page.final("state", ["at": "3"]).status == 400)
        try await store.close()
    }
}
