@_spi(Storage) public import MessageStoreLog

/// What a screen shows in a row of a timeline.
public enum TimelineEntry: Sendable, Hashable {
    /// The time of the message below.
    case time(Timestamp)
    /// A message.
    case message(Message)
    /// Something that happened to the conversation or its members.
    case event(TimelineEvent)
}

extension TimelinePage {
    /// The page's messages with time rows between them, and with events at their places.
    ///
    /// - Parameters:
    ///   - interval: A time row precedes the first entry, and every one that is later than the one before it by more
    ///     than this.
    ///   - events: The result of `Views.timelineEvents(beside:in:types:limit:)` for the page, oldest first. Each sorts
    ///     after the messages of its time; messages that were not sent yet stay last.
    public func entries(
        timeRowsEvery interval: Duration = .seconds(300), with events: [TimelineEvent] = []
    ) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        var previous: Timestamp?
        func add(_ entry: TimelineEntry, at time: Timestamp) {
            let gap = previous.map {
                Duration.milliseconds(time.milliseconds) - Duration.milliseconds($0.milliseconds)
            }
            if gap.map({ $0 > interval }) ?? true { entries.append(.time(time)) }
            entries.append(entry)
            previous = time
        }
        var waiting = events[...]
        for message in messages {
            let isUnsent = message.serverID == nil && !message.isLocal
            while let event = waiting.first, isUnsent || event.time < message.time {
                add(.event(event), at: event.time)
                waiting.removeFirst()
            }
            add(.message(message), at: message.time)
        }
        for event in waiting { add(.event(event), at: event.time) }
        return entries
    }
}
