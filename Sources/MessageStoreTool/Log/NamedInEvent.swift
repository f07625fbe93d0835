@_spi(Storage) internal import MessageStoreLog

/// The messages and users that an event names in any field.
struct NamedInEvent {
    private(set) var locals: Set<LocalMessageID> = []
    private(set) var servers: Set<ServerMessageID> = []
    private(set) var users: Set<UserID> = []

    init(_ event: Event, _ hosts: HostEvents) {
        try? event.payload.encode(to: &self)
        if let peer = event.conversation, peer.kind == .single { users.insert(UserID(peer.id)) }
        guard event.payload is UnknownEvent else { return }
        for field in hosts.fieldTexts(of: event) where field.type.kind == .user {
            guard let text = field.text else { continue }
            // Of a list the ids have spaces between them.
            let ids = field.type.isList ? text.split(separator: " ").map { String($0) } : [text]
            users.formUnion(ids.map { UserID($0) })
        }
    }

    private mutating func add(_ value: Any) {
        switch value {
        case let id as LocalMessageID: locals.insert(id)
        case let id as ServerMessageID: servers.insert(id)
        case let order as MessageOrder: if let id = order.id { servers.insert(id) }
        case .local(let id) as MessageReference: locals.insert(id)
        case .server(let id) as MessageReference: servers.insert(id)
        case let references as [MessageReference]: references.forEach { add($0) }
        case let id as UserID: users.insert(id)
        case let ids as [UserID]: users.formUnion(ids)
        case let profiles as [Profile]: users.formUnion(profiles.map(\.id))
        case let contacts as [ContactInfo]: users.formUnion(contacts.map(\.id))
        case let reactions as [ReactionSummary]: users.formUnion(reactions.flatMap(\.users))
        default: break
        }
    }
}

extension NamedInEvent: FieldEncoder {
    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws { add(value) }
    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws { add(value) }
    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws { add(value) }
}
