/// A session began to receive what arrived while this account was offline.
public struct OfflineSyncStarted: EventPayload {
    /// The transport's name for the session, if any.
    public var session: String?

    /// Creates the event.
    public init(session: String? = nil) {
        self.session = session
    }
}

extension OfflineSyncStarted {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(.offlineSyncStarted, "OfflineSyncStarted", scope: .account)

    /// The fields and their places.
    public enum Fields {
        /// Where ``OfflineSyncStarted/session`` is.
        public static let session = Field<String?>(3, "session")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(session: try fields.decode(Fields.session))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(session, for: Fields.session)
    }
}

extension EventType {
    /// The type of ``OfflineSyncStarted``.
    @inlinable public static var offlineSyncStarted: EventType { EventType(rawValue: 0x60) }
}
