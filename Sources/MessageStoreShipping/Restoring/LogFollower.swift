internal import Dispatch
internal import MessageStoreLMDB
internal import MessageStoreLog

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
    private var ledgerNumber: UInt64?

    /// Opens a copy, which is restored first if there is none.
    ///
    /// - Parameters:
    ///   - path: The copy's directory; its parent must exist.
    ///   - carrier: The place to which the log is shipped.
    ///   - configuration: How the copy is opened.
    /// - Throws: `StoreError` as `LogRestorer.restore(to:progress:)` and `MessageStore.open`.
    public static func open(
        _ path: String, from carrier: any Carrier, configuration: MessageStore.Configuration = .init()
    ) async throws -> LogFollower {
        if try FileSystem.status(of: path) == nil { try await LogRestorer(from: carrier).restore(to: path) }
        let account = try MessageStore.account(ofStoreAt: path)
        let store = try await MessageStore.open(path, account: account, configuration: configuration)
        return LogFollower(store, carrier, configuration)
    }

    private init(_ store: MessageStore, _ carrier: any Carrier, _ configuration: MessageStore.Configuration) {
        (self.store, self.carrier, self.configuration) = (store, carrier, configuration)
    }

    /// How far a copy has come.
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
        guard let log = try await ShippedLog.list(carrier) else { throw nothingShipped() }
        let position = try await queue.run { [store] in try store.durablePosition() }
        let number = try await log.ledger(carrier)?.number
        return State(
            position: position, missingSegments: log.segments(after: position).count,
            hasAllErasures: number == nil || number == ledgerNumber)
    }

    /// Takes over what was shipped and erased since.
    ///
    /// The store is suspended for a moment; live queries continue after it.
    ///
    /// - Throws: `StoreError`: `segmentMissing` where the copy is so old that its next segment is gone: remove it and open
    ///   it again; `lineageMismatch`, `segmentDamaged`, and those of the carrier.
    @discardableResult
    public func update() async throws -> State {
        guard let log = try await ShippedLog.list(carrier) else { throw nothingShipped() }
        let position = try await queue.run { [store] in
            if let own = try store.firstOwnPosition() {
                throw StoreError(
                    .lineageMismatch, "events were recorded in the copy, which follows no longer", position: own,
                    path: store.path)
            }
            return try store.durablePosition()
        }
        let segments = log.segments(after: position)
        let ledger = try await log.ledger(carrier)
        let hasNext = segments.first.map { $0.first.rawValue == position.rawValue + 1 }
        guard hasNext ?? log.bases.allSatisfy({ $0.position <= position }) else {
            throw StoreError(
                .segmentMissing, "the copy is too old: the segment that continues it was removed",
                position: Position(position.rawValue + 1), path: store.path)
        }
        if !segments.isEmpty { try await append(segments, ledger?.ledger) }
        if let ledger, ledger.number != ledgerNumber {
            try await queue.run { [store] in try store.redact(by: ledger.ledger) }
            ledgerNumber = ledger.number
        }
        return State(
            position: try await queue.run { [store] in try store.durablePosition() }, missingSegments: 0,
            hasAllErasures: true)
    }

    /// Updates the copy until the task is cancelled or the store closed, and continues after failures of the carrier.
    ///
    /// - Parameters:
    ///   - interval: How often the place is asked.
    ///   - report: Called after each update, and with each failure that passes.
    /// - Throws: `StoreError` as ``update()``, for failures that do not pass by waiting.
    public func run(
        every interval: Duration = .seconds(1), report: @Sendable (Result<State, any Error>) -> Void = { _ in }
    ) async throws {
        var delay = interval
        while !Task.isCancelled {
            do {
                report(.success(try await update()))
                delay = interval
            } catch is CancellationError {
                return
            } catch let error as StoreError where error.code == .closed {
                return
            } catch let error as StoreError where ![.carrierFailed, .diskFull].contains(error.code) {
                throw error
            } catch {
                report(.failure(error))
                delay = min(delay * 2, .seconds(60))
            }
            try? await Task.sleep(for: delay)
        }
    }

    private func append(_ segments: ArraySlice<ShippedLog.Segment>, _ ledger: ErasureLedger?) async throws {
        let fetched = store.path + ".following"
        try FileSystem.remove(fetched)
        try FileSystem.createDirectory(fetched)
        defer { try? FileSystem.remove(fetched) }
        let fetch = ObjectFetch(carrier: carrier)
        let files = try await fetch.segments(segments, to: fetched)
        try await store.suspend()
        do {
            try await queue.run { [store, configuration] in
                _ = try MessageStore.append(
                    segments: files, to: store.path, erasing: ledger, configuration: configuration)
            }
        } catch {
            try await store.resume()
            throw error
        }
        try await store.resume()
    }

    private func nothingShipped() -> StoreError {
        StoreError(.storeMissing, "no log was shipped", path: carrier.description)
    }
}
