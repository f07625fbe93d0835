internal import Dispatch
internal import MessageStoreLMDB

/// A copy of a shipped log that follows it: the state of another device, for reading.
///
/// ```swift
/// let follower = try await LogFollower.open(path, from: carrier)
/// for try await page in follower.store.observe(…) { … }  // live queries advance with what arrives
/// try await follower.run()
/// ```
///
/// The copy is a store, whose queries and live queries work as usual. Nothing may be recorded in it: it would have events
/// that the log lacks, and every further update would fail with `lineageMismatch`.
public actor LogFollower {
    /// The copy.
    public nonisolated let store: MessageStore
    private let carrier: any Carrier
    private let configuration: MessageStore.Configuration
    private let queue = DispatchQueue(label: "MessageStore.LogFollower")
    private var ledgerName: String?
    /// The stores that shipped, as far as they are known.
    private var stores: [String] = []
    private var last: Task<State, any Error>?
    /// Whether an update suspended the store and did not resume it.
    private var isSuspended = false

    /// Opens a copy, which is restored first if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The copy's directory; its parent must exist.
    ///   - carrier: The place to which the log is shipped.
    ///   - configuration: How the copy is opened. An inbox and a policy of retention do not apply.
    /// - Throws: `StoreError` as `LogRestorer.restore(to:progress:)` and `MessageStore.open`.
    public static func open(
        _ path: String, from carrier: any Carrier, configuration: MessageStore.Configuration = .init()
    ) async throws -> LogFollower {
        Leftovers.remove(.following, in: FileSystem.parent(of: FileSystem.withoutTrailingSlashes(path)))
        let isThere = try StoreError.translating { try FileSystem.status(of: path) != nil }
        if !isThere { try await LogRestorer(from: carrier, key: configuration.privacy.key).restore(to: path) }
        var configuration = configuration
        (configuration.processes.follows, configuration.processes.inboxPath, configuration.privacy.retention) = (
            true, nil, nil
        )
        let account = try MessageStore.account(ofStoreAt: path, key: configuration.privacy.key)
        let store = try await MessageStore.open(path, account: account, configuration: configuration)
        return LogFollower(store, carrier, configuration)
    }

    private init(_ store: MessageStore, _ carrier: any Carrier, _ configuration: MessageStore.Configuration) {
        (self.store, self.carrier, self.configuration) = (store, carrier, configuration)
    }

    /// How far a copy has come, as far as this follower knows: after an opening, erasures count from its first update on.
    public struct State: Sendable, Hashable {
        /// The last event of the copy.
        public let position: Position
        /// Segments of the place that the copy lacks.
        public let missingSegments: Int
        /// Whether everything that was erased is erased in the copy as well.
        public let hasAllErasures: Bool

        /// Whether the copy has all that was shipped.
        public var isCurrent: Bool { missingSegments == 0 && hasAllErasures }
    }

    /// Compares the copy with the place, and changes nothing.
    ///
    /// - Throws: `StoreError` of the carrier and of reading the store.
    public func state() async throws -> State {
        let (log, position) = try await compared()
        let name = try await log.ledgerName(carrier)
        let owes = try await queue.run { [store] in try store.owesErasures() }
        return State(
            position: position, missingSegments: log.segments.count,
            hasAllErasures: !owes && (name == nil || name == ledgerName))
    }

    /// The log that was shipped after the end of the copy, and that end.
    private func compared() async throws -> (ShippedLog, Position) {
        let position = try await queue.run { [store] in
            if let own = try store.firstOwnPosition() {
                throw StoreError(
                    .lineageMismatch, "events were recorded in the copy, which follows no longer", position: own,
                    path: store.path)
            }
            return try store.durablePosition()
        }
        guard let log = try await ShippedLog.list(carrier, knowing: stores, after: position) else {
            throw StoreError(.storeMissing, "no log was shipped", path: carrier.description)
        }
        stores = log.stores
        return (log, position)
    }

    /// Takes over later events and erasures; updates follow each other.
    ///
    /// The store is suspended for a moment; live queries continue after it.
    ///
    /// - Throws: `StoreError`: `segmentMissing` if the copy is so old that its next segment is gone: remove it and open
    ///   it again; `keyUnavailable` or `keyRefused` if the key of the copy does not open the segments; `lineageMismatch`,
    ///   `segmentDamaged`, and errors of the carrier.
    @discardableResult
    public func update() async throws -> State {
        let earlier = last
        let update = Task {
            _ = await earlier?.result
            try Task.checkCancellation()
            return try await updateNow()
        }
        last = update
        return try await withTaskCancellationHandler {
            try await update.value
        } onCancel: {
            update.cancel()
        }
    }

    private func updateNow() async throws -> State {
        if isSuspended { try await resume() }
        let (log, position) = try await compared()
        let hasNext = log.segments.first.map { $0.first.rawValue == position.rawValue + 1 }
        guard hasNext ?? log.bases.allSatisfy({ $0.position <= position }) else {
            throw StoreError(
                .segmentMissing, "the copy is too old: the segment that continues it was removed",
                position: Position(position.rawValue + 1), path: store.path)
        }
        let name = try await log.ledgerName(carrier)
        let ledger = name == nil || name == ledgerName && log.segments.isEmpty ? nil : try await log.ledger(carrier)
        if !log.segments.isEmpty { try await append(log.segments, ledger?.ledger) }
        if let ledger, ledger.name != ledgerName {
            try await queue.run { [store] in try store.redact(by: ledger.ledger) }
            ledgerName = ledger.name
        }
        let (reached, owes) = try await queue.run { [store] in (try store.durablePosition(), try store.owesErasures()) }
        return State(position: reached, missingSegments: 0, hasAllErasures: !owes)
    }

    /// Updates the copy until the task is cancelled or the store closed, and continues after failures of the carrier.
    ///
    /// - Parameters:
    ///   - interval: How often the place is asked.
    ///   - report: Called after each update that changed something, and with each failure that passes.
    /// - Throws: `StoreError` as ``update()``, for failures that do not pass by waiting.
    public func run(
        every interval: Duration = .seconds(1), report: @Sendable (Result<State, any Error>) -> Void = { _ in }
    ) async throws {
        var reported: State?
        let passes = { (error: StoreError) in error.code != .segmentMissing && LogShipper.passes(error) }
        try await Pause.rounds(every: interval, report: report, passes: passes) {
            let state = try await update()
            defer { reported = state }
            return state == reported ? nil : state
        }
    }

    private func append(_ segments: [ShippedLog.Segment], _ ledger: ErasureLedger?) async throws {
        let work = try WorkDirectory(.following, nextTo: store.path)
        defer { work.remove() }
        let checkKey = try MessageStore.keyCheck(configuration.privacy.key, ofPlace: carrier.description)
        let fetch = ObjectFetch(carrier: carrier, checkKey: checkKey)
        let files = try await fetch.segments(segments[...], to: work.path)
        isSuspended = true
        do {
            try await store.suspend()
            try await queue.run { [store, configuration] in
                _ = try MessageStore.append(
                    segments: files, to: store.path, erasing: ledger, configuration: configuration)
            }
        } catch {
            try await resume()
            throw error
        }
        try await resume()
    }

    /// Opens the store again, even if the task is cancelled.
    private func resume() async throws {
        try await queue.run { [store] in try store.resume() }
        isSuspended = false
    }
}
