/// Finds names and members of a file that are older than those that the store has, which they replace all the same.
struct OlderFacts {
    private static let types: Set<EventType> = [
        .conversationCreated, .conversationUpdated, .membersAdded, .membersRemoved, .selfInvited, .selfKicked,
    ]

    private var known: LateEvents

    /// Takes what a store has. Costs a scan of its log.
    init(of store: MessageStore) throws {
        var known = LateEvents(account: store.account)
        try store.forEachEvent(where: EventFilter(types: Self.types)) { recorded in
            _ = known.examine(recorded.event, at: recorded.position)
            return true
        }
        self.known = known
    }

    /// Takes new events, and counts those that are older than what was known.
    ///
    /// - Parameter isMoment: Whether the events report one moment, in any order, and are not compared with each other.
    mutating func count(_ events: [(event: Event, position: Position)], isMoment: Bool) -> Int {
        var facts = events.filter { Self.types.contains($0.event.type) }
        if isMoment { facts.sort { ($0.event.serverTime ?? .unknown) < ($1.event.serverTime ?? .unknown) } }
        return facts.count { known.examine($0.event, at: $0.position) != nil }
    }
}
