internal import MessageStore

/// Prints flips with the events of their commits.
struct FlipPrinter {
    let store: MessageStore
    let hosts: HostEvents
    let stops: Stops
    /// The terms of the condition as they are written; none where a command judged.
    let terms: [String]
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
        let events: [Line]
        let eventCount: Int
    }

    func print(_ flip: Flip) throws {
        let before = try stops.last(upTo: Position(flip.position.rawValue - 1))
        let count = Int(clamping: flip.position.rawValue - before.rawValue)
        let events = try store.events(from: Position(before.rawValue + 1), to: flip.position, limit: limit)
        let time = try store.events(from: flip.position, to: flip.position, limit: 1).first?.recordedTime ?? .unknown
        let printer = EventPrinter(format: .text, fields: nil, hasContent: hasContent)
        guard !isJSON else {
            let values = zip(terms, flip.values).map { (term: $0, value: $1) }
            return try JSON.print(
                Output(
                    position: flip.position.rawValue, recordedTime: time, isTrue: flip.isTrue,
                    values: values.map { .init(term: $0.term, value: $0.value) },
                    events: events.map { printer.line($0, hosts) }, eventCount: count),
                omitsContent: !hasContent)
        }
        let values = zip(terms, flip.values).map { "\($0)=\($1.words(hasContent: hasContent))" }
        let parts = ["\(flip.position)", NumberFormat.timestamp(ms: time.milliseconds), flip.isTrue ? "true" : "false"]
        Swift.print((parts + values).joined(separator: "  ").terminalSafe)
        for event in events { Swift.print("    " + printer.text(event, hosts)) }
        if count > events.count {
            let rest = NumberFormat.count(count - events.count)
            Swift.print("    \(rest) more of this commit; --events shows them, --each-event stops after each")
        }
    }
}
