/// The transport's place in the server's stream, kept for its next connection.
public struct SyncCursorAdvanced: EventPayload {
    /// Which stream.
    public var name: String
    /// The place, in the transport's own form.
    public var value: [UInt8]

    /// Creates the event.
    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

extension SyncCursorAdvanced {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.syncCursorAdvanced, "SyncCursorAdvanced", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``SyncCursorAdvanced/name`` is.
        public static let name = Field<String>(3, "name", .identifier)
        /// Where ``SyncCursorAdvanced/value`` is.
        public static let value = Field<[UInt8]>(4, "value")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(name: try fields.decode(Fields.name), value: try fields.decode(Fields.value))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(name, for: Fields.name)
        try fields.encode(value, for: Fields.value)
    }
}

extension EventType {
    /// The type of ``SyncCursorAdvanced``.
    @inlinable public static var syncCursorAdvanced: EventType { EventType(rawValue: 0x63) }
}
