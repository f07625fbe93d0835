internal import MessageStoreLMDB

/// Which events of the log are wanted; nil parts want all.
public struct EventFilter: Sendable, Hashable {
    /// Only these types.
    public var types: Set<EventType>?
    /// Only this conversation.
    public var conversation: ConversationKey?
    /// Only events with a server time in this range.
    public var serverTime: ClosedRange<Timestamp>?
    /// Only events recorded in this range.
    public var recordedTime: ClosedRange<Timestamp>?

    /// Puts a filter together.
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

/// An event as it stands in the log.
public struct RecordedEvent: Sendable, Hashable {
    /// Where.
    public let position: Position
    /// When, by this device's clock; never falls along the log.
    public let recordedTime: Timestamp
    /// The first position of the commit that it came with.
    public let commit: Position
    /// The event.
    public let event: Event
    /// Whether its content was removed for good.
    public let isRedacted: Bool
    /// The bytes that the record takes.
    public let byteCount: Int
}
