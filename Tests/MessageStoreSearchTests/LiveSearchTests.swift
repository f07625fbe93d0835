import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import Testing

@Suite("Search, live", .timeLimit(.minutes(30)))
struct LiveSearchTests {
    @Test("a live search gives its hits again when a message arrives, changes or goes")
    func live() async throws {
        let chat = try SearchStore()
        try chat.receive("first tea", id: "a")
        var hits = chat.store.observeSearch(SearchQuery("tea")).makeAsyncIterator()
        #expect(try await hits.next()?.map(\.text) == ["first tea"])
        try chat.receive("second tea", id: "b")
        #expect(try await hits.next()?.map(\.text) == ["second tea", "first tea"])
        try await chat.store.record(Event(MessageRecalled(.server("a")), in: SearchStore.chat))
        #expect(try await hits.next()?.map(\.text) == ["second tea"])
        try await chat.store.close()
    }
}
