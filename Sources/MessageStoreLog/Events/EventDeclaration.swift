/// A type of events: its number, name, scope and version.
public struct EventDeclaration: Sendable {
    /// The number in the log.
    public let type: EventType
    /// The name, by convention that of the payload type; past tense.
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
}

/// What an event belongs to.
public enum EventScope: Sendable, Hashable {
    /// A conversation, which the event must name.
    case conversation
    /// A chat room, which the event must name.
    case chatRoom
    /// The account; the event must not name a conversation.
    case account
    /// Either, in events of unknown types.
    case any
}
