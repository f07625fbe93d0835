/// A part of a host that must see every event, including those recorded while it was not running.
///
/// Subscribers are independent. Each has a name, under which its checkpoint is kept in the log across restarts. Events
/// are delivered in order, one at a time, at least once. After a crash, up to 256 events are delivered again, and so is
/// an event whose handling was cancelled or timed out. If that matters, store the position of the last event handled.
public protocol EventSubscriber: Sendable {
    /// The name of its checkpoint, 1 to 255 UTF-8 bytes; must never change.
    var name: String { get }
    /// The events to deliver. Default: all.
    var filter: EventFilter { get }
    /// Handles one event. May record, read and cancel its subscription; should not block its thread.
    ///
    /// A handler that times out is cancelled. If it continues nevertheless, it may still run when the event is
    /// delivered again.
    ///
    /// - Parameter event: The event.
    /// - Returns: The result.
    /// - Throws: Any error; the event is delivered again after a delay.
    func handle(_ event: RecordedEvent) async throws -> SubscriberAnswer
}

extension EventSubscriber {
    /// All events.
    public var filter: EventFilter { .all }
}

/// The result of handling an event.
public enum SubscriberAnswer: Sendable, Hashable {
    /// The event was handled.
    case handled
    /// The event does not concern the subscriber.
    case ignored
    /// The same event is delivered again after a delay, any number of times. This is not a failure.
    case retry
}

/// Where a subscriber without a checkpoint begins.
public enum SubscriptionStart: Sendable, Hashable {
    /// With the log's first event.
    case beginning
    /// With the next event that is recorded.
    case end
}

/// How failures and timeouts of a subscriber are handled.
public struct SubscriptionOptions: Sendable, Hashable {
    /// The time within which a subscriber must handle an event.
    public var timeout = Duration.seconds(30)
    /// The total number of attempts to deliver an event that fails.
    public var attempts = 8
    /// The delay before an event is delivered again; doubled each time.
    public var retryDelay = Duration.seconds(1)
    /// The longest such delay.
    public var maximumRetryDelay = Duration.seconds(60)
    /// What to do when all attempts have failed. Default: `.stop`.
    public var onFailure = FailurePolicy.stop

    /// The defaults.
    public init() {}
}
