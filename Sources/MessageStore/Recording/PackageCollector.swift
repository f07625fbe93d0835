/// Collects messages that a transport delivers one by one into packages and live events.
///
/// Use one for each connection, in the order of the callbacks:
///
/// ```swift
/// let collected = collector.add(event, left: left, isOffline: offline, hasPackage: hasPackage)
/// if let event = collected.live { try store.record(event) }
/// if let package = collected.package { try store.ingest(package) }
/// if collected.isSyncComplete { try store.record(Event(OfflineSyncCompleted(), origin: .offline)) }
/// ```
///
/// If the transport reports only how many messages are left, leave out the other two parameters. A package whose end
/// never arrives is returned when it is full.
public struct PackageCollector: Sendable {
    /// What to do after a callback; nothing if all parts are empty.
    public struct Collected: Sendable, Hashable {
        /// A live event, to be recorded at once.
        public var live: Event?
        /// A package, to be ingested.
        public var package: OfflinePackage?
        /// Whether everything that arrived while offline has been returned, this package included.
        public var isSyncComplete = false
    }

    /// The maximum number of events held.
    public static let capacity = 1000

    private var events: [Event] = []
    private var index: UInt32 = 0

    /// Creates an empty collector.
    public init() {}

    /// Takes the event of a callback. The event gets the origin `offline` or `live`, as the transport says.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - left: How many messages of the package are still to come.
    ///   - isOffline: Whether it came while this account was offline.
    ///   - hasPackage: Whether the server has more packages.
    /// - Returns: What to do now.
    public mutating func add(_ event: Event, left: Int, isOffline: Bool, hasPackage: Bool) -> Collected {
        var event = event
        event.origin = isOffline ? .offline : .live
        guard isOffline else { return Collected(live: event) }
        events.append(event)
        let isComplete = !hasPackage && left <= 0
        guard left <= 0 || events.count >= Self.capacity else { return Collected() }
        return Collected(package: flush(hasMore: !isComplete), isSyncComplete: isComplete)
    }

    /// Takes the event of a callback of a transport that reports how many messages are left, and nothing else.
    ///
    /// A message that others follow belongs to a package, and so does the one that ends it, the first that none
    /// follows. A message that comes alone, and that none follows, is live. A package so recognised is all that the
    /// server held.
    ///
    /// - Parameters:
    ///   - event: The event; it gets the origin `offline` or `live`.
    ///   - left: How many messages are still to come.
    /// - Returns: What to do now.
    public mutating func add(_ event: Event, left: Int) -> Collected {
        // Of a package that was full, parts were returned before.
        let isPackaged = left > 0 || !events.isEmpty || index > 0
        return add(event, left: left, isOffline: isPackaged, hasPackage: false)
    }

    /// Returns the events held: when the connection broke, or the transport says that the sync is complete.
    ///
    /// - Parameter hasMore: Whether the server has more; true also if that is not known.
    /// - Returns: nil if no event is held.
    public mutating func flush(hasMore: Bool) -> OfflinePackage? {
        guard !events.isEmpty else { return nil }
        defer {
            events.removeAll(keepingCapacity: true)
            index = hasMore ? index + 1 : 0
        }
        return OfflinePackage(index: index, events: events, hasMore: hasMore)
    }
}
