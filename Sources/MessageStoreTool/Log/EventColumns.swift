internal import ArgumentParser
internal import Foundation

/// The values of one event in words, under the names that they have in JSON.
struct EventColumns {
    /// The columns that every event has, shown without their names.
    static let leading = ["position", "recordedTime", "origin", "type", "conversation"]
    /// The columns that an event may have in addition to its payload.
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
    ///   - hosts: The log's descriptions of hosts' events.
    ///   - hasContent: Whether to show user-written text, or its size.
    ///   - names: The names to show with ids, for people, who also see how far times are from the recording; nil for
    ///     the values alone.
    ///   - chosen: The names of the values that are asked for; nil for all.
    init(
        _ event: RecordedEvent, _ hosts: HostEvents, hasContent: Bool, names: Names? = nil, chosen: [String]? = nil
    ) {
        let leading = [
            ("position", event.position.description),
            ("recordedTime", event.clockTime.description),
            ("origin", event.source.origin.description),
            ("type", hosts.typeName(of: event)),
            ("conversation", event.source.conversation.map { names.label(of: $0) }),
        ]
        guard chosen?.allSatisfy(Self.leading.contains) != true else {
            columns = leading
            return
        }
        let payload = hosts.fieldTexts(of: event.event)
        let unknown = event.event.unknownFields.fields.count + event.event.unknownFields.content.count
        let serverTime = event.event.serverTime
        let isTimeShown = payload.contains { $0.type.kind == .time && $0.text == serverTime?.description }
        let version = event.event.payload.schemaVersion
        let words = { (time: Timestamp) in
            names == nil ? time.description : time.words(recorded: event.clockTime)
        }
        columns =
            leading
            + [
                ("commit", event.commit == event.position ? nil : event.commit.description),
                ("id", event.event.id?.rawValue), ("device", event.event.device?.rawValue),
                ("serverTime", isTimeShown ? nil : serverTime.map(words)),
                ("version", version == 1 ? nil : String(version)),
                ("isRedacted", event.isRedacted ? "true" : nil),
                ("unknownFields", unknown == 0 ? nil : NumberFormat.exactBytes(unknown)),
            ]
            + payload.map { field in
                let text = Self.words(field, hasContent: hasContent)
                return (field.name, text.map { names.words($0, field.type, event) })
            }
    }

    /// The value of a name; the envelope's if a payload has a field of the same name.
    subscript(name: String) -> String? { columns.first { $0.name == name }?.text ?? nil }

    /// The chosen values alone, or the values that every event has and the others with their names.
    func words(_ chosen: [String]? = nil, none: String = "-") -> [String] {
        let values = (chosen ?? Self.leading).map { self[$0] ?? none }
        let others = columns.dropFirst(Self.leading.count).compactMap { column in
            column.text.map { "\(column.name)=\($0)" }
        }
        return (values + (chosen == nil ? others : [])).map(\.terminalSafe)
    }

    /// The event for people: one line, or lines of a terminal's width, of which all but the first are further in.
    func lines(indent: Int = 0, width: Int? = Terminal.standardOutput.lineWidth) -> [String] {
        words().lines(indent: indent, width: width ?? .max)
    }

    /// A field in words, or its size if its words are not to be shown.
    private static func words(_ field: FieldText, hasContent: Bool) -> String? {
        guard field.isContent, !hasContent, let text = field.text else { return field.text }
        let isSize = field.type.kind == .bytes && text.wholeMatch(of: /\d+ bytes/) != nil
        return isSize ? text : text.sizeInWords
    }
}

extension Names? {
    /// The text of a field with names next to its ids, or with the distance of its time from the recording.
    fileprivate func words(_ text: String, _ type: FieldType, _ event: RecordedEvent) -> String {
        guard let self else { return text }
        switch type.kind {
        case .user:
            let users = type.isList ? text.split(separator: " ").map(String.init) : [text]
            return users.map { self.label(of: UserID($0)) }.joined(separator: type.isList ? ", " : "")
        case .conversation where !type.isList:
            return ConversationKey(text).map { self.label(of: $0) } ?? text
        case .time, .order:
            let isServerTime = text == event.event.serverTime?.description
            let time = isServerTime ? event.event.serverTime : Timestamp(iso8601: String(text.prefix { $0 != " " }))
            return text + (time?.lag(recorded: event.clockTime) ?? "")
        default: return text
        }
    }
}

extension String {
    /// The text shown in place of user-written text that is not to be shown.
    var sizeInWords: String { "(\(NumberFormat.exactBytes(utf8.count)))" }
}

/// How the log command prints an event.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
    /// The values that every event has, two spaces between them, then the others with their names; in lines of the
    /// terminal's width if it is printed on one.
    case text
    /// The same with tabs, and nothing in the place of a value that an event lacks.
    case tsv
    /// One JSON object a line.
    case json
}

/// Prints events, one a line, or in blocks on a terminal.
struct EventPrinter {
    let format: EventFormat
    /// The names of the fields to print; nil for all.
    let fields: [String]?
    /// Whether user-written text is printed.
    let hasContent: Bool
    /// The names to show in text for people; nil for ids alone.
    var names: Names?

    func print(_ event: RecordedEvent, _ hosts: HostEvents) throws {
        switch format {
        case .json:
            let object = object(event, hosts)
            guard let fields else { return try JSON.print(object, omitsContent: !hasContent) }
            try JSON.print(object, fields: fields, omitsContent: !hasContent)
        case .text, .tsv: for line in lines(event, hosts) { Swift.print(line) }
        }
    }

    /// The event in words, with tabs between them or spaces.
    func lines(_ event: RecordedEvent, _ hosts: HostEvents, indent: Int = 0) -> [String] {
        let names = format == .text ? names : nil
        let columns = EventColumns(event, hosts, hasContent: hasContent, names: names, chosen: fields)
        if format == .tsv { return [columns.words(fields, none: "").joined(separator: "\t")] }
        return fields == nil ? columns.lines(indent: indent) : [columns.words(fields).joined(separator: "  ")]
    }

    /// An event as JSON, with the fields of a host's event as the log describes them.
    func object(_ event: RecordedEvent, _ hosts: HostEvents) -> JSONObject {
        guard event.event.payload is UnknownEvent, let name = hosts.name(of: event.event.type) else {
            return JSONObject(event)
        }
        let fields = hosts.fieldTexts(of: event.event).filter { hasContent || !$0.isContent }
            .compactMap { field in field.text.map { (field.name, $0) } }
        let described = Dictionary(fields + [("type", name)], uniquingKeysWith: { first, _ in first })
        return JSONObject(event, ["described": described])
    }
}
