internal import Dispatch
internal import Logging
internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Appends a batch to the log and folds it: one call at a time, under the writer's lock.
    ///
    /// - Parameter closing: Makes one more event, recorded after the others; called under the lock, so that nothing is
    ///   recorded between its look at the log and the batch.
    func append(
        _ batch: IncomingBatch, _ acknowledgement: Acknowledgement, closing: () throws -> Event?
    ) throws -> RecordResult {
        let resources = try openedForWriting()
        guard !configuration.processes.follows else {
            throw StoreError(.readOnly, "the store follows the log of another one", path: path)
        }
        let isMeasured = configuration.metrics != nil
        if isMeasured { beginCall() }
        defer { if isMeasured { calls.withLock { $0 -= 1 } } }
        let (result, doubts, warning) = try StoreError.translating {
            try writer.withLock { state throws in
                // A call that waited while the store was closed would stage events that nobody commits.
                try self.closing.check()
                let last = resources.log.lastPosition
                let (admitted, erasure) = try append(batch, closing(), acknowledgement, resources, &state)
                let positions = batch.positions(admitted.positions)
                scheduleIdleFlush(&state)
                // Inside the lock, so that the order is the log's; a stream takes a delivery without running host code.
                if !listeners.isEmpty {
                    // The events are recorded: one that cannot be read now is not delivered.
                    let redacted = (try? redacted(after: last, admitted, resources.log)) ?? Set(admitted.positions)
                    let passedOver = admitted.repeats.union(redacted)
                    tell(batch.deliveries(at: positions, except: passedOver, after: last, account: account))
                }
                let result = RecordResult(
                    positions: positions, known: batch.indices(ofStored: admitted.known),
                    unmatched: batch.indices(ofStored: admitted.doubts.unmatched),
                    lastPosition: resources.log.lastPosition, erasure: erasure)
                return (result, admitted.doubts, state.readers.warning(resources.log.environment))
            }
        }
        endDelays(after: batch.stored)
        signal.note(.recorded, completesSync: batch.stored.contains { $0.type == .offlineSyncCompleted })
        if let warning { log(warning) }
        log(doubts, batch)
        return result
    }

    /// The new events that lost their words, whether they came after their recall or before it.
    private func redacted(after last: Position, _ admitted: AdmittedBatch, _ log: EventLog) throws -> Set<Position> {
        guard configuration.privacy.removedContent.delay != nil || !admitted.prepared.erasing.isEmpty else { return [] }
        var redacted: Set<Position> = []
        let snapshot = try log.snapshot()
        for position in admitted.positions where position > last {
            if try snapshot.record(at: position)?.flags.contains(.isRedacted) == true { redacted.insert(position) }
        }
        return redacted
    }

    private func append(
        _ batch: IncomingBatch, _ closing: Event?, _ acknowledgement: Acknowledgement, _ resources: WritingResources,
        _ state: inout WriterState
    ) throws -> (AdmittedBatch, ErasureProgress) {
        try replaceDamagedViews(resources.views, &state)
        // Back-pressure comes before the log is touched.
        try resources.views.waitForRoom()
        try waitForStagingRoom(resources.log)
        var (packages, preceding) = try number(batch.stored, closing, resources, state.packages)
        let first = batch.stored.first ?? closing
        if !state.hasRecorded, let end = first.flatMap({ interruption(before: $0, resources) }) {
            preceding[0, default: []].insert(end, at: 0)
        }
        let admitted = try state.admission.admit(
            batch.stored, closing: closing, filtered: batch.storedVerdicts, preceding: preceding,
            isHandedOver: batch.isHandedOver,
            into: resources.log.beginBatch(
                account: account, now: configuration.now(), hiding: hidingFlags,
                count: batch.stored.count),
            over: { try resources.views.admissionSnapshot(isWhole: $0) })
        // First: if the next throws, the events may be in the log all the same, and have to be known when they come
        // again.
        state.admission.noteClaims(of: admitted)
        try stage(admitted.prepared, acknowledgement, resources)
        state.packages = packages
        if first != nil { state.hasRecorded = true }
        if acknowledgement == .visible { scheduleGroupCommit(resources.log) }
        lookForExpired(isNew: admitted.prepared.setsTimers)
        let erases = !admitted.prepared.erasing.isEmpty
        let erasure = erases ? tryToFinishErasures(resources) : .done
        if try state.admission.note(admitted, resources.log.symbols) { makeIdentityFilter(resources.views) }
        return (admitted, erasure)
    }

    /// The end of a session in which the process ended, to be recorded before the first events of the next one, unless
    /// these begin another session.
    private func interruption(before first: Event, _ resources: WritingResources) -> Event? {
        let state = (first.payload as? SessionStateChanged)?.state
        guard state == nil || state == .connecting, first.type != .offlineSyncStarted else { return nil }
        // If the state cannot be read, as during a rebuild, the session may have been open.
        let isConnected = (try? resources.views.admissionSnapshot(isWhole: true).isConnected()) ?? true
        return isConnected ? Event(SessionStateChanged(.interrupted)) : nil
    }

    /// Makes the filter on another thread, since that takes a second for ten million identities; appends continue
    /// without it.
    private func makeIdentityFilter(_ views: ServedViews) {
        readQueue.async { [weak self] in
            var (filter, isDamaged) = (IdentityFilter?.none, false)
            do { filter = try IdentityFilter(views.snapshot(), in: views.path) } catch {
                isDamaged = StoreError.isViewDamage(error)
            }
            self?.writer.withLock { state in
                state.admission.take(&filter)
                state.areIdentitiesDamaged = isDamaged
                // If it fails, the next append tries again, and throws the error.
                if isDamaged { try? self?.replaceDamagedViews(views, &state) }
            }
        }
    }

    /// Makes the views anew from the log, if they cannot be asked which events are known: appends wait for it.
    private func replaceDamagedViews(_ views: ServedViews, _ state: inout WriterState) throws {
        guard state.areIdentitiesDamaged else { return }
        // Whoever rebuilds already may wait for this append.
        try closing.ending({ _, _ in }) { try views.rebuild(nil, waits: false, progress: $0) }
        configuration.logger.warning("rows that record which events are known were damaged; the views were rebuilt")
        state.areIdentitiesDamaged = false
        signal.note(.rewritten)
    }

    /// Batches of so many events are folded on another thread while their commit is written.
    private static let concurrentFoldEvents = 32

    /// Makes a batch visible, and durable if that is asked for; if it cannot be, it never was.
    private func stage(
        _ prepared: PreparedAppend, _ acknowledgement: Acknowledgement, _ resources: WritingResources
    ) throws {
        let isLarge = prepared.batch.count >= Self.concurrentFoldEvents
        resources.log.stage(prepared)
        if isLarge { resources.views.foldNewInBackground(onFailure: noteFailedFold) }
        if acknowledgement == .durable {
            do {
                // Known events may be waiting for their commit, too.
                let watch = configuration.stopwatch()
                try resources.log.makeDurable()
                watch?(StoreMeasurement.commit)
            } catch {
                if prepared.batch.count == 0 { throw error }
                if resources.log.unstage(prepared) {
                    resources.views.rewind()
                    // Live queries that saw the events that were taken back run again.
                    signal.note(.rewritten)
                    throw error
                }
                // Another call may have made it durable meanwhile.
                if resources.log.durablePosition < prepared.batch.lastPosition { throw error }
            }
        }
        guard !isLarge, prepared.batch.count > 0 else { return }
        do { try resources.views.foldNew() } catch { noteFailedFold(error) }
    }

    /// The events are recorded; the next use of the views folds them again, or throws why it cannot.
    private func noteFailedFold(_ error: any Error) {
        configuration.logger.error("folding failed", metadata: ["error": "\(error)"])
    }

    private func log(_ doubts: AdmissionDoubts, _ batch: IncomingBatch) {
        if !doubts.unmatched.isEmpty {
            let types = Set(doubts.unmatched.map { batch.stored[$0].payload.typeName }).sorted()
            configuration.logger.warning(
                "events are about messages that the store does not have",
                metadata: ["events": "\(doubts.unmatched.count)", "types": "\(types.joined(separator: ", "))"])
        }
        if doubts.timesInSeconds > 0 {
            configuration.logger.warning(
                "server times look like seconds; milliseconds are expected",
                metadata: ["events": "\(doubts.timesInSeconds)"])
        }
    }

    private func log(_ warning: ReaderWatch.Warning) {
        configuration.logger.warning(
            "a read has been open for many commits; pages that it may see are not reused",
            metadata: ["commits": "\(warning.commits)", "bytesGrown": "\(warning.growth)"])
    }
}

