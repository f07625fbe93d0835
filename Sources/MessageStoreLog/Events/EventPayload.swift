/// What happened: the payload of an ``Event``.
///
/// A payload type declares its number, name and scope in ``declaration`` and its fields as a ``FieldGroup``. How it is
/// recorded, read, checked, redacted, shown and turned into JSON follows from the two.
///
/// The payload types are those of the library; an event with any other is refused. Underscored requirements have
/// implementations; do not write others.
public protocol EventPayload: FieldGroup {
    /// The type's number, name, scope and version.
    static var declaration: EventDeclaration { get }
    /// Checks rules that concern several fields, after each field was checked by its own.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument`; nothing is recorded.
    func validate() throws
    /// The event's type.
    var _eventType: EventType { get }
    /// The version of the event's fields.
    var _schemaVersion: UInt8 { get }
    /// Whether the event is recorded at all, or only delivered to whoever listens.
    var _isKept: Bool { get }
    /// Completes the envelope by what follows from the payload, after its fields were written.
    func _complete(_ envelope: inout RecordEnvelope)
    /// Writes the fields.
    func _encode(into writer: inout RecordFieldWriter) throws
    /// Reads the fields.
    static func _decoded(from reader: inout RecordFieldReader) throws -> Self
}

// These are requirements with implementations so that the compiler makes one for each payload, without generic code.
extension EventPayload {
    /// No rules but those of the fields.
    public func validate() throws {}
    /// The declared type.
    public var _eventType: EventType { Self.declaration.type }
    /// The declared version.
    public var _schemaVersion: UInt8 { Self.declaration.version }
    /// Events are recorded.
    public var _isKept: Bool { true }
    /// Leaves the envelope as the fields made it.
    public func _complete(_ envelope: inout RecordEnvelope) {}
    /// Writes the declared fields.
    public func _encode(into writer: inout RecordFieldWriter) throws { try encode(to: &writer) }
    /// Reads the declared fields.
    public static func _decoded(from reader: inout RecordFieldReader) throws -> Self {
        try Self(from: &reader)
    }

    /// An error about the event as a whole.
    package func invalid(_ problem: String) -> StoreError {
        StoreError(.invalidArgument, "\(_eventType) \(problem)")
    }
}
