/// The values that the hits of a symptom share, since when there are any, and the last good event before the first.
struct Trail: Encodable {
    struct Place: Encodable {
        let position: Position
        let recordedTime: Timestamp

        init(_ event: RecordedEvent) { (position, recordedTime) = (event.position, event.clockTime) }

        var words: String { "\(position) of \(recordedTime)" }
    }

    let since: Place
    /// The last event of the same type and source that was as it should be; nil if there was none.
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

    /// The lines that people read.
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
        /// nil if events of all origins are compared.
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

/// Finds conversations that events are about, and whose existence no event records: an id may be misspelt.
struct StrayConversations {
    private struct Stray {
        let first: Position
        var count: Int
    }

    private var known: Set<ConversationKey> = []
    private var strays: [ConversationKey: Stray] = [:]

    mutating func examine(_ event: Event, at position: Position) {
        guard let key = event.conversation else {
            if let fetched = event.payload as? TeamInfoFetched { fetched.teams.forEach { learn($0.id) } }
            return
        }
        guard !known.contains(key) else { return }
        switch event.payload {
        case is MessageReceived, is MessageSendQueued, is MessageInsertedLocally, is ConversationUpdated,
            is ChatRoomJoined:
            learn(key)
        case is ConversationCreated, is ConversationSnapshotReceived, is MembersAdded, is MembersRemoved,
            is MemberInfoChanged, is MemberMuted, is MemberBlocked, is SelfInvited, is SelfKicked:
            learn(key)
        case is UnknownEvent, is RecordLost: break
        default: strays[key, default: Stray(first: position, count: 0)].count += 1
        }
    }

    private mutating func learn(_ key: ConversationKey) {
        known.insert(key)
        strays[key] = nil
    }

    /// The hits, first those that are like a known one.
    func findings() -> [Finding] {
        let likenesses = Dictionary(grouping: known) { $0.caselessID }
        let found = strays.map { key, stray in
            let like = key.likeliest(of: likenesses[key.caselessID] ?? [])
            let count = NumberFormat.count(stray.count, "event", "events")
            let finding = Finding(at: stray.first, in: key) { names in
                like.map { "\(count); there is \(names.label(of: $0))" } ?? count
            }
            return (finding: finding, isLike: like != nil, first: stray.first)
        }
        return found.ordered { ($1.isLike ? 1 : 0, $0.first) < ($0.isLike ? 1 : 0, $1.first) }.map(\.finding)
    }
}

extension ConversationKey {
    /// The id and the channel without case.
    var caselessID: String { (id + "#" + (channel ?? "")).lowercased() }

    /// The conversation that is most like this one, of those that have the same id without case; one of the same kind
    /// if there is one.
    func likeliest(of others: some Sequence<ConversationKey>) -> ConversationKey? {
        others.filter { $0 != self && $0.caselessID == caselessID }.min {
            ($0.kind == kind ? 0 : 1, $0.description) < ($1.kind == kind ? 0 : 1, $1.description)
        }
    }
}
