/// A type of events: its number, name, scope and version.
public struct EventDeclaration: Sendable {
    /// The number in the log.
    public let type: EventType
    /// The name: that of the payload type, in the past tense, or a host's in reverse-DNS notation.
    public let name: StaticString
    /// What events of the type belong to.
    public let scope: EventScope
    /// The version of the fields: raised when their meaning changes, not when one is added.
    public let version: UInt8

    init(_ type: EventType, _ name: StaticString, scope: EventScope, version: UInt8 = 1) {
        self.type = type
        self.name = name
        self.scope = scope
        self.version = version
    }

    /// Declares a host's type; the declaration is checked when the type is registered.
    ///
    /// - Parameters:
    ///   - name: In reverse-DNS notation, such as `com.example.message-starred`: 3 to 128 lower-case letters, digits,
    ///     hyphens and dots, at least one dot. The type has this name in every store, so it must never change.
    ///   - version: The version of the fields, from 1; see ``EventPayload/init(upcasting:from:)``.
    ///   - scope: What events of the type belong to.
    ///   - number: The number in the log, 0x8000 to 0xFFFF; by default it follows from the name. Give one only if
    ///     two names share theirs, and never change it.
    public init(_ name: StaticString, version: UInt8 = 1, scope: EventScope, number: UInt16? = nil) {
        self.init(
            number.map(EventType.init(rawValue:)) ?? EventType(hostName: name.description), name, scope: scope,
            version: version)
    }
}

/// What an event belongs to.
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
