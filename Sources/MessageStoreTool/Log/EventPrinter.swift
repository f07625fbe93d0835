internal import Foundation
internal import MessageStore

/// Prints events, one a line.
struct EventPrinter {
    let format: EventFormat
    /// The names of the fields to print; nil for all.
    let fields: [String]?
    /// Whether words of people are printed.
    let hasContent: Bool
    /// The names to show in text for people; nil for ids alone.
    var names: Names?

    func print(_ event: RecordedEvent, _ hosts: HostEvents) throws {
        switch format {
        case .json:
            let line = line(event, hosts)
            guard let fields else { return try JSON.print(line, omitsContent: !hasContent) }
            try JSON.print(line, fields: fields, omitsContent: !hasContent)
        case .text, .tsv: Swift.print(text(event, hosts))
        }
    }

    /// The line of an event in words, with tabs between them or spaces.
    func text(_ event: RecordedEvent, _ hosts: HostEvents) -> String {
        let (separator, none) = format == .tsv ? ("\t", "") : ("  ", "-")
        let names = format == .text ? names : nil
        return EventColumns(event, hosts, hasContent: hasContent, names: names).line(
            fields, separator: separator, none: none)
    }

    /// An event as JSON, with what the log says of a host's.
    func line(_ event: RecordedEvent, _ hosts: HostEvents) -> some Encodable {
        Line(event: event, described: described(event, hosts))
    }

    /// What the log says of the fields of a host's event; nil for others.
    private func described(_ event: RecordedEvent, _ hosts: HostEvents) -> [String: String]? {
        guard event.event.payload is UnknownEvent, let name = hosts.name(of: event.event.type) else { return nil }
        let fields = hosts.fieldTexts(of: event.event).filter { hasContent || !$0.isContent }
            .compactMap { field in field.text.map { (field.name, $0) } }
        return Dictionary(fields + [("type", name)], uniquingKeysWith: { first, _ in first })
    }

    private struct Line: Encodable {
        private enum Key: String, CodingKey { case described }

        let event: RecordedEvent
        let described: [String: String]?

        func encode(to encoder: any Encoder) throws {
            try event.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encodeIfPresent(described, forKey: .described)
        }
    }
}
