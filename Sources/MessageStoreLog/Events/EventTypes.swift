/// The types of events that a store knows: the built-in ones and those of its host.
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
