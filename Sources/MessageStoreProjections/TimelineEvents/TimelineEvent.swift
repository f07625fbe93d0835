/// An event that a timeline shows between messages: somebody joined, left, was muted or given a role, the conversation
/// was made or renamed.
public struct TimelineEvent: Sendable, Hashable, Identifiable {
    /// The event's position in the log.
    public let id: Position
    /// The server's time, or that of the recording, by this device's clock, where the event has none.
    public let time: Timestamp
    /// Whether ``time`` is only this device's.
    public let isTimeProvisional: Bool
    /// The event, as it was recorded.
    public let event: Event

    /// Creates an event of a timeline, for previews and tests.
    public init(id: Position, time: Timestamp, isTimeProvisional: Bool = false, event: Event) {
        self.id = id
        self.time = time
        self.isTimeProvisional = isTimeProvisional
        self.event = event
    }

    /// The types of events that timelines show.
    public static let types = Set.with(.shownBetweenMessages)
}
