internal import Dispatch

extension MessageStore {
    /// Records the events of a package of an offline sync, and that it was received, in one commit.
    ///
    /// For many packages one after the other, `ingest(_:isolation:acknowledge:)` is faster.
    ///
    /// - Parameters:
    ///   - package: The package.
    ///   - acknowledgement: The guarantee when this returns.
    /// - Throws: As `record(_:acknowledgement:)`.
    @discardableResult
    public func ingest(
        _ package: OfflinePackage, acknowledgement: Acknowledgement = .durable
    ) throws -> RecordResult {
        try record(package.contents, closing: package.closingEvent, acknowledgement).first(package.events.count)
    }

    /// Records a package of an offline sync; the `async` form of `ingest(_:acknowledgement:)`.
    @discardableResult
    public func ingest(
        _ package: OfflinePackage, acknowledgement: Acknowledgement = .durable
    ) async throws -> RecordResult {
        try await record(package.contents, closing: package.closingEvent, acknowledgement)
            .first(package.events.count)
    }
}

extension MessageStore {
    /// Records the packages of an offline sync as they arrive, and acknowledges each once it is durable.
    ///
    /// While packages are made durable, the next ones are prepared, and all that have gathered by then share the next
    /// flush: if a flush takes milliseconds, this is many times as fast as one `ingest(_:acknowledgement:)` after the
    /// other. Packages are recorded in their order, each as a whole or not at all, and show in every view before they
    /// are durable. At most twice as many wait to be acknowledged as ``GroupCommit/batches`` says; then the sequence is
    /// not asked for more.
    ///
    /// ```swift
    /// try await store.ingest(packages) { package, result in
    ///     try await server.confirm(package.index)
    /// }
    /// ```
    ///
    /// The first failure ends it. If a package cannot be recorded or the sequence fails, the packages before are made
    /// durable and acknowledged first; if that fails, its error is thrown instead. A failure of a flush or of
    /// `acknowledge` is noticed when the sequence gives its next element or ends: a sequence that waits for the
    /// acknowledgement of a package should end when that fails. Packages that were recorded and not acknowledged may
    /// stay; recorded again, their events are recognised.
    ///
    /// - Parameters:
    ///   - packages: The packages.
    ///   - isolation: The actor on which the sequence is asked for the next package; nil for the queue on which the
    ///     store records.
    ///   - acknowledge: Called for each package in turn, once it is durable as configured, one call at a time. While it
    ///     runs, no later package is acknowledged.
    /// - Throws: As `record(_:acknowledgement:)`; `CancellationError` if the task is cancelled; what the sequence and
    ///   `acknowledge` throw.
    public func ingest<Packages: AsyncSequence>(
        _ packages: Packages, isolation: isolated (any Actor)? = #isolation,
        acknowledge: @escaping @Sendable (_ package: OfflinePackage, _ result: RecordResult) async throws -> Void = {
            _, _ in
        }
    ) async throws where Packages.Element == OfflinePackage {
        // So that no package waits for another thread to record it. An actor would follow to the queue, and keep it from
        // recording events of others while the sequence is at work.
        try await withTaskExecutorPreference(isolation == nil ? QueueExecutor(writeQueue) : nil, isolation: isolation) {
            try await recordAll(packages, isolation, acknowledge)
        }
    }

    private typealias Recorded = (package: OfflinePackage, result: RecordResult)

