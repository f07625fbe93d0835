/// A conversation's messages were cleared for this account; the conversation stays in the list.
public struct HistoryCleared: EventPayload {
    /// The last message cleared; nil means all that is known at this position.
    public var upTo: MessageOrder?
    /// Whether the transport should delete them on the server as well.
    public var isRemote: Bool

    /// Creates the event.
    public init(upTo: MessageOrder? = nil, isRemote: Bool = false) {
        self.upTo = upTo
        self.isRemote = isRemote
    }
}

extension HistoryCleared {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .historyCleared, "HistoryCleared", scope: .conversation, traits: .changesTimeline)

    /// The fields and their places.
    public enum Fields {
        /// Where ``HistoryCleared/upTo`` is.
        public static let upTo = Field<MessageOrder?>(3, "upTo")
        /// Where ``HistoryCleared/isRemote`` is.
        public static let isRemote = Field<Bool>(5, "isRemote")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            upTo: try fields.decode(Fields.upTo),
            isRemote: try fields.decode(Fields.isRemote))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(upTo, for: Fields.upTo)
        try fields.encode(isRemote, for: Fields.isRemote)
    }
}

extension EventType {
    /// The type of ``HistoryCleared``.
    @inlinable public static var historyCleared: EventType { EventType(rawValue: 0x0B) }
}
