/// A message, or an event of a host, that a search found.
public struct SearchHit: Sendable, Hashable {
    /// A field of a message by which it is found.
    public enum Field: String, Sendable, Hashable, CaseIterable {
        /// The text of its content, or the text of a host's event.
        case text
        /// The name of its file, where the content is a picture, an audio, a video or a file, see `MediaFile`.
        case fileName
    }

    /// The position of the event, which is the local id of a message.
    public let position: Position
    /// The message, as it is shown; nil where an event of a host was found, see ``HostText``.
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
    public let hits: [SearchHit]
    /// Where the next page begins; nil where there are no further ones. Pages that follow each other have each message once,
    /// also while others arrive.
    public let next: Position?
    /// The last event that was considered.
    public let position: Position
    /// Whether every message was considered that could be on this page: not while the index lacks more events than a search
    /// reads itself. Then the answer may lack hits; it never has false ones.
    public let isComplete: Bool
    /// Whether there are texts of which only the beginning is found, see ``textLimit``: among those that the index has, or
    /// that a search reads itself.
    public let hasLongTexts: Bool
    /// How many bytes of a text are found.
    public static let textLimit = FoldingRules.maximumTextBytes

    /// Creates a page, for previews and tests.
    public init(
        hits: [SearchHit], next: Position? = nil, position: Position, isComplete: Bool = true,
        hasLongTexts: Bool = false
    ) {
        self.hits = hits
        self.next = next
        self.position = position
        self.isComplete = isComplete
        self.hasLongTexts = hasLongTexts
    }
}
