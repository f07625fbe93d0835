internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

/// What recording a batch did.
public struct RecordResult: Sendable, Hashable {
    /// For each event its position: a new one, or that of the same event recorded before; `Position.origin` for a
    /// message whose policy says that it is not kept.
    public let positions: [Position]
    /// How many of the events were known. They changed nothing, except that the server's echo of a message whose
    /// acknowledgement was lost is recorded as that acknowledgement.
    public let duplicates: Int
    /// The position of the log's last event after the call.
    public let lastPosition: Position
}

/// Messages that a server delivered together after this account had been offline.
public struct OfflinePackage: Sendable, Hashable {
    /// The transport's number of the package.
    public var index: UInt32
    /// The events in it; messages carry the origin `offline`. Those that are not kept are told and counted.
    public var events: [Event]
    /// Messages that were in it beside the events, such as those that the transport dropped itself; only counted.
    public var unkeptMessages: UInt32
    /// Whether the server has more packages.
    public var hasMore: Bool

    /// Puts a package together.
    public init(index: UInt32, events: [Event], unkeptMessages: UInt32 = 0, hasMore: Bool) {
        self.index = index
        self.events = events
        self.unkeptMessages = unkeptMessages
        self.hasMore = hasMore
    }
}

extension OfflinePackage {
    /// The package's own event, recorded behind the others.
    fileprivate var account: Event {
        let messages = events.count { $0.type == .messageReceived }
        let count = UInt32(clamping: messages + Int(unkeptMessages))
        let received = OfflinePackageReceived(index: index, messageCount: count, hasMore: hasMore)
        return Event(received, origin: .offline)
    }
}

extension RecordResult {
    fileprivate var withoutLast: RecordResult {
        RecordResult(positions: positions.dropLast(), duplicates: duplicates, lastPosition: lastPosition)
    }
}

extension MessageStore {
    /// Records one event; see `record(_:acknowledgement:)`.
    ///
    /// - Returns: Its position, or that of the same event recorded before; `Position.origin` for a message that is
    ///   not kept.
    @discardableResult
    public func record(_ event: Event, acknowledgement: Acknowledgement = .durable) throws -> Position {
        try record([event], acknowledgement: acknowledgement).positions[0]
    }

    /// Records events in one commit: all of them or none.
    ///
    /// When this returns, every view shows them, and unless the caller waives it they are durable as configured.
    /// Events recorded before are recognised by server id, client token or event id and change nothing. Received messages whose policy says
    /// that they are not kept are only told (see ``deliveries(bufferingNewest:)``). Cost: one commit, whatever the
    /// number of events.
    ///
    /// - Parameters:
    ///   - events: In the order in which they are recorded.
    ///   - acknowledgement: What has become of them when this returns.
    /// - Throws: `StoreError`, and nothing is recorded: `invalidArgument` names the first rule that an event breaks;
    ///   `diskFull`, `readOnly`, `closed`, `nestedAccess` and others.
    @discardableResult
    public func record(_ events: [Event], acknowledgement: Acknowledgement = .durable) throws -> RecordResult {
        try record(events, closing: nil, acknowledgement)
    }

    private func record(
        _ events: [Event], closing: Event?, _ acknowledgement: Acknowledgement
    ) throws -> RecordResult {
        var batch = try incoming(events)
        if filtering.concerns(batch.events, of: account) {
            batch.verdicts = filtering.waitForVerdicts(on: batch.events, of: account).verdicts
        }
        return try record(batch, closing, acknowledgement)
    }

    private func record(
        _ events: [Event], closing: Event?, _ acknowledgement: Acknowledgement
    ) async throws -> RecordResult {
        var batch = try incoming(events)
        if filtering.concerns(batch.events, of: account) {
            batch.verdicts = await filtering.verdicts(on: batch.events, of: account).verdicts
        }
        let judged = batch
        return try await run(on: writeQueue) { try self.record(judged, closing, acknowledgement) }
    }

    private func incoming(_ events: [Event]) throws -> IncomingBatch {
        _ = try openedForWriting()
        let batch = try IncomingBatch(events, contentTypes)
        guard !MessageFiltering.isAsking || !filtering.concerns(batch.events, of: account) else {
            throw StoreError(
                .nestedAccess, "the message filter records messages that it would have to judge", path: path)
        }
        return batch
    }

