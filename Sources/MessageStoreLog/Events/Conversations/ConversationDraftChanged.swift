/// The unsent text in a conversation's input field changed.
public struct ConversationDraftChanged: ConversationPayload {
    /// The draft; nil removes it.
    public var text: String? {
        didSet { isThere = text != nil }
    }
    /// Whether there is a draft; it stays true when redaction removes the text.
    public private(set) var isThere: Bool
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one with a text holds,
    /// then the later in the log.
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

extension ConversationDraftChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationDraftChanged, "ConversationDraftChanged", scope: .conversation,
        traits: [.readByPosition, .mergedByTime])

    package static let isThere = FieldOf(3, "isThere", \Self.isThere)
    package static let time = FieldOf(4, "time", \Self.time)
    package static let text = ContentFieldOf(1, "text", \Self.text)
    package static let fieldList = FieldList({ Self(isThere: $0, text: $2, at: $1) }, isThere, time, text)
}

extension EventType {
    /// The type of ``ConversationDraftChanged``.
    @inlinable public static var conversationDraftChanged: EventType { EventType(rawValue: 0x27) }
}
