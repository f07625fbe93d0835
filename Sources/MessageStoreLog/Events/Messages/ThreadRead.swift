/// This account read a thread, here or on another device; the read marker never moves back.
///
/// A thread is a message with the replies that name it. Its unread count includes the replies above this read marker
/// and above the conversation's read marker, so that reading the conversation reads its threads as well.
public struct ThreadRead: ConversationPayload {
    /// The message that the replies name; the store need not have it.
    public var root: ServerMessageID
    /// The last reply read; nil means all that are known at this position.
    public var upTo: MessageOrder?

    /// Creates the event.
    public init(_ root: ServerMessageID, upTo: MessageOrder? = nil) {
        self.root = root
        self.upTo = upTo
    }
}

extension ThreadRead: BuiltInPayload, BuiltInFields {
    package static let declared = EventDeclaration(.threadRead, "ThreadRead", scope: .conversation)

    package static let root = FieldOf(3, "root", \Self.root)
    package static let upTo = FieldOf(4, "upTo", \Self.upTo)
    package static let fieldList = FieldList(Self.init, root, upTo)
}

extension EventType {
    /// The type of ``ThreadRead``.
    @inlinable public static var threadRead: EventType { EventType(rawValue: 0x1C) }
}
