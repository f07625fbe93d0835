internal import Foundation

/// Prints events, one a line.
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
        case .text, .tsv: Swift.print(text(event, hosts))
        }
    }

    /// The line of an event in words, with tabs between them or spaces.
    func text(_ event: RecordedEvent, _ hosts: HostEvents) -> String {
        let (separator, none) = format == .tsv ? ("\t", "") : ("  ", "-")
        let names = format == .text ? names : nil
        return EventColumns(event, hosts, hasContent: hasContent, names: names, chosen: fields).line(
            fields, separator: separator, none: none)
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
