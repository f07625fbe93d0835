/// Selects events from the log. A `nil` property matches every event.
public struct EventFilter: Sendable, Hashable {
    /// Only these types.
    public var types: Set<EventType>?
    /// Only this conversation.
    public var conversation: ConversationKey?
    /// Only events with a server time in this range.
    public var serverTime: ClosedRange<Timestamp>?
    /// Only events recorded while this device's clock showed a time of this range; see ``RecordedEvent/clockTime``.
    public var recordedTime: ClosedRange<Timestamp>?

    /// Creates a filter.
    public init(
        types: Set<EventType>? = nil, conversation: ConversationKey? = nil,
        serverTime: ClosedRange<Timestamp>? = nil, recordedTime: ClosedRange<Timestamp>? = nil
    ) {
        self.types = types
        self.conversation = conversation
        self.serverTime = serverTime
        self.recordedTime = recordedTime
    }

    /// All events.
    public static let all = EventFilter()
}
