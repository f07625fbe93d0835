internal import Foundation
internal import MessageStore
internal import MessageStoreSearch
internal import MessageStoreWorkload

/// Search: the index next to a sync, its size, and the time of the first 20 hits, against FTS5 and a scan.
struct Searches {
    let logs: [String]
    let events: Int
    let queries: Int
    let directory: String
    let hasPeers: Bool

    func run() throws -> Section {
        Progress.say("search: reading texts")
        let corpus = try SearchCorpus(logs: logs, events: events)
        let texts = corpus.backlog.events().map(\.text)
        var section = Section(title: "Search")
        section.notes = [
            "\(texts.count) messages with \(corpus.textBytes / 1_000_000) MB of text, newest 20 hits of each query."
        ]
        var random = SplitMix64(seed: 7)
        let pairs = corpus.pairs(queries, &random, texts)
        let words = corpus.words(queries, &random, texts)
        let mixed = corpus.mixed(queries, &random, texts)
        var building = Table("Building", ["index", "seconds", "messages/s", "MB", "share of the text"])
        var asking = Table("First 20 hits in ms", ["index", "queries", "median", "p99", "longest"])
        try Files.withDirectory(in: directory) { base in
            let syncs = try Self.syncs(corpus, base)
            section.tables.append(syncs.table)
            let store = try corpus.backlog.openStore(at: base + "/indexed", Self.configuration(isIndexed: true))
            let size = Files.diskBytes(base + "/indexed/lagging")
            building.rows.append(row("MessageStoreSearch", syncs.seconds, size, corpus))
            for (name, typed) in [("two Chinese characters", pairs), ("a word", words)] where !typed.isEmpty {
                asking.rows.append(
                    try row(
                        "MessageStoreSearch", name,
                        typed.map { typed in { try Self.search(store, SearchQuery(typed)) } }))
            }
            if !mixed.isEmpty {
                let times = try mixed.map { text in (try Stopwatch.seconds { try Self.search(store, text) }, text.typed)
                }
                for (seconds, typed) in times.sorted(by: { $0.0 > $1.0 }).prefix(8) {
                    Progress.say("search: \(Int(seconds * 1e6)) us for \(typed)")
                }
                asking.rows.append(
                    try row("MessageStoreSearch", "generated", mixed.map { text in { try Self.search(store, text) } }))
            }
            try store.close()
            let plain = try corpus.backlog.openStore(at: base + "/plain", Self.configuration(isIndexed: false))
            for (name, typed) in [("two Chinese characters", pairs), ("a word", words)] where !typed.isEmpty {
                asking.rows.append(
                    try row(
                        "MessageStoreSearch without an index", name,
                        typed.prefix(Self.scannedQueries).map { typed in
                            { try Self.search(plain, SearchQuery(typed), scanning: .max) }
                        }))
            }
            try plain.close()
        }
        if hasPeers {
            try Files.withDirectory(in: directory) { base in
                try FullTextPeer.writeMessages(corpus.backlog, at: base + "/messages.sqlite")
                for tokens in FullTextPeer.Tokens.allCases {
                    for keepsPositions in [true, false] {
                        let place = base + "/" + UUID().uuidString
                        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                        let peer = try FullTextPeer(
                            tokens, keepsPositions: keepsPositions, at: place + "/fts.sqlite",
                            messages: base + "/messages.sqlite")
                        Progress.say("search: \(peer.name)")
                        let seconds = try Stopwatch.seconds { try peer.fill(texts) }
                        building.rows.append(row(peer.name, seconds, peer.bytes, corpus))
                        // Two characters have no trigram, and without positions FTS5 refuses a phrase of them.
                        for (name, typed) in [("two Chinese characters", pairs), ("a word", words)]
                        where !typed.isEmpty && (tokens != .trigram || name == "a word" && keepsPositions) {
                            asking.rows.append(
                                try row(peer.name, name, typed.map { word in { _ = try peer.search(word) } }))
                        }
                    }
                }
            }
        }
        section.tables += [building, asking]
        return section
    }

    /// Without an index a query may read the whole log.
    private static let scannedQueries = 50

    private static func search(
        _ store: MessageStore, _ query: SearchQuery, scanning scan: Int = MessageStore.defaultScan
    ) throws {
        let page = try store.search(query, scanning: scan)
        guard page.isComplete else { throw Failure("an answer is not complete") }
    }

    private static func search(_ store: MessageStore, _ text: SearchQueryText) throws {
        var query = SearchQuery(text.typed)
        query.conversations = text.conversation.map { [$0] }
        query.senders = text.sender.map { [$0] }
        try search(store, query)
    }

    private static func configuration(isIndexed: Bool) -> MessageStore.Configuration {
        var configuration = MessageStore.Configuration()
        if isIndexed { configuration.laggingProjections = [SearchIndex()] }
        return configuration
    }

    /// Syncs with and without an index, twice each; the last one leaves its store.
    private static func syncs(_ corpus: SearchCorpus, _ base: String) throws -> (table: Table, seconds: Double) {
        var table = Table(
            "Sync", ["store", "events/s", "MB of memory, to the end of indexing", "seconds until indexed"])
        var behind = 0.0
        for (name, isIndexed) in [("plain", false), ("indexed", true)] {
            Progress.say("search: sync, \(name)")
            let memory = MemorySampler()
            let store = try corpus.backlog.openStore(at: base + "/" + name, configuration(isIndexed: isIndexed))
            let seconds = try Stopwatch.seconds {
                var package: [Event] = []
                for event in corpus.backlog.events() {
                    package.append(corpus.backlog.storeEvent(event))
                    guard package.count == 200 else { continue }
                    try store.record(package, acknowledgement: .visible)
                    package.removeAll(keepingCapacity: true)
                }
                try store.record(package)
            }
            if isIndexed {
                behind = try Stopwatch.seconds {
                    while try store.lastPosition().rawValue >= store.position(of: SearchIndex.id).rawValue + 2_048 {
                        Thread.sleep(forTimeInterval: 0.005)
                    }
                }
            }
            table.rows.append([
                .text(name), .number(Double(corpus.backlog.count) / seconds),
                .number(memory.stop().map { Double($0) / 1e6 }), isIndexed ? .number(behind) : .none,
            ])
            if isIndexed { Thread.sleep(forTimeInterval: 5) }
            try store.close()
        }
        return (table, behind)
    }

    private func row(_ name: String, _ seconds: Double, _ bytes: Int, _ corpus: SearchCorpus) -> [Cell] {
        [
            .text(name), .number(seconds), .number(Double(corpus.backlog.count) / seconds),
            .number(Double(bytes) / 1e6),
            .number(Double(bytes) / Double(corpus.textBytes)),
        ]
    }

    private func row(_ name: String, _ kind: String, _ queries: [() throws -> Void]) throws -> [Cell] {
        // Once before, so that all find their pages in memory.
        for query in queries { try query() }
        let times = Spread(try queries.map { query in try Stopwatch.seconds { try query() } * 1000 })
        return [.text(name), .text(kind), .number(times.median), .number(times.percentile(99)), .number(times.max)]
    }
}
