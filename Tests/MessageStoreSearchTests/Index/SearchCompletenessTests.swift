import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreSearch

@Suite("Search: whether an answer is complete", .timeLimit(.minutes(30)))
struct SearchCompletenessTests {
    /// How many events a search reads itself.
    private static let scan = 200

    /// A store with more events than that, of which the index has so many.
    private static func store(_ place: TemporaryStore, indexed: Int) throws -> MessageStore {
        let store = try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            configuration.clock = ManualClock()
        }
        for number in 0..<indexed { try store.record(message("early\(number)", number)) }
        if indexed > 0 {
            try catchUp(store)
            try store.record(
                Event(
                    MessageModified(
                        .local(LocalMessageID(2)), content: .text("changed"), at: Timestamp(milliseconds: 1_000_000)),
                    in: SearchStore.chat))
        }
        for start in stride(from: 0, to: 300, by: 50) {
            try store.record((0..<50).map { message(start == 0 && $0 == 0 ? "hidden" : "late", start + $0 + 1_000) })
        }
        return store
    }

    private static func message(_ text: String, _ number: Int) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: "bob", in: SearchStore.chat,
            at: Timestamp(milliseconds: Int64(number)),
            content: .text(text))
    }

    @Test("an answer that lacks what is neither indexed nor read is not complete", arguments: [0, 10])
    func incomplete(indexed: Int) throws {
        let place = try TemporaryStore()
        let store = try Self.store(place, indexed: indexed)
        for word in ["hidden", "changed", "nothing"] {
            let page = try store.search(SearchQuery(word), scanning: Self.scan)
            #expect(page.elements.isEmpty && !page.isComplete, "\(word)")
        }
        let full = try store.search(SearchQuery("late"), limit: 5, scanning: Self.scan)
        #expect(full.elements.count == 5 && full.isComplete, "all that could be on this page was read")
        var any = SearchQuery("early5 changed")
        any.matching = .any
        if indexed > 0 {
            let page = try store.search(any, scanning: Self.scan)
            #expect(page.elements.count == 1 && !page.isComplete)
            let below = try store.search(any, after: PageCursor(below: Position(UInt64(indexed))), scanning: Self.scan)
            #expect(!below.isComplete, "a modification that was not read may make an old message a hit")
        }
        try catchUp(store)
        #expect(try store.search(SearchQuery("hidden")).elements.count == 1)
        if indexed > 0 {
            let page = try store.search(any, scanning: Self.scan)
            #expect(page.elements.count == 2 && page.isComplete)
        }
        try store.close()
    }

    @Test("after the origin there is nothing")
    func afterOrigin() throws {
        let place = try TemporaryStore()
        let store = try place.open { $0.laggingProjections = [SearchIndex()] }
        try store.record(Self.message("word", 1))
        for _ in 0..<2 {
            let page = try store.search(SearchQuery("word"), after: PageCursor(below: .origin))
            #expect(page.elements.isEmpty && page.next == nil && page.isComplete)
            let first = try store.search(SearchQuery("word"), after: PageCursor(below: Position(1)))
            #expect(first.elements.isEmpty && first.next == nil)
            let highest = try store.search(SearchQuery("word"), after: PageCursor(below: Position(.max)))
            #expect(highest.elements.count == 1)
            try catchUp(store)
        }
        try store.close()
    }
}
