/// The connection to the server changed.
///
/// After `connected`, as after ``OfflineSyncStarted``, messages are taken to follow those of the session before only where an
/// offline sync completes or delivers them; else a hole may lie between. Messages that arrive live in one session have
/// no hole between them; where neither sessions nor syncs were ever recorded, they prove nothing.
public struct SessionStateChanged: EventPayload {
    /// The state from now on.
    public var state: SessionState
    /// The transport's code; 0 for none.
    public var code: Int32
    /// The transport's description, if any.
    public var text: String?

    /// Creates the event.
    public init(_ state: SessionState, code: Int32 = 0, text: String? = nil) {
        self.state = state
        self.code = code
        self.text = text
    }
}

extension SessionStateChanged {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .sessionStateChanged, "SessionStateChanged", scope: .account, traits: .readByPosition)

    /// The fields and their places.
    public enum Fields {
        /// Where ``SessionStateChanged/state`` is.
        public static let state = Field<SessionState>(3, "state")
        /// Where ``SessionStateChanged/code`` is.
        public static let code = Field<Int32>(4, "code")
        /// Where ``SessionStateChanged/text`` is.
        public static let text = Field<String?>(5, "text")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.state),
            code: try fields.decode(Fields.code),
            text: try fields.decode(Fields.text))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(state, for: Fields.state)
        try fields.encode(code, for: Fields.code)
        try fields.encode(text, for: Fields.text)
    }
}

extension EventType {
    /// The type of ``SessionStateChanged``.
    @inlinable public static var sessionStateChanged: EventType { EventType(rawValue: 0x64) }
}
