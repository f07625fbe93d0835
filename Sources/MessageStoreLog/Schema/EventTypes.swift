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

    /// Whether hosts use the number.
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

/// The types of events that a store knows: the built-in ones and its host's.
///
/// A store takes them from its configuration. A JSON decoder needs them to decode hosts' events:
///
/// ```swift
/// decoder.userInfo[.eventTypes] = store.eventTypes
/// ```
public struct EventTypes: Sendable {
    /// The built-in types alone.
    public static let builtIn = EventTypes(hosts: [:])

    let hosts: [EventType: EventCatalog.Entry]

    private init(hosts: [EventType: EventCatalog.Entry]) {
        self.hosts = hosts
    }

    /// Adds a host's types to the built-in ones.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument` where a declaration breaks a rule or two types have one
    ///   number; it names the types and fields.
    public init(_ payloads: [any EventPayload.Type]) throws {
        var hosts: [EventType: EventCatalog.Entry] = [:]
        for payload in payloads {
            let entry = try EventCatalog.Entry(checking: payload)
            let (type, name) = (entry.declaration.type, entry.declaration.name.description)
            if let other = hosts[type] ?? hosts.values.first(where: { $0.declaration.name.description == name }) {
                throw StoreError(
                    .invalidArgument,
                    "\(other.declaration.name) (\(other.payload)) and \(name) (\(payload)) have one name, or one "
                        + "number: \(other.declaration.type) and \(type)")
            }
            hosts[type] = entry
        }
        self.init(hosts: hosts)
    }

    subscript(type: EventType) -> EventCatalog.Entry? { type.isHosts ? hosts[type] : EventCatalog[type] }

    func scope(of type: EventType) -> EventCatalog.Scope? {
        type.isHosts ? hosts[type].map { EventCatalog.Scope($0.payload) } : EventCatalog.scopes[type]
    }

    /// The version of each registered type of hosts.
    package var hostVersions: [EventType: UInt8] { hosts.mapValues { $0.declaration.version } }

    /// Whether the type is a host's that is registered.
    package func isRegistered(_ type: EventType) -> Bool { hosts[type] != nil }

    /// The name of a type; its number in hexadecimal where it is neither built in nor registered.
    package func name(of type: EventType) -> String { self[type]?.declaration.name.description ?? type.description }

    /// The built-in or registered type of a name, or nil.
    package func type(named name: String) -> EventType? {
        EventType(name: name) ?? hosts.values.first { $0.declaration.name.description == name }?.declaration.type
    }

    /// Whether the record has content that redaction may remove.
    func hasContent(_ record: RecordView) -> Bool {
        guard let entry = self[record.type] else { return false }
        // An earlier version of a host's type may have had content that the current one does not have.
        return entry.hasContent || record.type.isHosts && record.content.byteCount > 0
    }
}

extension EventTypes {
    /// The event with its typed payload, where it is an unknown one of a registered type in a version that this one can
    /// read; any other is given back as it is.
    ///
    /// - Parameter position: The position of its record; nil if it is not recorded.
    /// - Throws: ``StoreError`` with code `recordDamaged`, or `invalidArgument` where it is not recorded, naming a
    ///   field that cannot be read; or what the payload's initialiser throws.
    package func typed(_ event: Event, at position: Position? = nil) throws -> Event {
        guard let unknown = event.payload as? UnknownEvent, let entry = hosts[unknown.type],
            unknown.schemaVersion <= entry.declaration.version
        else { return event }
        guard !FieldReader(unknown.content.span.bytes).isBroken else {
            throw StoreError(
                position == nil ? .invalidArgument : .recordDamaged, "\(entry.declaration.name) has broken content",
                position: position)
        }
        var reader = HostFieldReader(unknown, event.serverTime, name: entry.declaration.name, position)
        var typed = event
        typed.payload = try entry.payload.read(&reader, version: unknown.schemaVersion)
        // The host that raised the version knows what earlier versions held.
        if unknown.schemaVersion == entry.declaration.version {
            typed.unknownFields.fields = FieldReader(unknown.fields.span.bytes).bytes(except: entry.numbers.fields)
            typed.unknownFields.content = FieldReader(unknown.content.span.bytes).bytes(except: entry.numbers.content)
        }
        return typed
    }

    /// Checks that an unknown event of a registered type is one that the payload could have written.
    func validateUnknown(_ event: Event) throws {
        guard event.payload is UnknownEvent else { return }
        let typed = try typed(event)
        guard !(typed.payload is UnknownEvent) else { return }
        try typed.payload.validateFields()
        try typed.payload.validate()
    }

    /// Whether the record is one of a registered type in an earlier version.
    func isOutdated(_ record: RecordView) -> Bool {
        guard record.type.isHosts, let entry = hosts[record.type] else { return false }
        return record.schemaVersion < entry.declaration.version
    }

    /// The bytes of an event's record, which are others where the payload was read from an earlier version of its type.
    ///
    /// - Parameters:
    ///   - stored: The bytes that the record takes.
    ///   - version: The version that wrote it.
    package func byteCount(of event: Event, stored: Int, version: UInt8) throws -> Int {
        guard isRegistered(event.type), version < event.payload.schemaVersion, !(event.payload is UnknownEvent) else {
            return stored
        }
        let parts = try parts(ofHosts: event)
        let clock = event.correctedTime == nil ? 0 : RecordLayout.clockSize
        return RecordLayout.headerSize + clock + parts.fields.count + parts.content.count
    }

    /// The fields and content of a host's event, which need no log to be written.
    func parts(ofHosts event: Event) throws -> RecordFieldWriter {
        var parts = RecordFieldWriter(account: UserID(""), symbols: nil)
        parts.begin(event, Swift.type(of: event.payload), self)
        try event.payload.encode(to: &parts)
        return parts
    }
}

extension EventPayload {
    /// Reads the fields of a version up to the declared one.
    static func read(_ fields: inout some FieldDecoder, version: UInt8) throws -> any EventPayload {
        version < declaration.version ? try Self(upcasting: &fields, from: version) : try Self(from: &fields)
    }
}
