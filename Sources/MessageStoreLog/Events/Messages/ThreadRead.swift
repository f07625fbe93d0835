/// This account read a thread, here or on another device; the marker never moves back.
///
/// A thread is a message with the replies that name it. What counts as unread in it are replies above this marker and above
/// that of the conversation, so that reading the conversation reads its threads as well.
public struct ThreadRead: EventPayload {
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

extension ThreadRead {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.threadRead, "ThreadRead", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ThreadRead/root`` is.
        public static let root = Field<ServerMessageID>(3, "root")
        /// Where ``ThreadRead/upTo`` is.
        public static let upTo = Field<MessageOrder?>(4, "upTo")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.root), upTo: try fields.decode(Fields.upTo))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(root, for: Fields.root)
        try fields.encode(upTo, for: Fields.upTo)
    }
}

extension EventType {
    /// The type of ``ThreadRead``.
    @inlinable public static var threadRead: EventType { EventType(rawValue: 0x1C) }
}
