/// A message, or an event of a host, that a search found.
public struct SearchHit: Sendable, Hashable {
    /// A field of a message by which it is found.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// The text of its content, or the text of a host's event.
        case text
        /// The name of its file, if the content is a picture, an audio, a video or a file, see `MediaFile`.
        case fileName
    }

    /// The position of the event, which is the local id of a message.
    public let position: Position
    /// The message, as it is shown; nil if an event of a host was found, see ``HostText``.
    public let message: Message?
    /// The first field that has something that is looked for: the text, else the name of the file.
    public let field: Field
    /// The field's words.
    public let text: String
    /// The parts of these words that were found, in order; each is of whole characters.
    public let highlights: [Range<String.Index>]

    /// Creates a hit, for previews and tests.
    public init(
        position: Position, message: Message?, field: Field = .text, text: String,
        highlights: [Range<String.Index>] = []
    ) {
        (self.position, self.message, self.field, self.text) = (position, message, field, text)
        self.highlights = highlights
    }
}

/// Some of the messages that a search found, those first that were recorded last.
public struct SearchPage: Sendable {
    /// The messages.
    public let elements: [SearchHit]
    /// The value that the search takes as `after` for the next page; nil at the end. Pages that follow each other have
    /// each message once, also while others arrive.
    public let next: PageCursor?
    /// The last event that was considered.
    public let position: Position
    /// Whether every message was considered that could be on this page: not while the index lacks more events than a search
    /// reads itself. Then the answer may lack hits; it never has false ones.
    public let isComplete: Bool
    /// Whether there are texts whose beginning alone is found, see ``textLimit``: in the index, or in events that a
    /// search reads itself.
    public let hasLongTexts: Bool
    /// How many bytes of a text are found.
    public static let textLimit = FoldingRules.maximumTextBytes

    /// Creates a page, for previews and tests.
    public init(
        _ elements: [SearchHit], next: PageCursor? = nil, position: Position, isComplete: Bool = true,
        hasLongTexts: Bool = false
    ) {
        self.elements = elements
        self.next = next
        self.position = position
        self.isComplete = isComplete
        self.hasLongTexts = hasLongTexts
    }
}

/// The words and conditions of a search.
///
/// ```swift
/// var query = SearchQuery("知道 \"see you\" -tomorrow")
/// query.conversations = [.group("friends")]
/// let page = try await store.search(query)
/// ```
///
/// Case, width and diacritics make no difference. Words are found as a whole, or by their beginning with `*`; characters of
/// Chinese, Japanese, Korean, Thai and some other scripts, and emoji, are found wherever they are.
public struct SearchQuery: Sendable, Hashable {
    /// A word, or several in a row.
    public struct Term: Sendable, Hashable {
        /// The words; their separators make no difference.
        public var text: String
        /// Whether its last word may continue.
        public var isPrefix: Bool
        /// Whether messages that have it are left out.
        public var isExcluded: Bool

        /// Creates a term.
        public init(_ text: String, isPrefix: Bool = false, isExcluded: Bool = false) {
            self.text = text
            self.isPrefix = isPrefix
            self.isExcluded = isExcluded
        }
    }

    /// The terms that a message must have, other than excluded ones.
    public enum Matching: Sendable, Hashable {
        /// All of them.
        case all
        /// At least one.
        case any
    }

    /// The terms.
    public var terms: [Term]
    /// The terms that a message must have. Default: all.
    public var matching = Matching.all
    /// Only messages of these conversations; nil for all.
    public var conversations: Set<ConversationKey>?
    /// Only messages of these senders; nil for all.
    public var senders: Set<UserID>?
    /// Only messages of these content types; nil for all.
    public var types: Set<ContentType>?
    /// Only messages of this time, their server's or, if that is not known, the queueing's; nil for all.
    public var time: ClosedRange<Timestamp>?
    /// Only messages that mention this account, by name or as one of all.
    public var mentionsAccount = false
    /// Only messages with an address of the web in their text.
    public var hasLink = false

    /// The greatest number of characters that all terms have together.
    public static let greatestLength = 10_000
    /// The greatest number of words and pairs of characters that are looked up.
    public static let greatestGramCount = 64
    /// The types of messages with files.
    public static let fileTypes: Set<ContentType> = [.image, .audio, .video, .file]

    /// Creates a query of terms.
    public init(terms: [Term]) { self.terms = terms }

    /// Creates a query of a user's typed text: words, `"several in a row"`, `begin*`, and `-without`.
    public init(_ typed: String) {
        terms = []
        var rest = typed[...]
        while let start = rest.firstIndex(where: { !$0.isWhitespace }) {
            rest = rest[start...]
            let isExcluded = rest.first == "-" && rest.dropFirst().first?.isWhitespace == false
            if isExcluded { rest = rest.dropFirst() }
            let quotes: Set<Character> = ["\"", "“", "”", "„"]
            if let first = rest.first, quotes.contains(first) {
                rest = rest.dropFirst()
                let end = rest.firstIndex(where: quotes.contains) ?? rest.endIndex
                terms.append(Term(String(rest[..<end]), isExcluded: isExcluded))
                rest = rest[end...].dropFirst()
            } else {
                let end = rest.firstIndex(where: \.isWhitespace) ?? rest.endIndex
                let word = rest[..<end]
                let isPrefix = word.last == "*"
                terms.append(
                    Term(String(isPrefix ? word.dropLast() : word), isPrefix: isPrefix, isExcluded: isExcluded))
                rest = rest[end...]
            }
        }
    }
}
