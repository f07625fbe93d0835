internal import Foundation
internal import MessageStoreCZlib

/// A range of a log with what a user saw at each of its positions, as the page in a file shows it.
///
/// Each step holds only what its event changed: the page puts the states together.
struct DebugReport {
    /// The most events that a file takes.
    static let maximumEvents: UInt64 = 5000

    /// The first of the newest events that a file takes.
    static func newest(upTo last: Position) -> Position {
        Position(max(last.rawValue, maximumEvents) - maximumEvents + 1)
    }

    /// The most rows that the file lists of one event, such as one that adds the members of a large group.
    static let maximumRows = 1000

    private let store: MessageStore
    private let session: ReplaySession
    private var steps = DebugSteps()
    private var parts: [String] = []

    /// - Parameters:
    ///   - store: The store.
    ///   - first: The first event.
    ///   - last: The last event; not before the first.
    ///   - progress: Called with the position reached and the last; throwing ends the work.
    init(
        of store: MessageStore, from first: Position, to last: Position, progress: MessageStore.ReplayProgress
    ) throws {
        self.store = store
        session = try store.replaySession()
        var events: [String] = []
        var types: Set<String> = []
        var names = DebugNames()
        let start = Position(first.rawValue - 1)
        var stepped = [try session.read(at: start, progress: progress) { try JSON.line(steps.begin($0)) }]
        let hosts = HostEvents(try store.eventDescriptions())
        var next = first
        while next <= last {
            let page = try store.events(from: next, to: last, limit: 500)
            // The last ones may have been cut off.
            if page.isEmpty { break }
            for event in page {
                events.append(try JSON.line(DebugEvents.Row(event, hosts)))
                names.note(event, hosts)
                types.insert(hosts.typeName(of: event))
                stepped.append(try step(event))
                try progress(event.position, last)
                next = Position(event.position.rawValue + 1)
            }
        }
        let info: JSONObject = ["account": store.account, "first": first, "end": last, "types": types.ordered()]
        parts = [
            "{\"info\":", try JSON.line(info), ",\"names\":",
            try session.read(at: last) { try JSON.line(names.names($0)) }, ",\"events\":[",
            events.joined(separator: ",\n"), "],\n\"steps\":[",
            stepped.joined(separator: ",\n"), "]}",
        ]
    }

    private mutating func step(_ event: RecordedEvent) throws -> String {
        let before = Position(event.position.rawValue - 1)
        let (changes, count) = try session.changes(from: before, to: event.position, limit: Self.maximumRows)
        var step = try session.read(at: event.position) { try steps.next(event.event.conversation, changes, $0) }
        if changes.isEmpty {
            step.notes = ["\(event.position) changed nothing: \(try EventNotes.reason(event, in: store))"]
        }
        if count > changes.count {
            let all = NumberFormat.count(count, "row", "rows")
            step.notes.append(
                "\(event.position) changed \(all), of which \(NumberFormat.count(changes.count)) are listed")
        }
        return try JSON.line(step)
    }

    /// The page as one file, which loads nothing from anywhere; what it shows is packed.
    func page() throws -> String {
        let bytes = Array(parts.joined().utf8)
        var size = compressBound(uLong(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        guard compress(&packed, &size, bytes, uLong(bytes.count)) == Z_OK else {
            throw ToolError.store("out of memory")
        }
        return PageAssets.page(data: Data(packed.prefix(Int(size))).base64EncodedString())
    }
}