extension MessageStore {
    /// Writes buffered rows of the views now. Not needed for durability, which the log provides.
    ///
    /// - Throws: `StoreError`.
    public func flush() throws {
        let resources = try openedForWriting()
        try StoreError.translating { _ = try resources.views.flush() }
    }

    /// Writes buffered rows of the views now; the `async` form of `flush()`.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func flush() async throws {
        try await run(on: readQueue) { try self.flush() }
    }

    /// How many bytes of rows, and the rows of how many events, may stay in the buffer when nothing is appended: a lone
    /// send then costs the journal's flush and no other, and the next opening folds few events.
    static let (bytesLeftByIdleFlush, eventsLeftByIdleFlush) = (64 << 10, 1000)

    /// Writes the buffer, and compacts if that is due, once nothing was appended for a while; the writer's lock is
    /// held.
    func scheduleIdleFlush(_ state: inout WriterState) {
        let now = scheduler.now
        state.changedAt = now
        idler.wake(self, at: now + configuration.idleFlushDelay, now: now) { try $0.flushIfIdle() }
    }

    private func flushIfIdle() throws -> Duration? {
        let views = try openedForWriting().views
        let (next, status) = writer.withLock { state in
            (state.changedAt + configuration.idleFlushDelay, views.bufferStatus)
        }
        guard next <= scheduler.now else { return next }
        defer { compactor.wake(self) { try $0.compactIfDue() } }
        let events = status.position.rawValue - status.checkpoint.rawValue
        if status.bytes > Self.bytesLeftByIdleFlush || events > Self.eventsLeftByIdleFlush { try flush() }
        return nil
    }
}

