/// What happened: the payload of an ``Event``.
///
/// A payload type declares its number, name and scope in ``declaration`` and its fields as a ``FieldGroup``. How it is
/// recorded, read, checked, redacted, shown and turned into JSON follows from the two.
///
/// A host's own payload types conform to ``ConversationPayload`` or ``AccountPayload``, so that an event of the wrong
/// scope does not compile, or to this protocol alone for ``EventScope/any``. They are registered when a store is
/// opened; an event whose payload is not registered is refused. Their `init(from:)` must read every field and accept
/// any values of the fields' types; rules belong in ``validate()``.
public protocol EventPayload: FieldGroup {
    /// The type's number, name, scope and version.
    static var declaration: EventDeclaration { get }
    /// Reads the fields as an earlier version of a host's type declared them.
    ///
    /// Raise the declared version when fields get another meaning, and read here what records of the earlier versions
    /// hold; fields that had other names or types are constants of their own. Records are not rewritten. A field must
    /// not be derived from content, which folds and redacted events lack. By default the fields are read as those of
    /// the current version.
    ///
    /// - Parameters:
    ///   - fields: The fields of the earlier version.
    ///   - version: The earlier version, below the declared one.
    init(upcasting fields: inout some FieldDecoder, from version: UInt8) throws
    /// Checks rules that concern several fields, after each field was checked by its own.
    ///
    /// - Throws: The error that ``invalid(_:)`` returns, or an error of the host; nothing is recorded.
    func validate() throws
    /// Whether the event is recorded. Of those that are not, received messages alone are delivered.
    var isStored: Bool { get }
}

extension EventPayload {
    /// Reads the fields as those of the current version.
    public init(upcasting fields: inout some FieldDecoder, from version: UInt8) throws {
        try self.init(from: &fields)
    }
    /// No rules but those of the fields.
    public func validate() throws {}
    /// Events are recorded.
    public var isStored: Bool { true }

    /// The declared type, or that of an unknown event.
    package var eventType: EventType { unknown?.type ?? Self.declaration.type }
    /// The version of the event's fields.
    package var schemaVersion: UInt8 { unknown?.schemaVersion ?? Self.declaration.version }
    /// Compares types first, because a cast copies the payload.
    private var unknown: UnknownEvent? { Self.self == UnknownEvent.self ? self as? UnknownEvent : nil }

    /// The type; `type(of:)` would copy the payload.
    var payloadType: any EventPayload.Type {
        @inline(never) get { Self.self }
    }

    /// Whether the event is recorded; to ask `isStored` would copy the payload.
    package var isRecorded: Bool {
        @inline(never) get { isStored }
    }

    /// An error about the event as a whole, for ``EventPayload/validate()``.
    ///
    /// - Parameter problem: The rest of a sentence that begins with the type's name, such as "names no message".
    /// - Returns: An error with code `invalidArgument`.
    public func invalid(_ problem: String) -> StoreError {
        StoreError(.invalidArgument, "\(typeName) \(problem)")
    }

    /// The name of the type; the number in hexadecimal where it has none.
    public var typeName: String {
        unknown?.type.description ?? Self.declaration.name.description
    }
}

/// The payload of an event that belongs to a conversation or a chat room, as the scope that it declares says.
public protocol ConversationPayload: EventPayload {}

/// The payload of an event that belongs to the account, as the scope that it declares says.
public protocol AccountPayload: EventPayload {}

/// A built-in type of events: its declaration and its fields are the package's alone.
package protocol BuiltInPayload: EventPayload, BuiltInGroup {
    static var declared: EventDeclaration { get }
    /// Checks rules that concern several fields.
    func check() throws
}

extension BuiltInPayload {
    /// The type's number, name and scope.
    public static var declaration: EventDeclaration { declared }
    /// Checks the type's rules.
    public func validate() throws { try check() }
    /// No rules but those of the fields.
    package func check() throws {}
}
