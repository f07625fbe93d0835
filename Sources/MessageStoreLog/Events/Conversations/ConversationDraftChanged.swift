/// The unsent message in the input field of a conversation, or of a thread in it, changed.
public struct ConversationDraftChanged: ConversationPayload {
    /// The draft; nil removes it. Redaction removes its words and leaves an empty one.
    public var draft: Draft?
    /// The message that begins the thread; nil for the conversation's own input field.
    public var thread: ServerMessageID?
    /// When this was chosen, on whichever device; nil means when it is recorded.
    ///
    /// The latest choice holds, in whichever order they are recorded. Of two with one time, the one with a draft holds,
    /// then the later in the log.
    public var time: Timestamp?

    /// The words of the draft; nil if it has none.
    public var text: String? { draft?.content.text }
    /// Whether there is a draft; it stays true when redaction removes the words.
    public var isThere: Bool { draft != nil }

    /// Creates the event; nil removes the draft.
    public init(draft: Draft?, thread: ServerMessageID? = nil, at time: Timestamp? = nil) {
        self.draft = draft
        self.thread = thread
        self.time = time
    }

    /// Creates the event of a draft of plain text; nil removes the draft.
    public init(_ text: String?, at time: Timestamp? = nil) {
        self.init(draft: text.map { Draft($0) }, at: time)
    }
}

/// An unsent message: its content, and what belongs to it.
public struct Draft: Hashable, Sendable {
    /// The content, of any type.
    public var content: MessageContent
    /// The files that are chosen and not sent, in the app's own words, such as paths.
    public var attachments: [String]
    /// The users that it mentions.
    public var mentions: [UserID]
    /// Whether it mentions everybody.
    public var mentionsEveryone: Bool
    /// The message to which it replies.
    public var replyTo: MessageReference?
    /// The message that it replaces when it is sent.
    public var editing: MessageReference?

    /// Creates a draft.
    public init(
        _ content: MessageContent, attachments: [String] = [], mentions: [UserID] = [], mentionsEveryone: Bool = false,
        replyTo: MessageReference? = nil, editing: MessageReference? = nil
    ) {
        self.content = content
        self.attachments = attachments
        self.mentions = mentions
        self.mentionsEveryone = mentionsEveryone
        self.replyTo = replyTo
        self.editing = editing
    }

    /// Creates a draft of plain text.
    public init(_ text: String) { self.init(.text(text)) }
}

extension ConversationDraftChanged: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(
        .conversationDraftChanged, "ConversationDraftChanged", scope: .conversation,
        traits: [.readByPosition, .mergedByTime])

    package static let isThere = FieldOf(3, "isThere", \Self.isThere)
    package static let time = FieldOf(4, "time", \Self.time)
    package static let contentType = FieldOf(5, "contentType") { (event: Self) in
        event.draft.flatMap { $0.content.type == .text ? nil : $0.content.type }
    }
    package static let thread = FieldOf(6, "thread", \Self.thread)
    package static let mentions = FieldOf(7, "mentions") { (event: Self) in event.draft?.mentions.unlessEmpty }
    package static let mentionsEveryone = FieldOf(8, "mentionsEveryone") { (event: Self) in
        event.draft?.mentionsEveryone == true ? true : nil
    }
    package static let replyTo = FieldOf(9, "replyTo", \Self.draft?.replyTo)
    package static let editing = FieldOf(11, "editing", \Self.draft?.editing)
    package static let text = ContentFieldOf(1, "text", \Self.text)
    package static let data = ContentFieldOf(2, "data") { (event: Self) in event.draft?.content.data.unlessEmpty }
    package static let attributes = ContentFieldOf(3, "attributes") { (event: Self) in
        event.draft?.content.attributes.unlessEmpty
    }
    package static let attachments = ContentFieldOf(7, "attachments") { (event: Self) in
        event.draft?.attachments.unlessEmpty
    }
    package static let fieldList = FieldList(
        make, isThere, time, contentType, thread, mentions, mentionsEveryone, replyTo, editing, text, data, attributes,
        attachments)

    private static func make(
        isThere: Bool, time: Timestamp?, type: ContentType?, thread: ServerMessageID?, mentions: [UserID]?,
        mentionsEveryone: Bool?, replyTo: MessageReference?, editing: MessageReference?, text: String?, data: [UInt8]?,
        attributes: [UInt8]?, attachments: [String]?
    ) -> Self {
        let content = MessageContent(type: type ?? .text, text: text, data: data ?? [], attributes: attributes ?? [])
        let draft = Draft(
            content, attachments: attachments ?? [], mentions: mentions ?? [],
            mentionsEveryone: mentionsEveryone ?? false, replyTo: replyTo, editing: editing)
        return Self(draft: isThere ? draft : nil, thread: thread, at: time)
    }
}

extension Array {
    fileprivate var unlessEmpty: [Element]? { isEmpty ? nil : self }
}

extension EventType {
    /// The type of ``ConversationDraftChanged``.
    @inlinable public static var conversationDraftChanged: EventType { EventType(rawValue: 0x27) }
}