    private func recordAll<Packages: AsyncSequence>(
        _ packages: Packages, _ isolation: isolated (any Actor)?,
        _ acknowledge: @escaping @Sendable (OfflinePackage, RecordResult) async throws -> Void
    ) async throws where Packages.Element == OfflinePackage {
        let (recorded, next) = AsyncStream.makeStream(of: Recorded.self)
        let (acknowledged, done) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self, isolation: isolation) { group in
            // On a queue of its own, which may wait for a flush.
            let queue = DispatchQueue(label: "MessageStore.acknowledge", qos: .userInitiated)
            group.addTask(executorPreference: QueueExecutor(queue)) {
                defer {
                    next.finish()
                    done.finish()
                }
                try await self.acknowledgeAll(recorded, acknowledge) { done.yield() }
            }
            do {
                var (waiting, room) = (0, acknowledged.makeAsyncIterator())
                for try await package in packages {
                    let result = try await record(package.contents, closing: package.closingEvent, .visible)
                        .first(package.events.count)
                    // If the other task has ended, it throws below why.
                    guard case .enqueued = next.yield((package, result)) else { break }
                    waiting += 1
                    guard waiting / 2 >= configuration.durability.groupCommit.batches else { continue }
                    await room.next(isolation: isolation)
                    waiting -= 1
                }
                try Task.checkCancellation()
            } catch {
                next.finish()
                try await group.next()
                throw error
            }
            next.finish()
            try await group.next()
        }
    }

    /// Acknowledges packages one after the other; a flush makes all durable that have gathered.
    private func acknowledgeAll(
        _ recorded: AsyncStream<Recorded>, _ acknowledge: (OfflinePackage, RecordResult) async throws -> Void,
        _ done: () -> Void
    ) async throws {
        for await (package, result) in recorded {
            try Task.checkCancellation()
            try makeDurable(through: result.lastPosition)
            try await acknowledge(package, result)
            done()
        }
    }

    /// On the calling thread, unlike the `async` form of the same.
    private func makeDurable(through position: Position) throws { try waitUntilDurable(through: position) }
}

/// Messages that a server delivered together after this account had been offline.
public struct OfflinePackage: Sendable, Hashable {
    /// The transport's number of the package.
    public var index: UInt32
    /// The events in it; messages carry the origin `offline`. Events that are not stored are delivered to listeners and
    /// counted.
    public var events: [Event]
    /// The number of further messages in it, such as messages that the transport dropped; they are only counted.
    public var unstoredMessages: UInt32
    /// Whether the server has more packages.
    public var hasMore: Bool
    /// The server's place after the package, which is recorded in the same commit; nil if the server reports none.
    public var cursor: SyncCursorAdvanced?

    /// Creates a package.
    public init(
        index: UInt32, events: [Event], unstoredMessages: UInt32 = 0, hasMore: Bool, cursor: SyncCursorAdvanced? = nil
    ) {
        self.index = index
        self.events = events
        self.unstoredMessages = unstoredMessages
        self.hasMore = hasMore
        self.cursor = cursor
    }
}

extension OfflinePackage {
    /// The events and the cursor.
    var contents: [Event] { cursor.map { events + [Event($0, origin: .offline)] } ?? events }

    /// The event that the package was received, recorded after its events.
    var closingEvent: Event {
        // By index, which copies no event.
        let messages = events.indices.count { events[$0].type == .messageReceived }
        let count = UInt32(clamping: messages + Int(unstoredMessages))
        let received = OfflinePackageReceived(index: index, messageCount: count, hasMore: hasMore)
        return Event(received, origin: .offline)
    }
}

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
    /// The work after a callback; none if all parts are empty.
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
    /// - Returns: The work to do now.
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
    /// - Returns: The work to do now.
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

/// The packages of the sync that is going on: the missing ones, and ones that have arrived after them.
struct PackageNumbers: Sendable {
    private var last: UInt64?
    private var received = RangeSet<UInt64>()
    /// Left out by a later package, and not received since.
    private var missing = RangeSet<UInt64>()
    /// The oldest message of each conversation for each package after a missing one, and for the one that has not ended
    /// yet.
    private var behind: [UInt64: [ConversationKey: MessageOrder]] = [:]
    private var unfinished: [ConversationKey: MessageOrder] = [:]

    /// Takes over events in the order of the log. A message belongs to the package that the next package event names,
    /// whatever is between.
    ///
    /// - Returns: The gaps to record, by the index of the event before which they belong.
    /// - Throws: `StoreError` with code `packageMissing` if it is strict.
    mutating func note(_ events: [Event], closing: Event? = nil, isStrict: Bool = false) throws -> [Int: [Event]] {
        var gaps: [Int: [Event]] = [:]
        for place in 0..<events.count + (closing == nil ? 0 : 1) {
            guard let event = place < events.count ? events[place] : closing else { continue }
            if event.type == .messageReceived {
                note(event)
            } else if let package = event.payload as? OfflinePackageReceived {
                try note(package.index, isStrict: isStrict)
            } else if event.endsSync {
                let found = end()
                if !found.isEmpty {
                    gaps[place] = found.map { Event($0.gap, in: $0.conversation, origin: event.origin) }
                }
            }
        }
        return gaps
    }

