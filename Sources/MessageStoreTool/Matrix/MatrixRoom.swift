internal import MessageStore

/// Turns the part of one response about one room into events. `Docs/MatrixSync.md` states the rules.
struct MatrixRoom {
    let account: UserID
    let id: String
    let key: ConversationKey
    /// The response's `next_batch`, which names what has no id of its own.
    let cursor: String
    let memory: MatrixMemory

    private(set) var events: [Event] = []
    private(set) var skipped: [MatrixSkip: Int] = [:]
    /// The places of the response's own events, which the store does not have yet.
    var places: [String: MessageOrder] = [:]
    /// The senders of the response's own messages.
    private(set) var senders: [String: UserID] = [:]
    /// Whether the response has a receipt of the account.
    var isRead = false

    /// A room that the account is in, or has left, in which case nothing is said of its unread messages.
    mutating func apply(_ room: JSONValue, isJoined: Bool) throws {
        for value in room.events("state") {
            guard let event = MatrixEvent(value), event.stateKey != nil else { skip(.missingField); continue }
            try apply(state: event)
        }
        let timeline = room.events("timeline").compactMap { value in
            let event = MatrixEvent(value)
            if event == nil { skip(.missingField) }
            return event
        }
        for event in timeline { places[event.id] = event.place }
        for event in timeline where event.isMessage { senders[event.id] = event.sender }
        if room["timeline"]?["limited"]?.bool == true {
            let first = timeline.first
            add(HistoryGapFound(before: first?.place), id: first?.id ?? cursor, "gap")
        }
        for event in timeline { try apply(timeline: event) }
        for value in room.events("account_data") { try apply(accountData: value) }
        for value in room.events("ephemeral") { try apply(ephemeral: value) }
        guard isJoined, let counts = room["unread_notifications"] else { return }
        guard !timeline.isEmpty || isRead else { return skip(.unreadCount) }
        report(counts, upTo: timeline.last(where: \.isMessage))
    }

    /// A room that the account is invited to.
    mutating func apply(invitation room: JSONValue) throws {
        for value in room.events("invite_state") {
            guard let event = MatrixEvent(stripped: value, cursor: cursor), event.stateKey != nil else {
                skip(.missingField)
                continue
            }
            try apply(state: event)
        }
        let isTold = events.contains { $0.payload is SelfInvited }
        if !isTold { add(SelfInvited(), id: cursor, "invite") }
    }

    /// Who sent a message; nil where neither the response nor the store has it.
    func sender(of message: String) throws -> UserID? {
        try senders[message] ?? memory.sender(of: message, in: key)
    }

    /// Records the kind that the room turned out to have.
    mutating func apply(kind: ConversationKind) throws {
        guard let kind = try memory.change(kind: kind, of: key) else { return }
        add(ConversationUpdated(ConversationFields(kind: kind)), id: cursor, "kind")
    }

    mutating func skip(_ reason: MatrixSkip) {
        skipped[reason, default: 0] += 1
    }

    /// Adds an event that is recognised again by the id of its source, and its part of that source.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func add(_ body: some EventPayload, id source: String, _ part: String, at time: Timestamp = .unknown) {
        let conversation = body is ProfilesFetched ? nil : key
        add(
            Event(
                body, in: conversation, id: EventID("\(id) \(source) \(part)"), origin: .offline,
                serverTime: time == .unknown ? nil : time))
    }

    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func add(_ body: some EventPayload, of event: MatrixEvent, _ part: String) {
        add(body, id: event.id, part, at: event.time)
    }

    /// Adds an event, unless a store does not allow it.
    mutating func add(_ event: Event) {
        do {
            try event.validate()
            events.append(event)
        } catch {
            skip(.notAllowed)
        }
    }
}