    private func record(
        _ batch: IncomingBatch, _ closing: Event?, _ acknowledgement: Acknowledgement
    ) throws -> RecordResult {
        let resources = try openedForWriting()
        let (result, warning) = try StoreError.translating {
            try writer.withLock { state throws in
                let last = resources.log.lastPosition
                let (result, repeats) = try append(batch, closing, acknowledgement, resources, &state)
                scheduleIdleFlush(&state)
                // Inside the lock, so that the order is the log's; a stream takes a delivery without running host code.
                if !listeners.isEmpty {
                    listeners.tell(
                        batch.deliveries(at: result.positions, repeats: repeats, after: last, account: account))
                }
                return (result, state.readers.warning(resources.log.environment))
            }
        }
        tailWaiters.wake()
        if let warning { tell(warning) }
        return result
    }

    /// Records one event; the `async` twin of `record(_:acknowledgement:)`.
    @discardableResult
    public func record(_ event: Event, acknowledgement: Acknowledgement = .durable) async throws -> Position {
        try await record([event], closing: nil, acknowledgement).positions[0]
    }

    /// Records events in one commit; the `async` twin of `record(_:acknowledgement:)`.
    @discardableResult
    public func record(_ events: [Event], acknowledgement: Acknowledgement = .durable) async throws -> RecordResult {
        try await record(events, closing: nil, acknowledgement)
    }

    /// Records a package of an offline sync: its events and the package's own account in one commit.
    ///
    /// Where a commit costs milliseconds, `.visible` lets several packages share one.
    ///
    /// - Parameters:
    ///   - package: What the server delivered together.
    ///   - acknowledgement: What has become of it when this returns.
    /// - Throws: As `record(_:acknowledgement:)`.
    @discardableResult
    public func ingest(
        _ package: OfflinePackage, acknowledgement: Acknowledgement = .durable
    ) throws -> RecordResult {
        try record(package.events, closing: package.account, acknowledgement).withoutLast
    }

    /// Records a package of an offline sync; the `async` twin of `ingest(_:acknowledgement:)`.
    @discardableResult
    public func ingest(
        _ package: OfflinePackage, acknowledgement: Acknowledgement = .durable
    ) async throws -> RecordResult {
        try await record(package.events, closing: package.account, acknowledgement).withoutLast
    }

    /// Queues a message for sending; it is durable and shown before any network is touched.
    ///
    /// The host's transport sends it and records `MessageSent` or `MessageSendFailed`.
    ///
    /// - Returns: The message's id in this store.
    /// - Throws: As `record(_:acknowledgement:)`.
    public func send(_ message: MessageSendQueued, to conversation: ConversationKey) throws -> LocalMessageID {
        LocalMessageID(try record(Event(message, in: conversation)).rawValue)
    }

    /// Queues a message for sending; the `async` twin of `send(_:to:)`.
    public func send(_ message: MessageSendQueued, to conversation: ConversationKey) async throws -> LocalMessageID {
        try await run(on: writeQueue) { try self.send(message, to: conversation) }
    }

