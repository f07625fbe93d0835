/// Events in the words of `log --text`.
struct DebugEvents: Encodable {
    /// The most that one request may ask for.
    static let maximumCount = 200

    struct Row: Encodable {
        let position: Position
        let recordedTime: Timestamp?
        /// Why the record cannot be read.
        let damage: String?
        /// Names and values in their order, as pairs; a third text names what the values are ids of.
        let columns: [[String]]
    }

    let events: [Row]
    /// The names of conversations and users at the end of the log, by the ids that the events have.
    let names: [String: String]

    init(at positions: [ClosedRange<Position>], in store: MessageStore) throws {
        let hosts = HostEvents(try store.eventDescriptions())
        var rows: [Row] = []
        var names = DebugNames()
        for range in positions {
            try store.forEachEvent(
                from: range.lowerBound, to: range.upperBound, onDamage: { rows.append(Row(damage: $0)) }
            ) { event in
                rows.append(Row(event, hosts))
                names.note(event, hosts)
                return true
            }
        }
        events = rows
        // If the views cannot be read, ids are shown.
        self.names = (try? store.read { try names.names($0) }) ?? [:]
    }

    /// The positions of a request, such as `1-100,205`.
    static func positions(of request: DebugRequest) throws -> [ClosedRange<Position>] {
        let ranges = try (request["positions"] ?? "").split(separator: ",").map { part in
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last, first > 0
            else { throw ToolError.usage("positions are such as 1-100,205") }
            return Position(first)...Position(last)
        }
        let count = ranges.reduce(UInt64(0)) { sum, range in
            let count = range.upperBound.rawValue - range.lowerBound.rawValue
            return min(sum, UInt64(maximumCount)) + min(count, UInt64(maximumCount)) + 1
        }
        guard (1...UInt64(maximumCount)).contains(count) else {
            throw ToolError.usage("positions takes 1 to \(maximumCount) of them")
        }
        return ranges
    }
}

extension DebugEvents.Row {
    /// Characters of a value that are shown.
    private static let shownCharacters = 4000

    init(_ event: RecordedEvent, _ hosts: HostEvents) {
        position = event.position
        recordedTime = event.clockTime
        damage = nil
        var kinds = ["conversation": "conversation"]
        for field in hosts.fieldTexts(of: event.event) where [.user, .message].contains(field.type.kind) {
            kinds[field.name] = field.type.kind.rawValue
        }
        columns = EventColumns(event, hosts, hasContent: true).columns.compactMap { column in
            column.text.map {
                [column.name, String($0.prefix(Self.shownCharacters))] + (kinds[column.name].map { [$0] } ?? [])
            }
        }
    }

    init(damage error: StoreError) {
        position = error.position ?? .origin
        recordedTime = nil
        damage = error.words
        columns = []
    }
}
