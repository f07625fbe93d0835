/// The unsent text in a conversation's input field changed.
public struct ConversationDraftChanged: EventPayload {
    /// The draft; nil removes it.
    public var text: String? {
        didSet { isThere = text != nil }
    }
    /// Whether there is a draft; it stays true when redaction removes the text.
    public private(set) var isThere: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one with a text holds, then the later in
    /// the log.
    public var time: Timestamp?

    /// Creates the event.
    public init(_ text: String?, at time: Timestamp? = nil) {
        self.init(isThere: text != nil, text: text, at: time)
    }

    private init(isThere: Bool, text: String?, at time: Timestamp?) {
        self.text = text
        self.isThere = isThere
        self.time = time
    }
}

extension ConversationDraftChanged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationDraftChanged, "ConversationDraftChanged", scope: .conversation,
        traits: [.readByPosition, .mergedByTime])

    /// The fields and their places.
    public enum Fields {
        /// Where `isThere` is.
        public static let isThere = Field<Bool>(3, "isThere")
        /// Where ``ConversationDraftChanged/time`` is.
        public static let time = Field<Timestamp?>(4, "time")
        /// Where ``ConversationDraftChanged/text`` is.
        public static let text = ContentField<String?>(1, "text")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            isThere: try fields.decode(Fields.isThere),
            text: try fields.decode(Fields.text),
            at: try fields.decode(Fields.time))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isThere, for: Fields.isThere)
        try fields.encode(time, for: Fields.time)
        try fields.encode(text, for: Fields.text)
    }
}

extension EventType {
    /// The type of ``ConversationDraftChanged``.
    @inlinable public static var conversationDraftChanged: EventType { EventType(rawValue: 0x27) }
}
