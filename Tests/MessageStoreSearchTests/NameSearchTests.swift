import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import Testing

@Suite("Search of names", .timeLimit(.minutes(30)))
struct NameSearchTests {
    @Test("conversations, users and members are found by the beginnings of words and by characters")
    func names() throws {
        let chat = try SearchStore()
        let store = chat.store
        for (id, name) in [("a", "Swift Konferenz"), ("b", "北京读书会"), ("c", "Café Über"), ("d", "Cello")] {
            try store.record(Event(ConversationCreated(ConversationFields(name: name)), in: .group(id)))
            try chat.receive("hello", in: .group(id))
        }
        let profiles = [Profile(id: "ann", name: "Ann Lee"), Profile(id: "li", name: "李小明"), Profile(id: "bob")]
        try store.record(Event(ProfilesFetched(profiles)))
        try store.record(Event(MembersAdded(["ann", "li", "bob"], kind: .joined), in: .group("a")))
        try store.read { views in
            for (name, ids) in [("kon sw", ["a"]), ("读书", ["b"]), ("CAFE uber", ["c"]), ("onf", []), (" … ", [])] {
                #expect(try views.conversations(named: name).elements.map(\.key.id) == ids, "\(name)")
            }
            #expect(try views.users(named: "le").elements == ["ann"])
            #expect(try views.users(named: "小明").elements == ["li"])
            #expect(try views.members(named: "bo", in: .group("a")).elements.map(\.id) == ["bob"])
            var (found, cursor) = ([String](), PageCursor?.none)
            repeat {
                let rooms = try views.conversations(named: "c", after: cursor, limit: 1)
                found += rooms.elements.map(\.displayName)
                cursor = rooms.next
            } while cursor != nil
            #expect(found == ["Cello", "Café Über"])
            let first = try views.users(named: "b", limit: 1)
            #expect(first.elements.map(\.rawValue) == ["bob"] && first.next == nil)
            var code: StoreError.Code?
            do { _ = try views.users(named: "a", limit: 0) } catch let error as StoreError { code = error.code }
            #expect(code == .invalidArgument)
        }
        try store.close()
    }
}
