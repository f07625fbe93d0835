/// The payload of an ``Event``, which says what happened.
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
    /// not be derived from content, which folds and redacted events lack. By default the fields are read as the current
    /// version's.
    ///
    /// - Parameters:
    ///   - fields: The fields of the earlier version.
    ///   - version: The earlier version, below the declared one.
    init(upcasting fields: inout some FieldDecoder, from version: UInt8) throws
    /// Checks rules that concern several fields, after each field was checked by its own.
    ///
    /// - Throws: The error that ``invalid(_:)`` returns, or an error of the host; nothing is recorded.
    func validate() throws
    /// Whether the event is recorded. Of events that are not, received messages alone are delivered.
    var isStored: Bool { get }
}

extension EventPayload {
    /// Reads the fields as the current version's.
    public init(upcasting fields: inout some FieldDecoder, from version: UInt8) throws {
        try self.init(from: &fields)
    }
    /// No rules but the fields' own.
    public func validate() throws {}
    /// Events are recorded.
    public var isStored: Bool { true }

    /// The declared type, or an unknown event's.
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
    /// No rules but the fields' own.
    package func check() throws {}
}

/// A type of events: its number, name, scope and version.
public struct EventDeclaration: Sendable {
    /// The number in the log.
    public let type: EventType
    /// The name: the payload type's, in the past tense, or a host's in reverse-DNS notation.
    public let name: StaticString
    /// The scope to which events of the type belong.
    public let scope: EventScope
    /// The version of the fields: raised when their meaning changes, not when one is added.
    public let version: UInt8
    /// Further traits of all events of a built-in type.
    package let traits: EventTraits

    init(
        _ type: EventType, _ name: StaticString, scope: EventScope, version: UInt8 = 1, traits: EventTraits = []
    ) {
        self.type = type
        self.name = name
        self.scope = scope
        self.version = version
        self.traits = traits
    }

    /// Declares a host's type; the declaration is checked when the type is registered.
    ///
    /// - Parameters:
    ///   - name: In reverse-DNS notation, such as `com.example.message-starred`: 3 to 128 lower-case letters, digits,
    ///     hyphens and dots, at least one dot. The type has this name in every store, so it must never change.
    ///   - version: The version of the fields, from 1; see ``EventPayload/init(upcasting:from:)``.
    ///   - scope: The scope to which events of the type belong.
    ///   - number: The number in the log, 0x8000 to 0xFFFF; by default it follows from the name. Give one only if
    ///     two names share theirs, and never change it.
    public init(_ name: StaticString, version: UInt8 = 1, scope: EventScope, number: UInt16? = nil) {
        self.init(
            number.map(EventType.init(rawValue:)) ?? EventType(hostName: name.description), name, scope: scope,
            version: version)
    }
}

/// The scope to which an event belongs.
public enum EventScope: Sendable, Hashable {
    /// A conversation, which the event must name.
    case conversation
    /// A chat room, which the event must name.
    case chatRoom
    /// The account; the event must not name a conversation.
    case account
    /// Either, as the event says.
    case any
}

/// Traits of all events of a built-in type.
package struct EventTraits: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Rows of the timeline change by it.
    package static let changesTimeline = EventTraits(rawValue: 1 << 0)
    /// It says something about a message or a change alone, so that without that it says nothing.
    package static let needsMessage = EventTraits(rawValue: 1 << 1)
    /// It changes one message, which its field of references names.
    package static let changesOneMessage = EventTraits(rawValue: 1 << 2)
    /// It holds what a message says, or a part of that, besides the message's own record; redacting a message redacts
    /// it.
    package static let holdsWords = EventTraits(rawValue: 1 << 3)
    /// Timelines show it between messages.
    package static let shownBetweenMessages = EventTraits(rawValue: 1 << 4)
    /// Views read it again by its position, so that a replay can have only one such event there.
    package static let readByPosition = EventTraits(rawValue: 1 << 5)
    /// It replaces what earlier events said, so that one recorded too late may undo what is newer.
    package static let replacesEarlier = EventTraits(rawValue: 1 << 6)
    /// It is a choice, merged with others by its time: one without a time was made by the clock of its recording.
    package static let mergedByTime = EventTraits(rawValue: 1 << 7)
}

extension EventType {
    /// Whether events of the type have a trait; hosts' types have none.
    package func has(_ trait: EventTraits) -> Bool { EventCatalog.traits[self]?.contains(trait) == true }
}

extension Set<EventType> {
    /// The built-in types with a trait.
    package static func with(_ trait: EventTraits) -> Set<EventType> {
        Set(EventCatalog.known.filter { $0.traits.contains(trait) }.map(\.type))
    }
}

/// The limits of recorded events.
public enum EventLimits {
    /// UTF-8 bytes of an identifier or token; keeps every key within LMDB's 511 bytes.
    public static let identifierBytes = 255
    /// UTF-8 bytes of a conversation's channel.
    public static let channelBytes = 200
    /// UTF-8 bytes of a tag, a reaction, or the key of a pair.
    public static let keyBytes = 128
    /// Bytes of one event's record: text, data, attributes and lists included.
    public static let eventBytes = 16 << 20
    /// The maximum reported size of a message's file on this device, in bytes: a tebibyte.
    public static let fileBytes: UInt64 = 1 << 40
    /// The maximum number of events recorded at once.
    public static let batchEvents = 1 << 20
}
