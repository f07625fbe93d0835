/// Turns messages that a transport raises one by one into packages and live events.
///
/// One for each connection, fed in the order of the callbacks:
///
/// ```swift
/// let collected = collector.add(event, left: left, isOffline: offline, hasPackage: hasPackage)
/// if let event = collected.live { try store.record(event) }
/// if let package = collected.package { try store.ingest(package) }
/// if collected.isSyncComplete { try store.record(Event(OfflineSyncCompleted(), origin: .offline)) }
/// ```
///
/// The transport's countdown is advice: a package that never ends is handed out when it is full.
public struct PackageCollector: Sendable {
    /// What is to be done after a callback; nothing yet where all parts are empty.
    public struct Collected: Sendable, Hashable {
        /// A live event, to be recorded at once.
        public var live: Event?
        /// A package, to be ingested.
        public var package: OfflinePackage?
        /// Whether everything that came while offline has been handed out, this package included.
        public var isSyncComplete = false
    }

    /// The maximum number of events held.
    public static let capacity = 1000

    private var events: [Event] = []
    private var index: UInt32 = 0

    /// A collector that holds nothing.
    public init() {}

    /// Takes what one callback raised. The event gets the origin `offline` or `live`, as the transport says.
    ///
    /// - Parameters:
    ///   - event: What was raised.
    ///   - left: How many messages of the package are still to be raised.
    ///   - isOffline: Whether it came while this account was offline.
    ///   - hasPackage: Whether the server has more packages.
    /// - Returns: What is to be done now.
    public mutating func add(_ event: Event, left: Int, isOffline: Bool, hasPackage: Bool) -> Collected {
        var event = event
        event.origin = isOffline ? .offline : .live
        guard isOffline else { return Collected(live: event) }
        events.append(event)
        let isComplete = !hasPackage && left <= 0
        guard left <= 0 || events.count >= Self.capacity else { return Collected() }
        return Collected(package: flush(hasMore: !isComplete), isSyncComplete: isComplete)
    }

    /// Hands out what is held: when the connection broke, or the transport says that the sync is complete.
    ///
    /// - Parameter hasMore: Whether the server has more; true also where that is not known.
    /// - Returns: nil where nothing is held.
    public mutating func flush(hasMore: Bool) -> OfflinePackage? {
        guard !events.isEmpty else { return nil }
        defer {
            events.removeAll(keepingCapacity: true)
            index = hasMore ? index + 1 : 0
        }
        return OfflinePackage(index: index, events: events, hasMore: hasMore)
    }
}
