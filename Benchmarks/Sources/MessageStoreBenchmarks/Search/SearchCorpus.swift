internal import MessageStore
internal import MessageStoreWorkload

/// Texts to search, as a backlog: those of real logs, each up to half of what is left, and others that are recombined
/// from the sentences of the last log until there are enough. Without a log they are generated.
struct SearchCorpus {
    let backlog: Backlog
    let textBytes: Int

    init(logs: [String], events count: Int, seed: UInt64 = 1) throws {
        var tables = Tables()
        var events: [SyncEvent] = []
        var last: [String] = []
        var sources: [(Int) throws -> Backlog] = logs.map { path in
            { limit in try ChatLogReader.backlog(path, limit: limit) }
        }
        if sources.isEmpty { sources = [{ limit in .fitted(events: limit) }] }
        for source in sources {
            let log = try source(max((count - events.count) / 2, 1))
            last = []
            for var event in log.events() where event.kind == .text {
                let key = log.conversations[Int(event.conversation)]
                event.conversation = tables.conversation(key.id, isGroup: key.kind == .group)
                event.sender = tables.user(log.users[Int(event.sender)].rawValue)
                event.isOwn = false
                event.id = "\(events.count)"
                // Some logs have no times.
                event.timeMs = Self.time(of: events.count)
                last.append(event.text)
                events.append(event)
            }
        }
        var random = SplitMix64(seed: seed)
        let sentences = last.flatMap { $0.split(whereSeparator: { "。！？；，".contains($0) }) }.filter { !$0.isEmpty }
        let chat = tables.conversation("recombined", isGroup: true)
        let users = (0..<20).map { tables.user("speaker-\($0)") }
        while events.count < count, !sentences.isEmpty {
            let parts = (0...random.nextIndex(4)).map { _ in String(sentences[random.nextIndex(sentences.count)]) }
            events.append(
                SyncEvent(
                    conversation: chat, sender: users[random.nextIndex(users.count)], kind: .text, isOwn: false,
                    timeMs: Self.time(of: events.count), id: "\(events.count)", text: parts.joined(separator: "，") + "。"
                ))
        }
        textBytes = events.reduce(0) { $0 + $1.text.utf8.count }
        backlog = Backlog(
            name: "search", account: "me", conversations: tables.conversations, users: tables.users, events: events)
    }

    /// A second later for each message.
    private static func time(of index: Int) -> Int64 { 1_600_000_000_000 + Int64(index) * 1000 }

    /// So many pairs of Chinese characters that follow each other in some text.
    func pairs(_ count: Int, _ random: inout SplitMix64, _ texts: [String]) -> [String] {
        samples(count, &random, texts) { text, random in
            let scalars = Array(text.unicodeScalars)
            let places = scalars.indices.dropLast().filter { Self.isHan(scalars[$0]) && Self.isHan(scalars[$0 + 1]) }
            guard !places.isEmpty else { return nil }
            let place = places[random.nextIndex(places.count)]
            return String(String.UnicodeScalarView([scalars[place], scalars[place + 1]]))
        }
    }

    /// So many words of Latin letters.
    func words(_ count: Int, _ random: inout SplitMix64, _ texts: [String]) -> [String] {
        samples(count, &random, texts) { text, random in
            let words = text.split(whereSeparator: { !$0.isLetter || !$0.isASCII }).filter { $0.count > 2 }
            return words.isEmpty ? nil : String(words[random.nextIndex(words.count)]).lowercased()
        }
    }

    private func samples(
        _ count: Int, _ random: inout SplitMix64, _ texts: [String], _ sample: (String, inout SplitMix64) -> String?
    ) -> [String] {
        var samples: [String] = []
        var tries = 0
        while samples.count < count, tries < count * 1000 {
            tries += 1
            if let sample = sample(texts[random.nextIndex(texts.count)], &random) { samples.append(sample) }
        }
        return samples
    }

    static func isHan(_ scalar: Unicode.Scalar) -> Bool { (0x4E00...0x9FFF).contains(scalar.value) }

    /// Queries of several words, phrases, beginnings, exclusions and filters.
    func mixed(_ count: Int, _ random: inout SplitMix64, _ texts: [String]) -> [SearchQueryText] {
        let words = words(3 * count, &random, texts)
        let pairs = pairs(3 * count, &random, texts)
        guard words.count == 3 * count, pairs.count == 3 * count else { return [] }
        return (0..<count).map { index in
            let (word, other) = (words[3 * index], words[3 * index + 1])
            let (pair, second) = (pairs[3 * index], pairs[3 * index + 1])
            switch index % 8 {
            case 0: return SearchQueryText(typed: "\(word) \(other)")
            case 1: return SearchQueryText(typed: "\"\(word) \(other)\"")
            case 2: return SearchQueryText(typed: "\(word.prefix(3))*")
            case 3: return SearchQueryText(typed: "\(word) -\(other)")
            case 4: return SearchQueryText(typed: "\(pair) \(second)")
            case 5: return SearchQueryText(typed: String(pair.prefix(1)))
            case 6:
                return SearchQueryText(typed: word, conversation: backlog.conversations.randomElement(using: &random))
            default: return SearchQueryText(typed: pair, sender: backlog.users.randomElement(using: &random))
            }
        }
    }
}

/// A query in words, before it is one of the store's.
struct SearchQueryText {
    var typed: String
    var conversation: ConversationKey?
    var sender: UserID?
}
