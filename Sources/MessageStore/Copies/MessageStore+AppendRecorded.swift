internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Appends recorded events to an empty store exactly as they were: positions, times, flags and commits.
    ///
    /// Nothing is recognised as known, filtered, counted or erased again: the log equals the one the events came from,
    /// and so do the digests of all views. Messages whose timers have ended disappear with the next
    /// append or opening. The events are durable when this returns; when it throws, the store holds
    /// the commits before the one that failed and should be removed.
    ///
    /// A host's event that was read in a newer version of its type than it was recorded in is appended in that version.
    /// Read the events with the types that the store is opened with (`CodingUserInfoKey.eventTypes`), or with none.
    ///
    /// Costs as much as recording the events in large packages.
    ///
    /// - Parameter nextEvent: Called for each event, in the order of their positions, until it returns `nil`. It must
    ///   not use the store.
    /// - Throws: `StoreError`: `invalidArgument` with the position of an event that is out of place or breaks a rule,
    ///   or if the store is not empty; or what `nextEvent` throws.
    public func appendRecorded(_ nextEvent: () throws -> RecordedEvent?) throws {
        let resources = try openedForWriting()
        // Also if it throws: the commits before the one that failed are there.
        defer {
            signal.note(.recorded)
            noteTimers()
        }
        let erasure = try StoreError.translating {
            try writer.withLock { state throws in
                guard resources.log.lastPosition == .origin else {
                    throw StoreError(
                        .invalidArgument, "recorded events can only be appended to an empty store", path: path)
                }
                do {
                    try append(restoring: nextEvent, resources)
                } catch {
                    // The commits before the one that failed are there, and durable like others.
                    try resources.log.commit()
                    throw error
                }
                try resources.log.commit()
                return try resources.log.owed().isEmpty ? .done : tryToFinishErasures(resources)
            }
        }
        try erasure.requireDone(recordedAt: lastPosition(), path: path)
    }

    /// Appends recorded events to an empty store exactly as they were.
    ///
    /// - Parameter events: In the order of their positions.
    /// - Throws: `StoreError`, as where the events are asked for one by one.
    public func appendRecorded(_ events: some Sequence<RecordedEvent>) throws {
        var rest = events.makeIterator()
        try appendRecorded { rest.next() }
    }

    /// Appends recorded events to an empty store exactly as they were, without blocking the caller's executor.
    ///
    /// - Parameter events: In the order of their positions.
    /// - Throws: `StoreError`, or `CancellationError` if the task was cancelled before.
    public func appendRecorded(_ events: some Sequence<RecordedEvent> & Sendable) async throws {
        try await run(on: writeQueue) { try self.appendRecorded(events) }
    }

    private func append(restoring nextEvent: () throws -> RecordedEvent?, _ resources: WritingResources) throws {
        var commit: [RecordedEvent] = []
        while let next = try nextEvent() {
            if let first = commit.first, next.commit != first.commit {
                try append(restored: commit, resources)
                commit.removeAll(keepingCapacity: true)
            }
            commit.append(next)
        }
        if !commit.isEmpty { try append(restored: commit, resources) }
    }

    /// Stages one commit; they share durable commits of some size.
    private func append(restored events: [RecordedEvent], _ resources: WritingResources) throws {
        resources.log.stage(try resources.log.prepare(restoring: events, account: account))
        guard resources.log.uncommittedBytes >= Self.restoredBytesPerCommit else { return }
        try resources.log.commit()
        try resources.views.waitForRoom()
        try resources.views.foldNew()
    }

    private static let restoredBytesPerCommit = 4 << 20
}