    private mutating func note(_ event: Event) {
        // No package precedes the first.
        guard last != nil, event.origin == .offline, let message = event.payload as? MessageReceived,
            let conversation = event.conversation
        else { return }
        let order = MessageOrder(time: message.sentTime, id: message.serverID)
        unfinished.merge([conversation: order], uniquingKeysWith: min)
    }

    private mutating func note(_ index: UInt32, isStrict: Bool) throws {
        let index = UInt64(index)
        if let last, index > last + 1 {
            let leftOut = RangeSet(last + 1..<index).subtracting(received)
            if isStrict, let range = leftOut.ranges.first {
                throw StoreError(.packageMissing, "package \(index) was received before package \(range.lowerBound)")
            }
            missing.formUnion(leftOut)
        }
        last = index
        received.insert(contentsOf: index..<index + 1)
        missing.remove(contentsOf: index..<index + 1)
        if let lowest = missing.ranges.first, lowest.lowerBound < index {
            behind[index, default: [:]].merge(unfinished, uniquingKeysWith: min)
        }
        unfinished = [:]
    }

    /// Forgets the sync.
    ///
    /// - Returns: The gaps that it leaves, the lower ones first.
    private mutating func end() -> [(conversation: ConversationKey, gap: HistoryGapFound)] {
        var (oldest, holes) = ([ConversationKey: MessageOrder](), [(ConversationKey, MessageOrder)]())
        var indices = behind.keys.sorted()[...]
        for range in missing.ranges.reversed() {
            var found: Set<ConversationKey> = []
            while let index = indices.last, index >= range.upperBound {
                oldest.merge(behind[index] ?? [:], uniquingKeysWith: min)
                found.formUnion((behind[index] ?? [:]).keys)
                indices.removeLast()
            }
            // If no package between two missing ones has messages of a conversation, the two are one gap.
            holes += found.compactMap { conversation in oldest[conversation].map { (conversation, $0) } }
        }
        self = PackageNumbers()
        return holes.ordered { ($0.1, $0.0.description) < ($1.1, $1.0.description) }
            .map { ($0.0, HistoryGapFound(before: $0.1)) }
    }
}

extension Event {
    fileprivate var numbersPackages: Bool { type == .offlinePackageReceived || endsSync }

    fileprivate var endsSync: Bool {
        switch type {
        case .offlineSyncStarted, .offlineSyncCompleted: true
        case .sessionStateChanged:
            // A sync continues in the next process.
            (payload as? SessionStateChanged).map { $0.state != .connecting && $0.state != .interrupted } ?? true
        default: false
        }
    }
}

extension MessageStore {
    /// Takes over the numbers of the packages among the events.
    ///
    /// - Returns: The packages known then, and the gaps to record by the index of the event before which they belong.
    func number(
        _ events: [Event], _ closing: Event?, _ resources: WritingResources, _ known: PackageNumbers?
    ) throws -> (packages: PackageNumbers?, gaps: [Int: [Event]]) {
        guard configuration.sync.packageNumbers != .any,
            known != nil || closing?.numbersPackages == true
                || events.indices.contains(where: { events[$0].numbersPackages })
        else { return (known, [:]) }
        var packages = try known ?? recordedPackages(resources)
        let gaps = try packages.note(events, closing: closing, isStrict: configuration.sync.packageNumbers == .strict)
        return (packages, gaps)
    }

    /// The packages of a sync that was going on when the store was opened.
    private func recordedPackages(_ resources: WritingResources) throws -> PackageNumbers {
        var packages = PackageNumbers()
        guard let start = try resources.views.admissionSnapshot(isWhole: true).startOfSync() else { return packages }
        let wanted = EventFilter(types: [
            .messageReceived, .offlinePackageReceived, .offlineSyncStarted, .offlineSyncCompleted, .sessionStateChanged,
        ])
        try forEachEvent(from: start, where: wanted) { recorded in
            _ = try packages.note([recorded.event])
            return true
        }
        return packages
    }
}
