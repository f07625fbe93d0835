/// Counts events by what some of their fields hold.
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
    /// - Throws: ``ToolError`` where there is no such field.
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
