/// Hosts' events in words, as the log describes them: the tool does not have the code of any host.
struct HostEvents {
    private let descriptions: [EventDescription]

    init(_ descriptions: [EventDescription]) {
        self.descriptions = descriptions
    }

    /// The name that a host gave to a type, or nil.
    func name(of type: EventType) -> String? {
        descriptions.first { $0.type == type }?.name
    }

    /// The name of an event's type; the number in hexadecimal where it has none.
    func typeName(of event: RecordedEvent) -> String { name(of: event.source.type) ?? event.source.typeName }

    /// The type of a host's name, or nil.
    func type(named name: String) -> EventType? {
        descriptions.first { $0.name == name }?.type
    }

    /// The names of all types, the library's and those of hosts.
    var typeNames: [String] { EventType.known.map(\.name) + descriptions.compactMap(\.name) }

    /// The names of a type's fields; nil where there is no such type.
    func fieldNames(ofType name: String) -> [String]? {
        if let type = descriptions.first(where: { $0.name == name }) { return type.fields.map(\.name) }
        return EventType.known.first { $0.name == name }?.type.fields.map(\.name)
    }

    /// The fields of an event: as its payload has them, or by the description of its type and version.
    func fieldTexts(of event: Event) -> [FieldText] {
        guard let unknown = event.payload as? UnknownEvent,
            let description = descriptions.first(where: {
                $0.type == unknown.type && $0.version == unknown.schemaVersion
            })
        else { return event.payload.fieldTexts }
        return description.fieldTexts(of: unknown, serverTime: event.serverTime)
    }
}
