/// The type of an event, as its number in the log.
///
/// Numbers are never reused: a retired type keeps its own. Types of hosts begin at 0x8000. Each folder of events has a
/// range of numbers, which `Docs/Format.md` lists.
public struct EventType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt16

    /// Wraps a number.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The type of a payload's events, built-in or a host's.
    public init(_ payload: any EventPayload.Type) { self = payload.declaration.type }

    /// The number of a host's name: the low 15 bits of its XXH64, from 0x8000 on.
    init(hostName: String) {
        self.init(rawValue: 0x8000 | UInt16(truncatingIfNeeded: XXH64.hash(hostName) & 0x7FFF))
    }

    /// The built-in type of this name, or nil.
    public init?(name: String) {
        guard let type = EventCatalog.known.first(where: { $0.name.description == name })?.type else { return nil }
        self = type
    }

    /// Every built-in type, with its name.
    public static var known: [(type: EventType, name: String)] {
        EventCatalog.known.map { ($0.type, $0.name.description) }
    }

    /// Whether the number is one of those that hosts use.
    package var isHosts: Bool { rawValue >= 0x8000 }

    /// Whether the type is built in.
    public var isKnown: Bool { EventCatalog.traits[self] != nil }

    /// The declaration of a built-in type, else nil.
    public var declaration: EventDeclaration? { EventCatalog[self]?.declaration }

    /// The fields that a built-in type declares, else none.
    public var fields: [FieldDescription] { EventCatalog[self]?.fields ?? [] }

    /// Whether events of the type are messages, which take a place in a timeline.
    @inlinable package var isMessage: Bool {
        self == .messageReceived || self == .messageSendQueued || self == .messageInsertedLocally
    }

    /// The name of a built-in type, else the number in hexadecimal.
    public var description: String {
        declaration?.name.description ?? "0x" + String(rawValue, radix: 16, uppercase: true)
    }
}
