/// The type of an event, as its number in the log.
///
/// Numbers are never reused: a retired type keeps its own. Types of hosts begin at 0x8000.
public struct EventType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt16

    /// Wraps a number.
    @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The type of this name, or nil.
    public init?(name: String) {
        guard let type = EventCatalog.known.first(where: { $0.name.description == name })?.type else { return nil }
        self = type
    }

    /// Every type that this version knows, with its name.
    public static var known: [(type: EventType, name: String)] {
        EventCatalog.known.map { ($0.type, $0.name.description) }
    }

    /// Whether this version knows the type.
    public var isKnown: Bool { EventCatalog[self] != nil }

    /// What the type declares; nil for an unknown type.
    public var declaration: EventDeclaration? { EventCatalog[self]?.declaration }

    /// The fields that the type declares; empty for an unknown type.
    public var fields: [FieldDescription] { EventCatalog[self]?.fields ?? [] }

    /// Whether events of the type have content, which redaction removes.
    package var hasRedactableContent: Bool { EventCatalog[self]?.hasContent == true }

    /// Whether events of the type are messages, which take a place in a timeline.
    @_spi(Storage) @inlinable public var isMessage: Bool {
        self == .messageReceived || self == .messageSendQueued || self == .messageInsertedLocally
    }

    /// The name, or the number in hexadecimal for an unknown type.
    public var description: String {
        declaration?.name.description ?? "0x" + String(rawValue, radix: 16, uppercase: true)
    }
}
