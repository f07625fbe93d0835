/// A part of a host that must see every event, also those that were recorded while it did not run.
///
/// Subscribers are independent: each has a name, and by that name a checkpoint in the log that survives restarts. Events
/// are handed over in order, one at a time, at least once. After a crash up to 256 events come again, and so does an
/// event whose handling was cut short by a cancellation or a time-out; keep the position of the last one handled where
/// that matters.
public protocol EventSubscriber: Sendable {
    /// The name of its checkpoint, 1 to 255 UTF-8 bytes; must never change.
    var name: String { get }
    /// Which events it wants; all by default.
    var filter: EventFilter { get }
    /// Handles one event. May record, read and cancel its subscription; should not block its thread.
    ///
    /// A handler that is too late is cancelled. One that goes on nevertheless may still run when the event comes again.
    ///
    /// - Parameter event: The event.
    /// - Returns: What became of it.
    /// - Throws: Anything; the event comes again after a delay.
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
    /// The same event is handed over again after a delay, any number of times. This is not a failure.
    case retry
}

/// Where a subscriber begins that has no checkpoint yet.
public enum SubscriptionStart: Sendable, Hashable {
    /// With the log's first event.
    case beginning
    /// With the next event that is recorded.
    case end
}

/// How failures and timeouts of a subscriber are handled.
public struct SubscriptionOptions: Sendable, Hashable {
    /// What to do when all attempts have failed.
    public enum FailurePolicy: Sendable, Hashable {
        /// The subscription ends with the error and its checkpoint stays before the event.
        case stop
        /// The event is skipped and counted.
        case skip
    }

    /// How long a subscriber may take for an event.
    public var timeout = Duration.seconds(30)
    /// How often an event that fails is handed over in all.
    public var attempts = 8
    /// How long an event waits before it comes again; doubled each time.
    public var retryDelay = Duration.seconds(1)
    /// The longest such delay.
    public var maximumRetryDelay = Duration.seconds(60)
    /// What to do when all attempts have failed. Default: `.stop`.
    public var onFailure = FailurePolicy.stop

    /// The defaults.
    public init() {}
}
