internal import MessageStore

/// The values of one event in words, under the names that they have in JSON.
struct EventColumns {
    /// What every event has, and is shown without its name.
    static let leading = ["position", "recordedTime", "origin", "type", "conversation"]
    /// What an event may have beside its payload.
    static let envelope = leading + ["commit", "id", "device", "serverTime", "version", "isRedacted", "unknownFields"]

    /// The names of the fields that events can have.
    static func names(in store: MessageStore) throws -> Set<String> {
        let payloads = EventType.known.flatMap { $0.type.fields } + (try store.eventDescriptions()).flatMap(\.fields)
        return Set(envelope + payloads.map(\.name))
    }

    /// The values, in the order in which they are shown.
    let columns: [(name: String, text: String?)]

    /// - Parameters:
    ///   - event: The event.
    ///   - hosts: What the log says of hosts' events.
    ///   - hasContent: Whether to show words of people, or their size.
    init(_ event: RecordedEvent, _ hosts: HostEvents, hasContent: Bool) {
        let payload = hosts.fieldTexts(of: event.event)
        let unknown = event.event.unknownFields.fields.count + event.event.unknownFields.content.count
        let isTimeShown = payload.contains { $0.type.kind == .time && $0.text == event.event.serverTime?.description }
        let version = event.event.payload._schemaVersion
        columns =
            [
                ("position", event.position.description),
                ("recordedTime", NumberFormat.timestamp(ms: event.recordedTime.milliseconds)),
                ("origin", event.event.origin.description),
                ("type", hosts.name(of: event.event.type) ?? event.event.payload.typeName),
                ("conversation", event.event.conversation?.description),
                ("commit", event.commit == event.position ? nil : event.commit.description),
                ("id", event.event.id?.rawValue), ("device", event.event.device?.rawValue),
                ("serverTime", isTimeShown ? nil : event.event.serverTime.map(Self.words)),
                ("version", version == 1 ? nil : String(version)),
                ("isRedacted", event.isRedacted ? "true" : nil),
                ("unknownFields", unknown == 0 ? nil : NumberFormat.exactBytes(unknown)),
            ] + payload.map { ($0.name, Self.words($0, hasContent: hasContent)) }
    }

    /// The value of a name; the envelope's where a payload has a field of the same name.
    subscript(name: String) -> String? { columns.first { $0.name == name }?.text ?? nil }

    /// One line: the chosen values alone, or those that every event has and the others with their names.
    func line(_ chosen: [String]?, separator: String, none: String) -> String {
        let values = (chosen ?? Self.leading).map { self[$0] ?? none }
        let others = columns.dropFirst(Self.leading.count).compactMap { column in
            column.text.map { "\(column.name)=\($0)" }
        }
        return (values + (chosen == nil ? others : [])).map(\.terminalSafe).joined(separator: separator)
    }

    /// A field in words, or its size where its words are not to be shown; the size of bytes is all that is ever shown.
    private static func words(_ field: FieldText, hasContent: Bool) -> String? {
        guard let text = field.text else { return nil }
        if field.isContent, !hasContent, field.type.kind != .bytes { return text.sizeInWords }
        let parts = text.split(separator: " ", maxSplits: 2)
        guard [.time, .order].contains(field.type.kind), parts.count > 1, parts[1] == "ms", let time = Int64(parts[0])
        else { return text }
        return ([words(Timestamp(milliseconds: time))] + parts.dropFirst(2).map(String.init)).joined(separator: " ")
    }

    /// A time as the options take it.
    private static func words(_ time: Timestamp) -> String {
        time == .unknown ? "unknown" : NumberFormat.timestamp(ms: time.milliseconds)
    }
}

extension String {
    /// What stands for words of people that are not to be shown.
    var sizeInWords: String { "(\(NumberFormat.exactBytes(utf8.count)))" }
}
