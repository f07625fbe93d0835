import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import Testing

@Suite("Search of messages", .timeLimit(.minutes(30)))
struct SearchTests {
    private let chat: SearchStore

    init() throws { chat = try SearchStore() }

    private static let texts = [
        "我知道了", "你不知道吗？", "重跑gen后再看", "Straße in İstanbul", "See you tomorrow, Ann!", "seeing is believing",
        "ＡＢＣ full width", "👨‍👩‍👧 family", "한국어 검색", "สวัสดีครับ", "Привет, мир", "مَرْحَبًا", "https://swift.org is a link",
    ]

    @Test(
        "words, characters and phrases are found with and without an index",
        arguments: [
            ("知道", ["你不知道吗？", "我知道了"]), ("道", ["你不知道吗？", "我知道了"]), ("了", ["我知道了"]), ("gen", ["重跑gen后再看"]),
            ("跑gen后", ["重跑gen后再看"]), ("strasse", ["Straße in İstanbul"]), ("istanbul", ["Straße in İstanbul"]),
            ("see", ["See you tomorrow, Ann!"]), ("see*", ["seeing is believing", "See you tomorrow, Ann!"]),
            ("\"you tomorrow ann\"", ["See you tomorrow, Ann!"]), ("\"you ann\"", []), ("abc", ["ＡＢＣ full width"]),
            ("👨‍👩‍👧", ["👨‍👩‍👧 family"]), ("👨", ["👨‍👩‍👧 family"]), ("👧", []), ("검색", ["한국어 검색"]), ("สวัส", ["สวัสดีครับ"]),
            ("привет", ["Привет, мир"]), ("مرحبا", ["مَرْحَبًا"]), ("is -believing", ["https://swift.org is a link"]),
            ("道知", []), ("swift org", ["https://swift.org is a link"]),
        ] as [(String, [String])], [false, true])
    func finds(_ search: (typed: String, texts: [String]), isIndexed: Bool) throws {
        let search = search
        let chat = try SearchStore()
        for text in Self.texts { try chat.receive(text) }
        if isIndexed { try chat.index() }
        #expect(try chat.store.position(of: SearchIndex.id) == (isIndexed ? chat.store.lastPosition() : .origin))
        #expect(try chat.texts(search.typed) == search.texts)
        try chat.store.close()
    }

    @Test("any of several terms, and pages that follow each other while messages arrive")
    func pages() throws {
        for index in 0..<50 { try chat.receive(index.isMultiple(of: 2) ? "even \(index)" : "odd \(index)") }
        try chat.index()
        var query = SearchQuery("even odd")
        #expect(try chat.texts(query) == [])
        query.matching = .any
        let first = try chat.store.search(query, limit: 20)
        #expect(first.elements.map(\.position.rawValue) == (31...50).reversed())
        try chat.receive("even more")
        let second = try chat.store.search(query, after: first.next, limit: 100)
        #expect(second.elements.map(\.position.rawValue) == (1...30).reversed())
        #expect(second.next == nil && second.isComplete)
        #expect(try chat.texts("more") == ["even more"])
        try chat.store.close()
    }

    @Test("what a message shows now is found, and nothing that it showed before", arguments: [false, true])
    func changes(isIndexed: Bool) throws {
        try chat.receive("the old words", id: "edited")
        try chat.receive("secret words", id: "recalled")
        try chat.receive("deleted words", id: "deleted")
        let redacted = try chat.receive("redacted words", id: "redacted")
        // A modification that arrives before its message.
        try chat.store.record(
            .modified(
                .server("late"), content: .text("late new"), in: SearchStore.chat, at: Timestamp(milliseconds: 900),
                origin: .live))
        try chat.receive("late old", id: "late")
        if isIndexed { try chat.index() }
        try chat.store.record(
            .modified(
                .server("edited"), content: .text("the new words"), in: SearchStore.chat,
                at: Timestamp(milliseconds: 999), origin: .live))
        try chat.store.record(Event(MessageRecalled(.server("recalled")), in: SearchStore.chat))
        try chat.store.record(Event(MessagesDeleted([.server("deleted")]), in: SearchStore.chat))
        try chat.store.redact(Position(redacted.rawValue))
        for _ in 0..<2 {
            let found = try ["words", "old", "late", "secret"].map { try chat.texts($0) }
            #expect(found == [["the new words"], [], ["late new"], []])
            try chat.index()
        }
        try chat.store.close()
    }

    @Test("filters by conversation, sender, type, time, mention and link")
    func filters() throws {
        try chat.receive("hello a", from: "ann", at: 1_000)
        try chat.receive("hello b", from: "bob", in: .single("bob"), at: 2_000)
        try chat.receive("hello c https://example.com", from: "bob", at: 3_000, type: .file)
        try chat.receive("hello d", from: "ann", at: 4_000, context: MessageContext(mentions: ["me"]))
        let filters: [((inout SearchQuery) -> Void, [String])] = [
            ({ $0.conversations = [.single("bob")] }, ["hello b"]), ({ $0.conversations = [.single("nobody")] }, []),
            ({ $0.senders = ["bob"] }, ["hello c", "hello b"]), ({ $0.types = SearchQuery.fileTypes }, ["hello c"]),
            (
                { $0.time = Timestamp(milliseconds: 1_500)...Timestamp(milliseconds: 3_500) },
                ["hello c", "hello b"]
            ),
            ({ $0.mentionsAccount = true }, ["hello d"]), ({ $0.hasLink = true }, ["hello c"]),
        ]
        for _ in 0..<2 {
            for (change, texts) in filters {
                var query = SearchQuery("hello")
                change(&query)
                #expect(try chat.texts(query).map { String($0.prefix(7)) } == texts, "\(query)")
            }
            try chat.index()
        }
        try chat.store.close()
    }

    @Test("highlights are the parts of the text that were found")
    func highlights() throws {
        try chat.receive("Die Straße, die STRASSE; 👍🏽 e\u{301}t é")
        func parts(_ typed: String) throws -> [String] {
            try chat.hits(SearchQuery(typed)).flatMap { hit in hit.highlights.map { String(hit.text[$0]) } }
        }
        #expect(try ["strasse", "👍", "e et"].map(parts) == [["Straße", "STRASSE"], ["👍🏽"], ["e\u{301}t", "é"]])
        try chat.store.close()
    }

    @Test(
        "a query without anything to look for, or with too much, is refused",
        arguments: [
            "", "  ", "...", "\u{301}", "-without", "\"\"", String(repeating: "a", count: 10_001),
            (0..<65).map { "w\($0)" }.joined(separator: " "),
        ])
    func refused(typed: String) throws {
        let error = #expect(throws: StoreError.self) { try chat.store.search(SearchQuery(typed)) }
        #expect(error?.code == .invalidArgument)
        #expect(throws: StoreError.self) { try chat.store.search(SearchQuery("a"), limit: 0) }
        try chat.store.close()
    }

    @Test("of a long text the beginning is found, and the answer says so")
    func longText() throws {
        try chat.receive("begin " + String(repeating: "x", count: 100_000) + " end")
        try chat.index()
        #expect(try chat.texts("begin").count == 1)
        #expect(try chat.texts("end") == [])
        #expect(try chat.store.search(SearchQuery("begin")).hasLongTexts)
        try chat.store.close()
    }
}
