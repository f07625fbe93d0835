/// Turns the part of one response about one room into events. `Docs/MatrixSync.md` states the rules.
struct MatrixRoom {
    /// The parts by whose ids an event's place is found.
    static let parts = ["reaction", "edit", "redaction", "member", "update", "create", "block", "profile", "nickname"]

    let rules: MatrixRules
    let key: ConversationKey
    let isDirect: Bool
    let origin: Origin
    /// The response's `next_batch`, which names what has no id of its own.
    let cursor: String

    private(set) var events: [Event] = []
    private(set) var skipped: [MatrixSkip: Int] = [:]
    /// The places of the response's own events, which the store does not have yet.
    private(set) var places: [String: MessageOrder] = [:]
    /// The places of those among them that the log has nothing of.
    private(set) var unnamed: [String: MessageOrder] = [:]
    /// The senders of the response's own messages.
    private(set) var senders: [String: UserID] = [:]
    /// The events that the response redacts.
    private(set) var redacted: Set<String> = []
    /// The response's own reactions and edits, by the ids of their events.
    var changes: [String: any EventPayload] = [:]
    /// The members that the response bans.
    var bans: Set<String> = []
    /// The room's attributes, once the response changes one.
    var attributes: [String: String]?
    /// The transaction ids of the response's own messages that are echoes.
    var echoes: Set<String> = []
    /// Up to where the response's receipts of the account read.
    var readUpTo: MessageOrder?
    /// The response's receipts of the account.
    var ownReceipts: [MatrixReceipt] = []
    /// The membership of the account before it left the room, if the response says so.
    var membershipBefore: String?

    init(_ rules: MatrixRules, key: ConversationKey, isDirect: Bool, origin: Origin, cursor: String) {
        (self.rules, self.key, self.isDirect) = (rules, key, isDirect)
        (self.origin, self.cursor) = (origin, cursor)
    }

    var account: UserID { rules.store.account }

    /// A room that the account is in, or has left, in which case nothing is said of its unread messages.
    mutating func apply(_ room: JSONValue, isJoined: Bool) throws {
        for event in read(room.events("state")) {
            guard event.stateKey != nil else { skip(.missingField); continue }
            try apply(event)
        }
        let timeline = read(room.events("timeline"))
        if room["timeline"]?["limited"]?.bool == true {
            add(HistoryGapFound(before: timeline.first?.place), id: timeline.first?.id ?? cursor, "gap")
        }
        try apply(timeline: timeline)
        for value in room.events("account_data") { try apply(accountData: value) }
        for value in room.events("ephemeral") { try apply(ephemeral: value) }
        if !isJoined { return try end(timeline) }
        let counts = MatrixCounts(room)
        guard counts.areKnown else { return }
        guard !timeline.isEmpty || !ownReceipts.isEmpty else { return skip(.unreadCount) }
        try report(counts, timeline)
    }

    /// Events of the timeline, oldest first.
    mutating func apply(timeline: [MatrixEvent]) throws {
        for event in timeline where event.isMessage { senders[event.id] = event.sender }
        redacted = Set(timeline.filter { $0.type == "m.room.redaction" }.compactMap(\.redacts))
        for event in timeline { try apply(event) }
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
        try list(cursor) { $0.payload is SelfInvited }
    }

    /// The events of a list that have what every event has, and a time that the store accepts.
    private mutating func read(_ values: [JSONValue]) -> [MatrixEvent] {
        var events: [MatrixEvent] = []
        for value in values {
            guard let event = MatrixEvent(value) else { skip(.missingField); continue }
            guard rules.allows(event.time) else { skip(.timeInSeconds); continue }
            places[event.id] = event.place
            events.append(event)
        }
        return events
    }

    private mutating func apply(_ event: MatrixEvent) throws {
        let before = events.count
        if event.stateKey == nil { try apply(timeline: event) } else { try apply(state: event) }
        // Roles are those of users, and named by them.
        if events.count == before || event.type == "m.room.power_levels" { unnamed[event.id] = event.place }
    }

    /// Who sent a message; nil if neither the response nor the store has it.
    func sender(of message: String) throws -> UserID? {
        try senders[message]
            ?? rules.store.read { try $0.message(.server(ServerMessageID(message)), in: key)?.sender }
    }

    mutating func skip(_ reason: MatrixSkip) { skipped[reason, default: 0] += 1 }

    /// The id of an event, by that of its source and its part of that source.
    static func eventID(_ room: String, _ source: String, _ part: String) -> EventID {
        EventID("\(room) \(source) \(part)")
    }

    /// Adds an event that is recognised again by the id of its source, and its part of that source.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func add(_ body: some EventPayload, id source: String, _ part: String, at time: Timestamp = .unknown) {
        let conversation = body is ProfilesFetched ? nil : key
        add(
            Event(
                any: body, in: conversation, id: Self.eventID(key.id, source, part), origin: origin,
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
            guard rules.allows(event.serverTime ?? .unknown) else { return skip(.timeInSeconds) }
            events.append(event)
        } catch {
            skip(.notAllowed)
        }
    }
}
