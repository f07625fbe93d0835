/// The unsent text in a conversation's input field changed.
public struct ConversationDraftChanged: EventPayload {
    /// The draft; nil removes it.
    public var text: String? {
        didSet { isThere = text != nil }
    }
    /// Whether there is a draft; it stays true when redaction removes the text.
    public private(set) var isThere: Bool

    /// Creates the event.
    public init(_ text: String?) {
        self.text = text
        isThere = text != nil
    }

    private init(isThere: Bool, text: String?) {
        self.text = text
        self.isThere = isThere
    }
}

extension ConversationDraftChanged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .conversationDraftChanged, "ConversationDraftChanged", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where `isThere` is.
        public static let isThere = Field<Bool>(3, "isThere")
        /// Where ``ConversationDraftChanged/text`` is.
        public static let text = ContentField<String?>(1, "text")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(isThere: try fields.decode(Fields.isThere), text: try fields.decode(Fields.text))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(isThere, for: Fields.isThere)
        try fields.encode(text, for: Fields.text)
    }
}

extension EventType {
    /// The type of ``ConversationDraftChanged``.
    @inlinable public static var conversationDraftChanged: EventType { EventType(rawValue: 0x27) }
}
