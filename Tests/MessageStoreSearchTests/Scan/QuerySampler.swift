import Foundation
import MessageStore
import MessageStoreSearch
import MessageStoreWorkload

/// Draws queries from the texts that messages show, so that most of them find something.
struct QuerySampler {
    var random: SplitMix64
    let messages: [ShownMessage]
    private let conversations: [ConversationKey]

    /// - Parameter messages: At least one.
    init(seed: UInt64, _ messages: [ShownMessage], _ conversations: [ConversationKey]) {
        (random, self.messages, self.conversations) = (SplitMix64(seed: seed), messages, conversations)
    }

    mutating func next() -> SearchQuery {
        var terms: [SearchQuery.Term] = []
        var matching = SearchQuery.Matching.all
        let message = pick()
        switch random.nextIndex(12) {
        case 0, 1: terms = [SearchQuery.Term(part(of: message))]
        case 2: terms = [SearchQuery.Term(characters(of: message, 1 + random.nextIndex(4)))]
        case 3: terms = [SearchQuery.Term(phrase(of: message))]
        case 4: terms = [beginning(of: message)]
        case 5:
            // Words of different messages: often none has them all.
            terms = [SearchQuery.Term(part(of: pick())), SearchQuery.Term(part(of: message))]
        case 6, 7:
            matching = .any
            terms = (0...1 + random.nextIndex(3)).map { _ in anyTerm(of: pick()) }
        case 8: terms = [anyTerm(of: message), anyTerm(of: message)]
        case 9: terms = [SearchQuery.Term("x\(random.nextIndex(1_000_000))q"), anyTerm(of: message)]
        case 10:
            // Rare, common, and without anything to look for.
            terms = [
                SearchQuery.Term(["the", "a", "i", "的", "了", "?!", "no", "e", "你", "知道", ":)"][random.nextIndex(11)])
            ]
        default: terms = [SearchQuery.Term(part(of: message)), beginning(of: message)]
        }
        if random.chance(0.25) {
            var term = anyTerm(of: random.chance(0.5) ? message : pick())
            term.isExcluded = true
            terms.append(term)
        }
        var query = SearchQuery(terms: terms)
        query.matching = matching
        if random.chance(0.35) { filter(&query, message) }
        return query
    }

    /// A message, of some with the name of their file in the text's place.
    private mutating func pick() -> ShownMessage {
        var message = messages[random.nextIndex(messages.count)]
        if let name = message.fileName, random.chance(0.4) || message.text.isEmpty { message.text = name }
        return message
    }

    private mutating func filter(_ query: inout SearchQuery, _ message: ShownMessage) {
        let near = random.chance(0.7) ? message : pick()
        switch random.nextIndex(7) {
        case 0: query.conversations = Set(conversations.filter { "\($0)" == near.conversation })
        case 1: query.senders = [UserID(rawValue: near.sender)]
        case 2: query.types = random.chance(0.3) ? SearchQuery.fileTypes : [ContentType(near.type)]
        case 3:
            let other = pick().time
            query.time =
                Timestamp(milliseconds: min(near.time, other))...Timestamp(milliseconds: max(near.time, other))
        case 4: query.mentionsAccount = true
        case 5: query.hasLink = true
        default:
            query.senders = [UserID(rawValue: near.sender), UserID(rawValue: pick().sender), "nobody"]
            query.conversations = Set(conversations.filter { "\($0)" == near.conversation }).union([.group("nowhere")])
        }
    }

    private mutating func anyTerm(of message: ShownMessage) -> SearchQuery.Term {
        switch random.nextIndex(5) {
        case 0: beginning(of: message)
        case 1: SearchQuery.Term(phrase(of: message))
        case 2: SearchQuery.Term(characters(of: message, 1 + random.nextIndex(3)), isPrefix: random.chance(0.2))
        default: SearchQuery.Term(part(of: message))
        }
    }

    /// A word between spaces, as it is or typed in another way.
    private mutating func part(of message: ShownMessage) -> String {
        let words = message.text.split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return message.text }
        let word = String(words[random.nextIndex(words.count)].prefix(40))
        return switch random.nextIndex(8) {
        case 0: word.uppercased()
        case 1: word.lowercased()
        case 2: word.decomposedStringWithCanonicalMapping
        case 3:
            // Full width.
            String(
                String.UnicodeScalarView(
                    word.unicodeScalars.map {
                        (0x21...0x7E).contains($0.value) ? Unicode.Scalar($0.value + 0xFEE0) ?? $0 : $0
                    }))
        default: word
        }
    }

    /// Some characters in a row, wherever they are.
    private mutating func characters(of message: ShownMessage, _ count: Int) -> String {
        let all = Array(message.text.unicodeScalars.prefix(2_000))
        let start = random.nextIndex(max(all.count - count, 1))
        return String(String.UnicodeScalarView(all[start..<min(start + count, all.count)]))
    }

    private mutating func phrase(of message: ShownMessage) -> String {
        let words = message.text.split(whereSeparator: \.isWhitespace)
        let count = min(2 + random.nextIndex(3), words.count)
        guard count > 1 else { return characters(of: message, 2 + random.nextIndex(3)) }
        let start = random.nextIndex(words.count - count + 1)
        return words[start..<start + count].map { $0.prefix(40) }.joined(separator: random.chance(0.8) ? " " : " , ")
    }

    private mutating func beginning(of message: ShownMessage) -> SearchQuery.Term {
        let word = part(of: message)
        return SearchQuery.Term(String(word.prefix(1 + random.nextIndex(min(word.count, 6)))), isPrefix: true)
    }
}
