/// Events on their way into the log: those that are stored, and messages that are only delivered to listeners (d10).
struct IncomingBatch {
    /// The events as they were given.
    let events: [Event]
    /// Those that are recorded.
    let stored: [Event]
    /// Indices in `events` of those that are not, ascending.
    let unstored: [Int]
    /// The verdicts of the host's filter on messages, by their index in `events`.
    var verdicts: [Int: MessageFiltered] = [:]
    /// Whether another process handed them over.
    var isHandedOver = false

    /// Settles which policy each message has (d11) and splits the batch.
    ///
    /// - Throws: `StoreError` with code `invalidArgument` where a message that is not stored breaks a rule, or one to
    ///   send lacks the text that its service requires; the log checks the others.
    init(_ events: [Event], _ types: ContentTypeRegistry) throws {
        try types.checkTexts(of: events)
        let events = types.settlingPolicies(of: events)
        self.events = events
        // By index, which copies no event, as an iterator does.
        var unstored: [Int] = []
        for index in events.indices where !events[index].payload.isRecorded { unstored.append(index) }
        self.unstored = unstored
        for index in unstored { try events[index].validate() }
        stored = unstored.isEmpty ? events : events.filter(\.isStored)
    }

    /// The verdicts on what is recorded, by index in `stored`.
    var storedVerdicts: [Int: MessageFiltered] {
        guard !unstored.isEmpty else { return verdicts }
        let stored = events.indices.filter { events[$0].isStored }
        return Dictionary(
            uniqueKeysWithValues: stored.enumerated().compactMap { place, index in
                verdicts[index].map { (place, $0) }
            })
    }
}

extension Event {
    /// Whether the event is recorded at all.
    var isStored: Bool {
        payload.isStored
    }
}