    /// Removes what a message said for good; that it was sent, by whom and when, stays.
    ///
    /// Modifications of the message, and its echoes, are redacted as well. Costs a scan of the log from there. The bytes
    /// may live on in free pages of the file until those are reused.
    ///
    /// - Throws: `StoreError`: `notFound` where the position holds no event, `invalidArgument` where its type has no
    ///   words of a person.
    public func redact(_ position: Position) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try writer.withLock { _ throws in
                try resources.log.commitStaged()
                let positions = try resources.views.read { try $0.wordPositions(of: position) }
                try resources.log.redact(positions)
            }
        }
        tailWaiters.wake()
    }

    /// Appends and folds; the writer's lock is held.
    private func append(
        _ batch: IncomingBatch, _ closing: Event?, _ acknowledgement: Acknowledgement, _ resources: Resources,
        _ state: inout WriterState
    ) throws -> (RecordResult, repeats: Set<Position>) {
        // Back-pressure comes before the log is touched.
        try resources.views.waitForRoom()
        try waitForStagingRoom(resources.log)
        let prepared = try prepare(batch, closing, resources, &state)
        try stage(prepared, acknowledgement, resources)
        if acknowledgement == .visible { scheduleGroupCommit(resources.log, &state) }
        if configuration.duplicateSuppression.isOn {
            try state.repeats.note(prepared.batch, except: prepared.repeats) { number in
                configuration.duplicateSuppression.window(for: try resources.log.symbols.conversation(number).kind)
            }
        }
        note(prepared.identities, &state)
        let result = RecordResult(
            positions: batch.positions(prepared.positions), duplicates: prepared.duplicates,
            lastPosition: resources.log.lastPosition)
        return (result, prepared.repeats)
    }

    private func prepare(
        _ batch: IncomingBatch, _ closing: Event?, _ resources: Resources, _ state: inout WriterState
    ) throws -> PreparedAppend {
        let views = try resources.views.snapshot()
        if state.shallFilterIdentities(batch.kept.count) { makeIdentityFilter(resources.views, &state) }
        let filter = state.identityFilter
        return try resources.log.prepare(
            batch.kept, closing: closing, account: account, now: configuration.now(), filtered: batch.keptVerdicts,
            repeatWindow: { configuration.duplicateSuppression.window(for: $0) },
            repeated: { try state.repeats.message(repeatedBy: $0, within: $1, views) },
            known: { identity, key in
                if let filter, !filter.mayContain(key) { return nil }
                return try views.known(identity, key: key)
            },
            isMessage: { try views.isMessage($0, in: $1) },
            isUnacknowledged: { try views.isUnacknowledged($0, in: $1) })
    }

    private func note(_ identities: [IdentityKey], _ state: inout WriterState) {
        state.claimedMeanwhile?.append(contentsOf: identities)
        for key in identities { state.identityFilter?.insert(key) }
    }

    /// Makes the filter on another thread, since that takes a second for ten million identities; appends go on without.
    private func makeIdentityFilter(_ views: ViewStore, _ state: inout WriterState) {
        state.claimedMeanwhile = []
        readQueue.async { [weak self] in
            var filter = try? views.read { try IdentityFilter($0) }
            self?.writer.withLock { state in
                for key in state.claimedMeanwhile ?? [] { filter?.insert(key) }
                state.claimedMeanwhile = nil
                state.identityFilter = filter
            }
        }
    }

    /// Batches of so many events are folded on another thread while their commit is written.
    private static let concurrentFoldEvents = 32

    /// Makes a batch visible, and durable where that is asked for; where it cannot be, it never was.
    private func stage(
        _ prepared: PreparedAppend, _ acknowledgement: Acknowledgement, _ resources: Resources
    ) throws {
        let isLarge = prepared.batch.count >= Self.concurrentFoldEvents
        resources.log.stage(prepared)
        if isLarge { resources.views.foldNewInBackground(onFailure: noteFailedFold) }
        if acknowledgement == .durable {
            do {
                // What was known already may be waiting for its commit, too.
                try resources.log.commitStaged()
            } catch {
                if prepared.batch.count == 0 { throw error }
                if resources.log.unstage(prepared) {
                    resources.views.rewind()
                    throw error
                }
            }
        }
        guard !isLarge, prepared.batch.count > 0 else { return }
        do { try resources.views.foldNew() } catch { noteFailedFold(error) }
    }

    /// The events are recorded; the next use of the views folds them again, or throws why it cannot.
    private func noteFailedFold(_ error: any Error) {
        configuration.logger.error("folding failed", metadata: ["error": "\(error)"])
    }

    private func tell(_ warning: ReaderWatch.Warning) {
        configuration.logger.warning(
            "a read has been open for many commits; pages that it may see are not reused",
            metadata: ["commits": "\(warning.commits)", "bytesGrown": "\(warning.growth)"])
    }

    /// Writes the buffer once nothing was appended for a while.
    private func scheduleIdleFlush(_ state: inout WriterState) {
        state.hasAppendedSinceIdleCheck = true
        guard !state.isIdleFlushScheduled else { return }
        state.isIdleFlushScheduled = true
        state.hasAppendedSinceIdleCheck = false
        scheduler.run(after: configuration.idleFlushDelay, on: .global(qos: .utility)) { [weak self] in
            self?.flushIfIdle()
        }
    }

    private func flushIfIdle() {
        let isIdle = writer.withLock { state in
            state.isIdleFlushScheduled = false
            guard state.hasAppendedSinceIdleCheck else { return true }
            scheduleIdleFlush(&state)
            return false
        }
        guard isIdle else { return }
        do {
            try flush()
        } catch let error as StoreError where error.code == .closed {
            // Closing wrote the buffer.
        } catch {
            configuration.logger.warning("writing the views failed", metadata: ["error": "\(error)"])
        }
    }

    /// Writes buffered rows of the views now. Never needed for durability, which the log gives.
    ///
    /// - Throws: `StoreError`.
    public func flush() throws {
        let resources = try openedForWriting()
        try StoreError.translating { _ = try resources.views.flush() }
    }
}
