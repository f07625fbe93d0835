import MessageStore
import MessageStoreSearch
import MessageStoreTestKit
import MessageStoreWorkload

/// Messages of a small vocabulary, and the searches that are made of it.
enum SearchTexts {
    static let account: UserID = "me"
    /// What is erased; no other text has parts of it.
    static let secret = "qzxvwkjplmb 龘靐"
    private static let characters = Array("的一是不了人我在有他这中大来上国知道吗好明天见面吃饭工作东西朋友时间电影")

    static func conversation(_ number: Int) -> ConversationKey { .group("g\(number)") }

    /// A message; of a hundred, two have the secret.
    static func message(_ number: Int, _ random: inout SplitMix64) -> Event {
        var words: [String] = []
        for _ in 0..<3 + random.nextIndex(8) {
            // Some words are common, most are rare.
            let word = Int(pow(random.nextUnit()) * 3_000)
            words.append(random.chance(0.1) ? "https://e.example/\(word)" : "w\(word)d")
        }
        var chinese = ""
        for _ in 0..<2 + random.nextIndex(6) { chinese.append(characters[random.nextIndex(characters.count)]) }
        words.insert(chinese, at: random.nextIndex(words.count))
        if random.chance(0.02) { words.append(secret) }
        return .received(
            ServerMessageID("m\(number)"), from: UserID(rawValue: "u\(random.nextIndex(9))"),
            in: conversation(random.nextIndex(5)), at: Timestamp(milliseconds: Int64(number)),
            content: MessageContent(type: random.chance(0.1) ? .file : .text, text: words.joined(separator: " ")),
            context: MessageContext(mentions: random.chance(0.05) ? ["me"] : []))
    }

    static func hasSecret(_ event: Event) -> Bool {
        (event.payload as? MessageReceived)?.content.text?.contains(secret) == true
    }

    private static func pow(_ unit: Double) -> Double { unit * unit * unit }

    /// Searches of every kind, many of which have hits.
    static let queries: [SearchQuery] = {
        var queries = [
            "w0d", "w7d w3d", "w1234d", "w12*", "\"w0d w1d\"", "知道", "知", "了人我", "w0d -知", "w* -w0d", "不见了",
            "qzxvwkjplmb", "龘", "nothing",
        ].map { SearchQuery($0) }
        for number in 0..<4 {
            var query = SearchQuery("w\(number * 71)d w\(number)d 人\(number.isMultiple(of: 2) ? "我" : "")")
            query.matching = .any
            queries.append(query)
        }
        for number in 0..<5 {
            var query = SearchQuery("w1*")
            switch number {
            case 0: query.conversations = [conversation(1)]
            case 1: query.senders = ["u1", "u2"]
            case 2: query.types = [.file]
            case 3: query.mentionsAccount = true
            default: query.hasLink = true
            }
            queries.append(query)
        }
        return queries
    }()

    /// All hits of a search, by pages, and whether all pages are complete.
    static func answer(_ store: MessageStore, _ query: SearchQuery) throws -> (hits: [UInt64], isComplete: Bool) {
        var (hits, next, isComplete): ([UInt64], PageCursor?, Bool) = ([], nil, true)
        repeat {
            let page = try store.search(query, after: next, limit: 500)
            hits += page.elements.map(\.position.rawValue)
            isComplete = isComplete && page.isComplete
            next = page.next
        } while next != nil
        return (hits, isComplete)
    }

    static func open(
        _ path: String, durability: MessageStore.Configuration.Durability.Level = .relaxed, pageCheck: String = "",
        follows: Bool = false
    ) throws -> MessageStore {
        var configuration = MessageStore.Configuration.ofTests
        configuration.laggingProjections = [SearchIndex()]
        configuration.durability.level = durability
        configuration.automaticCompaction = nil
        if pageCheck == "always" { configuration.durability.pageCheck = .always }
        if !follows { configuration.clock = ManualClock() }
        return try MessageStore.open(path, account: account, configuration: configuration)
    }

    /// The answers of a scan of the log, without an index.
    static func scan(_ path: String) throws -> [[UInt64]] {
        let store = try MessageStore.openReadOnly(path, configuration: .ofTests)
        defer { try? store.close() }
        return try queries.map { query in
            let answer = try answer(store, query)
            guard answer.isComplete else { throw StoreError(.invalidArgument, "the scan is not complete") }
            return answer.hits
        }
    }
}
