public import Foundation
internal import MessageStoreLMDB

/// A measurement of a store's work, for the metrics of its host; see ``MessageStore/MessageStore/Configuration/metrics``.
///
/// With swift-metrics:
///
/// ```swift
/// configuration.metrics = { measurement in
///     switch measurement {
///     case .commit(let time): Metrics.Timer(label: "messages.commit").record(duration: time)
///     case .queue(let calls): Metrics.Gauge(label: "messages.queue").record(calls)
///     case .flush(let time): Metrics.Timer(label: "messages.flush").record(duration: time)
///     case .refresh(let time): Metrics.Timer(label: "messages.refresh").record(duration: time)
///     }
/// }
/// ```
public enum StoreMeasurement: Sendable, Hashable {
    /// The time that it took to make recorded events durable, of one call or of a group.
    case commit(Duration)
    /// The number of calls that record or wait for others to have recorded, when one begins, itself included.
    case queue(Int)
    /// The time that it took to write buffered rows of the views.
    case flush(Duration)
    /// The time that a live query took at its beginning or after a change.
    case refresh(Duration)
}

extension MessageStore.Configuration {
    /// Begins to measure by the clock of the configuration; nil if nobody wants to know.
    func stopwatch() -> ((_ kind: (Duration) -> StoreMeasurement) -> Void)? {
        guard let metrics else { return nil }
        let elapsed = Self.elapsed(on: self.clock)
        return { metrics($0(elapsed())) }
    }

    private static func elapsed<Time: Clock<Duration>>(on clock: Time) -> () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}

extension MessageStore {
    /// How many identities were looked up since the opening that no event had: a package of new messages should cause
    /// none.
    @_spi(Storage) public var vainLookUps: Int { writer.withLock { $0.admission.vainLookUps } }

    /// Counts a call that records, and reports how many there are.
    func beginCall() {
        let count = calls.withLock { calls in
            calls += 1
            return calls
        }
        configuration.metrics?(.queue(count))
    }
}

extension StoreError: CustomNSError {
    /// The domain of errors that Objective-C sees.
    public static var errorDomain: String { "MessageStore.StoreError" }
    /// The number of the code.
    public var errorCode: Int { code.number }
    /// The description, which holds no text of a message.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
