/// Profiles are out of date: the last value is shown, marked stale, until fetched again.
public struct ProfileInvalidated: EventPayload {
    /// The users; nil means all.
    public var ids: [UserID]?
    /// Whether the last value is removed as well, so that placeholders are shown until profiles are fetched again.
    public var purges: Bool

    /// Creates the event.
    public init(_ ids: [UserID]?, purges: Bool = false) {
        self.ids = ids
        self.purges = purges
    }
}

extension ProfileInvalidated {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.profileInvalidated, "ProfileInvalidated", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ProfileInvalidated/ids`` is.
        public static let ids = Field<[UserID]?>(3, "ids")
        /// Where ``ProfileInvalidated/purges`` is.
        public static let purges = Field<Bool>(4, "purges")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.ids), purges: try fields.decode(Fields.purges))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(ids, for: Fields.ids)
        try fields.encode(purges, for: Fields.purges)
    }
}

extension EventType {
    /// The type of ``ProfileInvalidated``.
    @inlinable public static var profileInvalidated: EventType { EventType(rawValue: 0x52) }
}
