/// Events on their way into the log: those that are kept, and messages that are only told to whoever listens (d10).
struct IncomingBatch {
    /// The events as they were given.
    let events: [Event]
    /// Those that are recorded.
    let kept: [Event]
    /// Indices in `events` of those that are not, ascending.
    let unkept: [Int]
    /// What the host's filter says of messages, by their index in `events`.
    var verdicts: [Int: MessageFiltered] = [:]

    /// Settles which policy each message has (d11) and splits the batch.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where a message that is not kept breaks a rule; the log checks
    ///   the others.
    init(_ events: [Event], _ types: ContentTypeRegistry) throws {
        let events = types.settlingPolicies(of: events)
        self.events = events
        // By index, which copies no event.
        unkept = events.indices.filter { !events[$0].payload._isKept }
        for index in unkept { try events[index].validate() }
        kept = unkept.isEmpty ? events : events.filter(\.isKept)
    }

    /// The verdicts on what is recorded, by index in `kept`.
    var keptVerdicts: [Int: MessageFiltered] {
        guard !unkept.isEmpty else { return verdicts }
        let kept = events.indices.filter { events[$0].isKept }
        return Dictionary(
            uniqueKeysWithValues: kept.enumerated().compactMap { place, index in
                verdicts[index].map { (place, $0) }
            })
    }
}

extension Event {
    /// Whether the event is recorded at all.
    var isKept: Bool {
        payload._isKept
    }
}
