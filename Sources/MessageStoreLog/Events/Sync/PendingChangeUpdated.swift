/// What became of telling the server of a change that was made on this device.
///
/// It changes nothing else: what a withdrawn change did here stays until another event undoes it.
public struct PendingChangeUpdated: EventPayload {
    /// The position of the event that waits: one with ``Event/awaitsServer``, or a ``MessageModified`` or ``MessageRecalled`` of
    /// origin `local`.
    public var change: Position
    /// What became of it.
    public var status: PendingChangeStatus
    /// The transport's error code where the status is `failed`.
    public var code: Int32

    /// Creates the event.
    public init(_ change: Position, _ status: PendingChangeStatus, code: Int32 = 0) {
        self.change = change
        self.status = status
        self.code = code
    }
}

extension PendingChangeUpdated {
    /// The type's number, name and scope.
    public static let declaration = EventDeclaration(
        .pendingChangeUpdated, "PendingChangeUpdated", scope: .account, traits: .needsMessage)

    /// The fields and their places.
    public enum Fields {
        /// Where ``PendingChangeUpdated/change`` is.
        public static let change = Field<Position>(3, "change")
        /// Where ``PendingChangeUpdated/status`` is.
        public static let status = Field<PendingChangeStatus>(4, "status")
        /// Where ``PendingChangeUpdated/code`` is.
        public static let code = Field<Int32>(5, "code")
    }

    /// Reads the fields.
    public init(from fields: inout some FieldDecoder) throws {
        self.init(
            try fields.decode(Fields.change), try fields.decode(Fields.status), code: try fields.decode(Fields.code))
    }

    /// Writes the fields.
    public func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(change, for: Fields.change)
        try fields.encode(status, for: Fields.status)
        try fields.encode(code, for: Fields.code)
    }
}

extension EventType {
    /// The type of ``PendingChangeUpdated``.
    @inlinable public static var pendingChangeUpdated: EventType { EventType(rawValue: 0x66) }
}
