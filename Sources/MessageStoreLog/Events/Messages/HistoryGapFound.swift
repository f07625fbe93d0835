/// The server left messages out: what is known of the conversation's timeline has a hole.
///
/// Messages received from now on, and `before` itself, are newer than the hole, until loaded history closes it.
public struct HistoryGapFound: EventPayload {
    /// The oldest message behind the hole; nil where none is known yet.
    public var before: MessageOrder?

    /// Creates the event.
    public init(before: MessageOrder? = nil) {
        self.before = before
    }
}

extension HistoryGapFound {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.historyGapFound, "HistoryGapFound", scope: .conversation)

    /// The fields and their places.
    public enum Fields {
        /// Where ``HistoryGapFound/before`` is.
        public static let before = Field<MessageOrder?>(3, "before")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(before: try fields.decode(Fields.before))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(before, for: Fields.before)
    }
}

extension EventType {
    /// The type of ``HistoryGapFound``.
    @inlinable public static var historyGapFound: EventType { EventType(rawValue: 0x18) }
}
