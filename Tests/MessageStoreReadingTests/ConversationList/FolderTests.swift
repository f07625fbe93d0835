import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("d45: folders", .timeLimit(.minutes(30)))
struct FolderTests {
    private let other = ConversationKey.group("other")

    private func folder(
        _ id: String, _ condition: ConversationCondition, name: String? = nil, order: Int32 = 0,
        at time: Timestamp? = nil
    ) throws -> Event {
        Event(try ConversationFolderChanged(id, name: name, condition: condition, order: order, at: time))
    }

    private func removed(_ id: String, at time: Timestamp? = nil) -> Event {
        Event(ConversationFolderChanged(id, condition: nil, at: time))
    }

    private func folders(_ store: MessageStore) throws -> [String] { try store.read { try $0.folders() }.map(\.id) }

    @Test("d45: a folder shows what its condition finds, and what is unread there")
    func content() throws {
        try withTemporaryStore { store throws in
            try store.record(received("a", at: 1), received("b", at: 2, in: other), received("c", at: 3, in: peer))
            try store.record(Event(ConversationTagged(add: ["work"]), in: other), muted(in: peer))
            try store.record(folder("work", .tagged("work"), name: "Work"), folder("all", .all([]), order: -1))
            #expect(try folders(store) == ["all", "work"])
            let work = try store.read { try $0.folder("work") }
            #expect(work == ConversationFolder(id: "work", name: "Work", condition: .tagged("work")))
            let page = try store.read { try $0.conversations(inFolder: "work") }
            #expect(page.elements.map(\.key) == [other])
            let pages = try store.read { views in
                let first = try views.conversations(inFolder: "all", limit: 2)
                return [first, try views.conversations(inFolder: "all", after: first.next, limit: 2)]
            }
            #expect(pages.flatMap(\.elements).map(\.key) == [peer, other, group])
            #expect(try store.read { try $0.unreadTotals(inFolder: "work") }.badge == 1)
            #expect(try store.read { try $0.unreadTotals(inFolder: "all") }.badge == 2)
            #expect(try store.read { try $0.unreadTotals(inFolder: "all", includesMuted: true) }.badge == 3)
            try store.record(conversationDeleted(), archived(in: other))
            #expect(try store.read { try $0.unreadTotals(matching: .all([])) }.badge == 1)
        }
    }

    @Test("d45: of choices about a folder the latest holds, and keeping a folder against removing it", .store)
    func choices() throws {
        try store.record(
            folder("f", .all([]), name: "new", at: ms(20)), folder("f", .any([]), name: "old", at: ms(10)))
        #expect(try store.read { try $0.folder("f") }?.name == "new")
        try store.record(removed("f", at: ms(20)))
        #expect(try folders(store) == ["f"])
        try store.record(removed("f", at: ms(30)), folder("f", .all([]), at: ms(25)))
        #expect(try folders(store).isEmpty)
        #expect(try store.read { try $0.folder("f") } == nil)
        try store.record(folder("f", .tagged("t"), name: "back"))
        #expect(try store.read { try $0.folder("f") }?.condition == .tagged("t"))
    }

    @Test("d45: a condition that this version cannot read is a folder without one, and its queries are typed errors")
    func unknown() throws {
        try withTemporaryStore { store throws in
            let nested = String(repeating: #"{"not":"#, count: 30) + #"{"all":[]}"# + String(repeating: "}", count: 30)
            let texts = [
                "", "[]", "{}", #"{"all":[1]}"#, #"{"some":[]}"#, #"{"property":"later","exists":true}"#, nested,
                #"{"property":"id","exists":false}"#, #"{"all":[],"any":[]}"#, #"{"property":"id","equal":[1]}"#,
                #"{"kinds":[256]}"#, #"{"containsAny":[1]}"#, String(repeating: "[", count: 60_000),
            ]
            for (index, text) in texts.enumerated() {
                let id = "f\(index)"
                try store.record(Event(ConversationFolderChanged(id, name: "n", condition: text)))
                let found = try store.read { try $0.folder(id) }
                #expect(found == ConversationFolder(id: id, name: "n", condition: nil), "\(index)")
                expectError(.invalidArgument) { _ = try store.read { try $0.conversations(inFolder: id) } }
                expectError(.invalidArgument) { _ = try store.read { try $0.unreadTotals(inFolder: id) } }
            }
            expectError(.notFound) { _ = try store.read { try $0.conversations(inFolder: "none") } }
            expectError(.notFound) {
                _ = try store.read { try $0.unreadTotals(inFolder: String(repeating: "x", count: 600)) }
            }
            let long = Event(ConversationFolderChanged("f", condition: String(repeating: "x", count: 64 << 10 + 1)))
            expectError(.invalidArgument) { try store.record(long) }
        }
    }

    @Test("d45: conditions are saved in the documented form, within limits")
    func form() throws {
        let condition: ConversationCondition = .all([
            .kinds([.group]), .property(.isArchived, .equal(false)), .attribute("topic", .exists),
        ])
        let text =
            #"{"all":[{"kinds":[2]},{"equal":false,"property":"isArchived"},{"attribute":"topic","exists":true}]}"#
        #expect(try condition.json() == text)
        #expect(try ConversationCondition(json: text) == condition)
        let deep = (0..<30).reduce(ConversationCondition.all([])) { inner, _ in .not(inner) }
        expectError(.invalidArgument) { _ = try deep.json() }
        expectError(.invalidArgument) { _ = try ConversationCondition.name(.equal(.array([]))).json() }
        expectError(.invalidArgument) { _ = try ConversationCondition.name(.equal(.number(.nan))).json() }
        let long = ConversationCondition.tagged(String(repeating: "x", count: 64 << 10))
        expectError(.invalidArgument) { _ = try long.json() }
    }

    @Test("d45: folders and totals over a condition are observed")
    func observed() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        try await store.record([received("a", at: 1)])
        var folders = store.observeFolders().makeAsyncIterator()
        #expect(try await folders.next() == [])
        var totals = store.observeUnreadTotals(matching: .tagged("t")).makeAsyncIterator()
        #expect(try await totals.next()?.badge == 0)
        try await store.record([
            folder("f", .tagged("t")), Event(ConversationTagged(add: ["t"]), in: group),
        ])
        #expect(try await folders.next()?.map(\.id) == ["f"])
        #expect(try await totals.next()?.badge == 1)
        try await store.close()
    }
}
