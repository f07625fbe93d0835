/// Teams are out of date: the last value is shown, marked stale, until fetched again.
public struct TeamInfoInvalidated: EventPayload {
    /// The teams; nil means all.
    public var ids: [ConversationKey]?

    /// Creates the event.
    public init(_ ids: [ConversationKey]?) {
        self.ids = ids
    }
}

extension TeamInfoInvalidated {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.teamInfoInvalidated, "TeamInfoInvalidated", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``TeamInfoInvalidated/ids`` is.
        public static let ids = Field<[ConversationKey]?>(3, "ids")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.ids))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(ids, for: Fields.ids)
    }
}

extension EventType {
    /// The type of ``TeamInfoInvalidated``.
    @inlinable public static var teamInfoInvalidated: EventType { EventType(rawValue: 0x54) }
}
