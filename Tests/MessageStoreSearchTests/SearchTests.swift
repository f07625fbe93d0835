import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import Testing

@Suite("Search of messages", .timeLimit(.minutes(30)))
struct SearchTests {
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
    func finds(_ search: (typed: String, texts: [String]), isIndexed: Bool) async throws {
        let search = search
        let chat = try SearchStore()
        for text in Self.texts { try await chat.receive(text) }
        if isIndexed { try await chat.index() }
        #expect(try chat.store.position(of: SearchIndex.self) == (isIndexed ? chat.store.lastPosition() : .origin))
        #expect(try await chat.texts(search.typed) == search.texts)
        try await chat.store.close()
    }

    @Test("any of several terms, and pages that follow each other while messages arrive")
    func pages() async throws {
        let chat = try SearchStore()
        for index in 0..<50 { try await chat.receive(index.isMultiple(of: 2) ? "even \(index)" : "odd \(index)") }
        try await chat.index()
        var query = SearchQuery("even odd")
        #expect(try await chat.texts(query) == [])
        query.matching = .any
        let first = try await chat.store.search(query, limit: 20)
        #expect(first.hits.map(\.position.rawValue) == (31...50).reversed())
        try await chat.receive("even more")
        let second = try await chat.store.search(query, after: first.next, limit: 100)
        #expect(second.hits.map(\.position.rawValue) == (1...30).reversed())
        #expect(second.next == nil && second.isComplete)
        #expect(try await chat.texts("more") == ["even more"])
        try await chat.store.close()
    }

    @Test("what a message shows now is found, and nothing that it showed before", arguments: [false, true])
    func changes(isIndexed: Bool) async throws {
        let chat = try SearchStore()
        try await chat.receive("the old words", id: "edited")
        try await chat.receive("secret words", id: "recalled")
        try await chat.receive("deleted words", id: "deleted")
        let redacted = try await chat.receive("redacted words", id: "redacted")
        // A modification that arrives before its message.
        try await chat.store.record(
            .modified(
                .server("late"), content: .text("late new"), in: SearchStore.chat, at: Timestamp(milliseconds: 900),
                origin: .live))
        try await chat.receive("late old", id: "late")
        if isIndexed { try await chat.index() }
        try await chat.store.record(
            .modified(
                .server("edited"), content: .text("the new words"), in: SearchStore.chat,
                at: Timestamp(milliseconds: 999), origin: .live))
        try await chat.store.record(Event(MessageRecalled(.server("recalled")), in: SearchStore.chat))
        try await chat.store.record(Event(MessagesDeleted([.server("deleted")]), in: SearchStore.chat))
        try await chat.store.redact(Position(redacted.rawValue))
        for _ in 0..<2 {
            #expect(try await chat.texts("words") == ["the new words"])
            #expect(try await chat.texts("old") == [])
            #expect(try await chat.texts("late") == ["late new"])
            #expect(try await chat.texts("secret") == [])
            try await chat.index()
        }
        try await chat.store.close()
    }

    @Test("filters by conversation, sender, type, time, mention and link")
    func filters() async throws {
        let chat = try SearchStore()
        try await chat.receive("hello a", from: "ann", at: 1_000)
        try await chat.receive("hello b", from: "bob", in: .single("bob"), at: 2_000)
        try await chat.receive("hello c https://example.com", from: "bob", at: 3_000, type: .file)
        try await chat.receive("hello d", from: "ann", at: 4_000, context: MessageContext(mentions: ["me"]))
        for _ in 0..<2 {
            func found(_ change: (inout SearchQuery) -> Void) async throws -> [String] {
                var query = SearchQuery("hello")
                change(&query)
                return try await chat.texts(query).map { String($0.prefix(7)) }
            }
            #expect(try await found { $0.conversations = [.single("bob")] } == ["hello b"])
            #expect(try await found { $0.conversations = [.single("nobody")] } == [])
            #expect(try await found { $0.senders = ["bob"] } == ["hello c", "hello b"])
            #expect(try await found { $0.types = SearchQuery.fileTypes } == ["hello c"])
            #expect(
                try await found { $0.time = Timestamp(milliseconds: 1_500)...Timestamp(milliseconds: 3_500) } == [
                    "hello c", "hello b",
                ])
            #expect(try await found { $0.mentionsAccount = true } == ["hello d"])
            #expect(try await found { $0.hasLink = true } == ["hello c"])
            try await chat.index()
        }
        try await chat.store.close()
    }

    @Test("highlights are the parts of the text that were found")
    func highlights() async throws {
        let chat = try SearchStore()
        try await chat.receive("Die Straße, die STRASSE; 👍🏽 e\u{301}t é")
        func parts(_ typed: String) async throws -> [String] {
            try await chat.hits(SearchQuery(typed)).flatMap { hit in hit.highlights.map { String(hit.text[$0]) } }
        }
        #expect(try await parts("strasse") == ["Straße", "STRASSE"])
        #expect(try await parts("👍") == ["👍🏽"])
        #expect(try await parts("e et") == ["e\u{301}t", "é"])
        try await chat.store.close()
    }

    @Test(
        "a query without anything to look for, or with too much, is refused",
        arguments: [
            "", "  ", "...", "\u{301}", "-without", "\"\"", String(repeating: "a", count: 10_001),
            (0..<65).map { "w\($0)" }.joined(separator: " "),
        ])
    func refused(typed: String) async throws {
        let chat = try SearchStore()
        let error = await #expect(throws: StoreError.self) { try await chat.store.search(SearchQuery(typed)) }
        #expect(error?.code == .invalidArgument)
        #expect(throws: StoreError.self) { try chat.store.search(SearchQuery("a"), limit: 0) }
        try await chat.store.close()
    }

    @Test("of a long text the beginning is found, and the answer says so")
    func longText() async throws {
        let chat = try SearchStore()
        try await chat.receive("begin " + String(repeating: "x", count: 100_000) + " end")
        try await chat.index()
        #expect(try await chat.texts("begin").count == 1)
        #expect(try await chat.texts("end") == [])
        #expect(try await chat.store.search(SearchQuery("begin")).hasLongTexts)
        try await chat.store.close()
    }
}
