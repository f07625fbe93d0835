/// The host's provider did not answer for these users; they keep what is known, else a placeholder.
public struct ProfileFetchFailed: EventPayload {
    /// The users.
    public var ids: [UserID]
    /// The provider's error code.
    public var code: Int32

    /// Creates the event.
    public init(_ ids: [UserID], code: Int32) {
        self.ids = ids
        self.code = code
    }
}

extension ProfileFetchFailed {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.profileFetchFailed, "ProfileFetchFailed", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``ProfileFetchFailed/ids`` is.
        public static let ids = Field<[UserID]>(3, "ids", .nonEmpty)
        /// Where ``ProfileFetchFailed/code`` is.
        public static let code = Field<Int32>(4, "code")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(try fields.decode(Fields.ids), code: try fields.decode(Fields.code))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(ids, for: Fields.ids)
        try fields.encode(code, for: Fields.code)
    }
}

extension EventType {
    /// The type of ``ProfileFetchFailed``.
    @inlinable public static var profileFetchFailed: EventType { EventType(rawValue: 0x51) }
}