extension MessageStore {
    /// Returns when everything recorded up to a position is durable, as configured.
    ///
    /// Costs nothing if it is already durable, otherwise one flush for all pending events.
    ///
    /// - Parameter position: The last position that matters, such as `RecordResult.lastPosition`; nil for all.
    /// - Throws: `StoreError`: `invalidArgument` beyond the log's end; `diskFull` and others if the commit cannot be
    ///   written. The events stay visible, and the commit is tried again.
    public func waitUntilDurable(through position: Position? = nil) throws {
        let log = try openedForWriting().log
        if let position {
            guard position <= log.lastPosition else {
                throw StoreError(.invalidArgument, "the log ends at \(log.lastPosition)", position: position)
            }
            guard position > log.durablePosition else { return }
        }
        try commitGroup(log)
    }

    /// Returns when everything recorded up to a position is durable; the `async` form of `waitUntilDurable(through:)`.
    public func waitUntilDurable(through position: Position? = nil) async throws {
        try await run(on: committer.queue) { try self.waitUntilDurable(through: position) }
    }

    private func commitGroup(_ log: EventLog) throws {
        // Also if a commit of the log has made them durable: nobody else wakes the tails.
        if log.waiting.batches > 0 {
            let watch = configuration.stopwatch()
            try StoreError.translating { try log.makeDurable() }
            watch?(StoreMeasurement.commit)
        }
        signal.note(.durable, completesSync: false)
    }

    /// Waits for a commit if as much is staged as may be (back-pressure); the writer's lock is held.
    func waitForStagingRoom(_ log: EventLog) throws {
        let (waiting, limit) = (log.waiting, configuration.durability.groupCommit)
        guard waiting.batches / 2 >= max(limit.batches, 1) || waiting.bytes / 2 >= limit.bytes else { return }
        try commitGroup(log)
    }

    /// Sees to it that staged events are committed in time.
    private func scheduleGroupCommit(_ log: EventLog) {
        let (waiting, limit) = (log.waiting, configuration.durability.groupCommit)
        let isFull = waiting.batches >= limit.batches || waiting.bytes >= limit.bytes
        committer.wake(self, after: isFull ? .zero : limit.delay) { store in
            try store.commitGroup(store.opened().log)
            return nil
        }
    }
}
