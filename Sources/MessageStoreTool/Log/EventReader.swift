internal import Foundation
@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// The event at a position; nil if there is none.
    func event(at position: Position) throws -> RecordedEvent? {
        try events(from: position, to: position, limit: 1).first
    }
}

/// Reads the chosen events of a store, present and coming ones.
struct EventReader {
    let store: MessageStore
    let filter: EventFilter
    let search: EventSearch
    /// Called for damaged records, which are left out; nil to end at the first.
    let onDamage: ((StoreError) throws -> Void)?
    let print: (RecordedEvent, HostEvents) throws -> Void

    /// Prints the events between two positions, or only the last of them.
    func read(from first: Position, to final: Position, last: Int? = nil) throws {
        guard first <= final, final > .origin else { return }
        let hosts = HostEvents(try store.eventDescriptions())
        guard let last else { return try readAll(from: first, to: final, hosts) }
        var found: [RecordedEvent] = []
        try store.forEachEvent(from: first, to: final, order: .descending, where: filter, onDamage: onDamage) { event in
            if search.matches(event, hosts) { found.append(event) }
            return found.count < last
        }
        for event in found.reversed() { try print(event, hosts) }
    }

    /// Prints the events in parts, outside of the log's read, so that names can be looked up.
    private func readAll(from first: Position, to final: Position, _ hosts: HostEvents) throws {
        var next: Position? = first
        while let start = next {
            var found: [RecordedEvent] = []
            next = nil
            try store.forEachEvent(from: start, to: final, where: filter, onDamage: onDamage) { event in
                guard search.matches(event, hosts) else { return true }
                found.append(event)
                guard found.count == Self.partSize else { return true }
                next = Position(event.position.rawValue + 1)
                return false
            }
            for event in found { try print(event, hosts) }
        }
    }

    private static let partSize = 256

    /// Prints each event after a position when it is there, whichever process recorded it; does not return.
    func follow(after position: Position) throws -> Never {
        var reached = position
        while true {
            // Whoever reads the output sees all there is before the wait.
            try StandardOutput.flush()
            let end = try store.lastPosition()
            if end > reached {
                try read(from: Position(reached.rawValue + 1), to: end)
                reached = end
            } else {
                Thread.sleep(forTimeInterval: 0.1)
            }
        }
    }
}

/// The events that somebody asked for by names.
struct EventSelection {
    var filter: EventFilter
    var search: EventSearch

    /// - Parameters:
    ///   - types: Names of types, the library's or a host's; none for all.
    ///   - conversation: Only events of this conversation; nil for all.
    ///   - names: Only events that name this message; nil for all.
    ///   - text: Only events that hold this text; nil for all.
    ///   - store: The store.
    /// - Throws: ``ToolError`` if there is no such type.
    init(
        types: [String], conversation: ConversationKey?, names: MessageNames?, text: String?, in store: MessageStore
    ) throws {
        (filter, search) = (EventFilter(conversation: names?.conversation ?? conversation), EventSearch())
        (search.message, search.text) = (names, text.map { SoughtText($0) })
        guard !types.isEmpty else { return }
        let hosts = HostEvents(try store.eventDescriptions())
        filter.types = Set(
            try types.map { type in
                guard let found = EventType(name: type) ?? hosts.type(named: type) else {
                    throw ToolError.usage("there is no event type \(type)" + type.remedy(among: hosts.typeNames))
                }
                return found
            })
    }
}

/// The messages and users that an event names in any field.
struct NamedInEvent {
    private(set) var locals: Set<LocalMessageID> = []
    private(set) var servers: Set<ServerMessageID> = []
    private(set) var users: Set<UserID> = []
    /// Of all events that it names by their positions, messages included.
    private(set) var positions: Set<Position> = []

    init(_ event: Event, _ hosts: HostEvents) {
        try? event.payload.encode(to: &self)
        positions.formUnion(locals.map { Position($0.rawValue) })
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
        case let position as Position: positions.insert(position)
        case let named as [Position]: positions.formUnion(named)
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

/// Counts events by the values of some of their fields.
struct EventTally {
    private struct Group {
        var count = 0
        let first: Position
        var last: Position
    }

    /// A field, or whether a comparison holds.
    private enum Part {
        case operand(EventOperand)
        case comparison(EventComparison)
    }

    private let names: [String]
    private let parts: [Part]
    private let hasContent: Bool
    private var groups: [[String]: Group] = [:]

    /// - Parameter text: Fields and comparisons, with commas between them.
    /// - Throws: ``ToolError`` if there is no such field.
    init(_ text: String, fields: Set<String>, hasContent: Bool) throws {
        names = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        parts = try names.map { name in
            let operand = EventOperand(name, fields: fields)
            return operand.field == nil
                ? .comparison(try EventComparison(name, fields: fields)) : .operand(operand)
        }
        self.hasContent = hasContent
    }

    mutating func add(_ event: RecordedEvent, _ hosts: HostEvents) {
        let values = parts.map { part in
            switch part {
            case .comparison(let comparison): comparison.holds(for: event, hosts) ? "yes" : "no"
            case .operand(let operand): words(operand, event, hosts)
            }
        }
        groups[values, default: Group(first: event.position, last: event.position)].count += 1
        groups[values]?.last = event.position
    }

    /// The words that the log command shows of a field.
    private func words(_ operand: EventOperand, _ event: RecordedEvent, _ hosts: HostEvents) -> String {
        guard let field = operand.field, operand.text == field else {
            return operand.value(in: event, hosts)?.text ?? "none"
        }
        return EventColumns(event, hosts, hasContent: hasContent, chosen: [field])[field] ?? "none"
    }

    /// The most frequent first, then the earliest.
    private var sorted: [(values: [String], group: Group)] {
        groups.map { (values: $0.key, group: $0.value) }
            .ordered { ($1.group.count, $0.group.first) < ($0.group.count, $1.group.first) }
    }

    func print(isJSON: Bool) throws {
        guard !isJSON else {
            for (values, group) in sorted {
                let named = Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
                try JSON.print(
                    ["count": group.count, "first": group.first, "last": group.last, "values": named] as JSONObject)
            }
            return
        }
        let numbers = ["EVENTS", "FIRST", "LAST"].map { TextTable.Column.right($0) }
        var table = TextTable(columns: numbers + names.map { .init(header: $0) })
        for (values, group) in sorted {
            table.append([NumberFormat.count(group.count), "\(group.first)", "\(group.last)"] + values)
        }
        table.print()
    }

    /// Shows every type, those without an event as well, with its fields.
    func printTypes(of store: MessageStore, isJSON: Bool) throws {
        var fields = Dictionary(EventType.known.map { ($0.name, $0.type.fields) }, uniquingKeysWith: { $1 })
        for host in try store.eventDescriptions() { fields[host.name] = host.fields }
        let found = sorted.map { (name: $0.values[0], group: Optional($0.group)) }
        let others = Set(fields.keys).subtracting(found.map(\.name)).ordered().map { (name: $0, group: Group?.none) }
        for (name, group) in found + others {
            let names = fields[name]?.map(\.name) ?? []
            if isJSON {
                try JSON.print(
                    [
                        "type": name, "count": group?.count ?? 0, "first": group?.first, "last": group?.last,
                        "fields": names,
                    ] as JSONObject)
                continue
            }
            let words = group.map { "\(NumberFormat.count($0.count, "event", "events")), \($0.first) to \($0.last)" }
            Swift.print("\(name): \(words ?? "none")".terminalSafe)
            if !names.isEmpty { Swift.print("    \(names.joined(separator: ", "))".terminalSafe) }
        }
    }
}
