@_spi(Storage) public import MessageStoreLog

/// What a screen shows in a row of a timeline.
public enum TimelineEntry: Sendable, Hashable {
    /// The time of the message below.
    case time(Timestamp)
    /// A message.
    case message(Message)
}

extension TimelinePage {
    /// The page's messages with time rows between them.
    ///
    /// - Parameter interval: A time row precedes the first message, and every message that is later than the one before
    ///   it by more than this.
    public func entries(timeRowsEvery interval: Duration = .seconds(300)) -> [TimelineEntry] {
        var entries: [TimelineEntry] = []
        var previous: Timestamp?
        for message in messages {
            let gap = previous.map {
                Duration.milliseconds(message.time.milliseconds) - Duration.milliseconds($0.milliseconds)
            }
            if gap.map({ $0 > interval }) ?? true { entries.append(.time(message.time)) }
            entries.append(.message(message))
            previous = message.time
        }
        return entries
    }
}
