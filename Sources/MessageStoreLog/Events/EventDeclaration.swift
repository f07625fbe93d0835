/// A type of events: its number, name, scope and version.
public struct EventDeclaration: Sendable {
    /// The number in the log.
    public let type: EventType
    /// The name: that of the payload type, in the past tense, or a host's in reverse-DNS notation.
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
    /// Whether events of the type have a trait; those of hosts have none.
    package func has(_ trait: EventTraits) -> Bool { EventCatalog.traits[self]?.contains(trait) == true }
}

extension Set<EventType> {
    /// The built-in types with a trait.
    package static func with(_ trait: EventTraits) -> Set<EventType> {
        Set(EventCatalog.known.filter { $0.traits.contains(trait) }.map(\.type))
    }
}
