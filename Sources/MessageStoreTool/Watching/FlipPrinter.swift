internal import MessageStore

/// Prints flips with the events of their commits.
struct FlipPrinter {
    let store: MessageStore
    let hosts: HostEvents
    let stops: Stops
    /// The condition, and its terms as they are written; none where a command judged.
    var terms: [String] { condition?.terms ?? [] }
    let condition: Condition?
    /// The maximum number of events to show of a commit.
    let limit: Int
    let hasContent: Bool
    let isJSON: Bool

    private struct Output<Line: Encodable>: Encodable {
        struct Value: Encodable {
            let term: String
            let value: ConditionValue
        }

        let position: UInt64
        let recordedTime: Timestamp
        let isTrue: Bool
        let values: [Value]
        /// The markers that gave a message its status.
        let causes: [String]
        let events: [Line]
        let eventCount: Int
    }

    func print(_ flip: Flip) throws {
        let before = try stops.last(upTo: Position(flip.position.rawValue - 1))
        let count = Int(clamping: flip.position.rawValue - before.rawValue)
        let events = try store.events(from: Position(before.rawValue + 1), to: flip.position, limit: limit)
        let time = try store.events(from: flip.position, to: flip.position, limit: 1).first?.recordedTime ?? .unknown
        let printer = EventPrinter(format: .text, fields: nil, hasContent: hasContent, names: Names(store))
        let markers = try condition?.markers(flip.values, in: store, at: flip.position).compactMap(\.words) ?? []
        guard !isJSON else {
            let values = zip(terms, flip.values).map { (term: $0, value: $1) }
            return try JSON.print(
                Output(
                    position: flip.position.rawValue, recordedTime: time, isTrue: flip.isTrue,
                    values: values.map { .init(term: $0.term, value: $0.value) }, causes: markers,
                    events: events.map { printer.line($0, hosts) }, eventCount: count),
                omitsContent: !hasContent)
        }
        let values = zip(terms, flip.values).map { "\($0)=\($1.words(hasContent: hasContent))" }
        let parts = ["\(flip.position)", time.description, flip.isTrue ? "true" : "false"]
        Swift.print((parts + values).joined(separator: "  ").terminalSafe)
        for marker in markers { Swift.print("    by \(marker)".terminalSafe) }
        for event in events { Swift.print("    " + printer.text(event, hosts)) }
        if count > events.count {
            let rest = NumberFormat.count(count - events.count)
            Swift.print("    \(rest) more of this commit; --events shows them, --each-event stops after each")
        }
    }
}
