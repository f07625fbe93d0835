@_spi(Storage) internal import MessageStoreLog

/// Other names for every string of a log: equal strings have equal names, and names are in the order of the strings'
/// bytes.
///
/// The order of messages at one time follows from their ids, and read markers and counts from the order.
struct Pseudonyms {
    // An id's bytes decide its equality, hash and order.
    private var names: [EventID: String] = [:]
    /// Milliseconds by which every time is later.
    private let shift: Int64

    init(shift: Int64 = 0) { self.shift = shift }

    var count: Int { names.count }

    /// Adds the strings of an event.
    mutating func collect(_ event: Event) throws {
        var found: [String] = []
        let collecting = Renaming(shift: 0) { string in
            found.append(string)
            return string
        }
        _ = try Self.renamed(event, collecting)
        for string in found { collect(string) }
    }

    mutating func collect(_ string: String) { names[EventID(string)] = "" }

    /// Gives each string its name, when all are there.
    mutating func assign() {
        let width = String(names.count).count
        for (number, string) in names.keys.ordered().enumerated() {
            let digits = String(number)
            names[string] = "x" + String(repeating: "0", count: width - digits.count) + digits
        }
    }

    /// The name of a string; an empty one stays, since it says that there is none.
    func name(of string: String) -> String { string.isEmpty ? "" : names[EventID(string)] ?? "x" }

    /// The event with other names for every string but the types of contents, without other bytes, and with later
    /// times.
    ///
    /// - Parameter moving: The positions of the named events.
    func renamed(
        _ recorded: RecordedEvent, moving: @escaping (Position) -> Position = { $0 }
    ) throws -> RecordedEvent {
        let renaming = Renaming(shift: shift, name: name(of:), moving: moving)
        return recorded.replacing(
            try Self.renamed(recorded.event, renaming), recordedTime: renaming.shifted(recorded.recordedTime))
    }

    func renamed(_ key: ConversationKey) -> ConversationKey { Renaming(shift: shift, name: name(of:)).renamed(key) }

    private static func renamed(_ event: Event, _ renaming: Renaming) throws -> Event {
        let name = renaming.name
        var renamed = event
        renamed.payload = try renaming.group(event.payload)
        renamed.conversation = event.conversation.map(renaming.renamed)
        renamed.id = event.id.map { EventID(name($0.rawValue)) }
        renamed.device = event.device.map { DeviceID(name($0.rawValue)) }
        renamed.serverTime = event.serverTime.map(renaming.shifted)
        renamed.clockTime = event.clockTime.map(renaming.shifted)
        renamed.correctedTime = event.correctedTime.map(renaming.shifted)
        renamed.unknownFields = UnknownFields()
        return renamed
    }
}

/// Puts other names into the values of payloads.
private struct Renaming {
    let shift: Int64
    let name: (String) -> String
    var moving: (Position) -> Position = { $0 }

    /// The payload, or a value with parts, with every field renamed.
    func group<Group: FieldGroup>(_ group: Group) throws -> Group {
        var fields = RenamedFields(renaming: self)
        try group.encode(to: &fields)
        return try Group(from: &fields)
    }

    func renamed(_ key: ConversationKey) -> ConversationKey {
        ConversationKey(key.kind, name(key.id), channel: key.channel.map(name))
    }

    /// A later time; unknown and endless ones stay, and no other becomes endless.
    func shifted(_ time: Timestamp) -> Timestamp {
        let last = Timestamp.latest.milliseconds - 1
        guard time != .unknown, time.milliseconds < last else { return time }
        return Timestamp(milliseconds: min(time.milliseconds + shift, last))
    }

    /// A value of any type that fields have; numbers, enumerations and types of contents stay.
    func renamed(_ value: Any) throws -> Any {
        switch value {
        case let id as UserID: renamed(id)
        case let id as ServerMessageID: renamed(id)
        case let token as ClientToken: ClientToken(name(token.rawValue))
        case let key as ConversationKey: renamed(key)
        case let reference as MessageReference: renamed(reference)
        case let id as LocalMessageID: moved(id)
        case let position as Position: moving(position)
        case let positions as [Position]: positions.map(moving)
        case let order as MessageOrder: MessageOrder(time: shifted(order.time), id: order.id.map(renamed))
        case let time as Timestamp: shifted(time)
        case let string as String: name(string)
        case let users as [UserID]: users.map(renamed)
        case let keys as [ConversationKey]: keys.map(renamed)
        case let references as [MessageReference]: references.map(renamed)
        case let strings as [String]: strings.map(name)
        case let profiles as [Profile]: try profiles.map(group)
        case let teams as [TeamInfo]: try teams.map(group)
        case let contacts as [ContactInfo]: try contacts.map(group)
        case let reactions as [ReactionSummary]: try reactions.map(group)
        case let pairs as [String: String]: renamed(pairs)
        case let pairs as IndexedAttributes: IndexedAttributes(renamed(pairs.values))
        case is [UInt8]: [UInt8]()
        default: value
        }
    }

    private func renamed(_ id: UserID) -> UserID { UserID(name(id.rawValue)) }

    private func renamed(_ id: ServerMessageID) -> ServerMessageID { ServerMessageID(name(id.rawValue)) }

    private func renamed(_ reference: MessageReference) -> MessageReference {
        switch reference {
        case .server(let id): .server(renamed(id))
        case .local(let id): .local(moved(id))
        }
    }

    private func moved(_ id: LocalMessageID) -> LocalMessageID {
        LocalMessageID(moving(Position(id.rawValue)).rawValue)
    }

    private func renamed(_ pairs: [String: String]) -> [String: String] {
        Dictionary(pairs.map { (name($0.key), name($0.value)) }, uniquingKeysWith: { first, _ in first })
    }
}

/// Takes the fields of a payload and gives them back with other names.
private struct RenamedFields: FieldEncoder, FieldDecoder {
    let renaming: Renaming
    fileprivate var values: [String: Any] = [:]

    mutating func encode<Value: FieldValue>(_ value: Value, for field: Field<Value>) throws {
        values[field.name.description] = try renaming.renamed(value)
    }

    mutating func encode<Value: FieldValue>(_ value: Value, for field: ContentField<Value>) throws {
        values[field.name.description] = try renaming.renamed(value)
    }

    mutating func encode<Slot: EnvelopeSlot>(_ value: Slot.Value, for field: SlotField<Slot>) throws {
        values[field.name.description] = try renaming.renamed(value)
    }

    func decode<Value: FieldValue>(_ field: Field<Value>) throws -> Value { try value(field.name) }

    func decode<Value: FieldValue>(_ field: ContentField<Value>) throws -> Value { try value(field.name) }

    func decode<Slot: EnvelopeSlot>(_ field: SlotField<Slot>) throws -> Slot.Value { try value(field.name) }

    private func value<Value: FieldValue>(_ name: StaticString) throws -> Value {
        guard let value = values[name.description] as? Value else { return try Value._placeholder }
        return value
    }
}
