import MessageStore

/// Turns the part of one response about one room into events. `Docs/MatrixSync.md` states the rules.
struct MatrixRoom {
    let account: UserID
    let key: ConversationKey
    let origin: Origin
    /// The response's `next_batch`, which names events that have no id of their own.
    let cursor: String
    let lookup: MatrixLookup
    /// Whether the account data calls the room direct; nil where it was not in the response.
    var isDirect: Bool?
    /// The places of events that are neither messages nor in the response, which the server was asked for.
    var places: [String: MessageOrder] = [:]

    private(set) var events: [Event] = []
    /// How many events could not be recorded, because fields were missing or of the wrong type.
    private(set) var skipped = 0
    /// The response's own messages, which the store does not have yet.
    private(set) var messages: [String: MatrixEvent] = [:]
    /// The events that the response redacts.
    private(set) var redacted: Set<String> = []
    /// The reactions and edits of earlier responses among them.
    private(set) var changes: [String: any EventPayload] = [:]

    init(_ id: String, account: UserID, origin: Origin, cursor: String, lookup: MatrixLookup) {
        self.account = account
        self.key = .id(id)
        self.origin = origin
        self.cursor = cursor
        self.lookup = lookup
    }

    /// A room that the account is in, or has left, in which case nothing is said of its unread messages.
    mutating func apply(_ room: JSONValue, isJoined: Bool) throws {
        for event in read(room.events("state")) { try apply(state: event) }
        let timeline = read(room.events("timeline"))
        for event in timeline { places[event.id] = event.place }
        if room["timeline"]?["limited"]?.bool == true {
            add(HistoryGapFound(before: timeline.first?.place), id: timeline.first?.id ?? cursor, "gap")
        }
        try apply(timeline: timeline)
        var isRead = false
        for value in room.events("ephemeral") where value["type"]?.string == "m.receipt" {
            isRead = try apply(receipts: value["content"]) || isRead
        }
        if isJoined, !timeline.isEmpty || isRead {
            report(room["unread_notifications"], upTo: timeline.last(where: \.isMessage))
        }
    }

    /// A room that the account is invited to.
    mutating func apply(invitation room: JSONValue) throws {
        var isInvited = false
        for value in room.events("invite_state") {
            guard let event = MatrixEvent(stripped: value, cursor: cursor), event.stateKey != nil else {
                skipped += 1
                continue
            }
            isInvited = isInvited || event.type == "m.room.member" && event.stateKey == account.rawValue
            if event.content["is_direct"]?.bool == true { isDirect = true }
            try apply(state: event)
        }
        if !isInvited { add(SelfInvited(), id: cursor, "invite") }
    }

    /// Events of the timeline, oldest first.
    mutating func apply(timeline: [MatrixEvent], withState: Bool = true) throws {
        for event in timeline where event.isMessage { messages[event.id] = event }
        redacted = Set(timeline.filter { $0.type == "m.room.redaction" }.compactMap(\.redacts))
        let unknown = try redacted.filter { try messages[$0] == nil && lookup.message($0, in: key) == nil }
        let bare = timeline.filter { $0.isRedacted && $0.isMessage }.map(\.id)
        changes = try lookup.changes(unknown.union(bare), in: key)
        for event in timeline {
            if event.stateKey == nil { try apply(event) } else if withState { try apply(state: event) }
        }
    }

    /// The events of a list that have what every event has.
    mutating func read(_ values: [JSONValue]) -> [MatrixEvent] {
        let events = values.compactMap { MatrixEvent($0) }
        skipped += values.count - events.count
        return events
    }

    mutating func skip() { skipped += 1 }

    /// Adds an event that is recognised again by the id of its source, and its part of that source.
    mutating func add(_ body: any EventPayload, id source: String, _ part: String, at time: Timestamp = .unknown) {
        let id = "\(key.id) \(source) \(part)"
        guard id.isIdentifier else { return skip() }
        let conversation = body is ProfilesFetched ? nil : key
        add(
            Event(
                body, in: conversation, id: EventID(id), origin: origin, serverTime: time == .unknown ? nil : time))
    }

    mutating func add(_ body: any EventPayload, of event: MatrixEvent, _ part: String) {
        add(body, id: event.id, part, at: event.time)
    }

    mutating func add(_ event: Event) { events.append(event) }
}
