/// What the hits of a symptom share, since when there are any, and the last good event before the first.
struct Trail: Encodable {
    struct Place: Encodable {
        let position: Position
        let recordedTime: Timestamp

        init(_ event: RecordedEvent) { (position, recordedTime) = (event.position, event.clockTime) }

        var words: String { "\(position) of \(recordedTime)" }
    }

    let since: Place
    /// The last event of the same type and source that was as it should be; nil where there was none.
    let lastGood: Place?
    private(set) var last: Place
    /// The values that all hits have in common, by name.
    private(set) var shared: [String: String]

    init(_ event: RecordedEvent, _ attributes: [String: String], lastGood: RecordedEvent?) {
        (since, last, self.lastGood) = (Place(event), Place(event), lastGood.map { Place($0) })
        shared = Self.attributes(event).merging(attributes) { $1 }
    }

    mutating func add(_ event: RecordedEvent, _ attributes: [String: String]) {
        let next = Self.attributes(event).merging(attributes) { $1 }
        shared = shared.filter { next[$0.key] == $0.value }
        last = Place(event)
    }

    private static func attributes(_ event: RecordedEvent) -> [String: String] {
        var all = ["type": event.event.payload.typeName, "origin": event.event.origin.description]
        all["device"] = event.event.device?.rawValue
        all["by"] = event.event.actor?.rawValue
        all["conversation"] = event.event.conversation?.description
        return all
    }

    /// What it says, as lines.
    func lines(_ count: Int, _ names: Names) -> [String] {
        let good = lastGood.map { "the last good one is \($0.words)" } ?? "no good one before"
        let order = ["type", "origin", "device", "by", "conversation"]
        let keys = order.filter { shared[$0] != nil } + shared.keys.filter { !order.contains($0) }.ordered()
        let words = keys.map { "\($0) \(Self.words(shared[$0] ?? "", of: $0, names))" }.joined(separator: ", ")
        let all = words.isEmpty ? [] : [(count > 1 ? "all of them: " : "") + words]
        return all + ["since \(since.words)" + (count > 1 ? ", the last at \(last.words)" : "") + "; \(good)"]
    }

    private static func words(_ value: String, of key: String, _ names: Names) -> String {
        switch key {
        case "by": names.label(of: UserID(value))
        case "conversation": ConversationKey(value).map { names.label(of: $0) } ?? value
        default: value
        }
    }
}

extension Event {
    /// Who it is by, as far as it says so.
    var actor: UserID? {
        switch payload {
        case let message as MessageReceived: message.sender
        default: receipt?.member
        }
    }
}

extension Examination {
    /// The source of the events of a symptom: a clock and a code of their own.
    struct Source: Hashable {
        let symptom: Symptom
        let type: EventType
        let device: DeviceID?
        let actor: UserID?
        /// nil where events of all origins are compared.
        let origin: Origin?

        init(_ symptom: Symptom, _ event: RecordedEvent, origin: Origin? = nil) {
            let recorded = event.event
            (self.symptom, type, self.origin) = (symptom, recorded.type, origin)
            (device, actor) = (recorded.device, recorded.actor)
        }
    }

    /// Adds a finding of an event, and what it shares with the others.
    mutating func hit(
        _ symptom: Symptom, _ event: RecordedEvent, _ attributes: [String: String] = [:],
        lastGood: RecordedEvent? = nil, topic: String? = nil, _ note: @escaping (Names?) -> String
    ) {
        add(symptom, Finding(at: event.position, in: event.event.conversation, topic: topic, note))
        if trails[symptom] == nil {
            trails[symptom] = Trail(event, attributes, lastGood: lastGood ?? good[Source(symptom, event)])
        } else {
            trails[symptom]?.add(event, attributes)
        }
    }

    /// Notes an event in which a symptom could be seen, and is not.
    mutating func pass(_ symptom: Symptom, _ event: RecordedEvent) { good[Source(symptom, event)] = event }
}
