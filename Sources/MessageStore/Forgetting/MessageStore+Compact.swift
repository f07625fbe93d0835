internal import Logging
internal import MessageStoreLMDB

extension MessageStore {
    /// Writes the store's files anew, without free pages and without the bytes of erased content, while it is read and
    /// written.
    ///
    /// Events that no answer needs any more are cut off: messages that were cleared by an event that erases, and events
    /// about these alone. The keys that recognise them stay, so that they are known when they arrive again, and so do
    /// all answers; positions before ``StoreStatistics/replayStart`` can be replayed no longer, and replay sessions that are
    /// open end. The views are folded from the remaining records, at the cost of a rebuild.
    ///
    /// A redaction removes a content from every answer at once; its bytes stay in the files, also in pages that are in
    /// use, until this has written all others to new ones. The new files take the place of the old ones in a moment for
    /// which appends wait; while the views are copied, appends may also wait for room in the buffer. Reads that began
    /// with the old files end with them. A crash at any moment leaves the old files or the new ones. Costs a pass over
    /// log and views, and room for both once more.
    ///
    /// - Parameter progress: Called periodically with the position of the log that is copied and the last one; throwing
    ///   ends the compaction and leaves everything as it was.
    /// - Throws: `StoreError`: `recordDamaged` if the log is damaged, which `salvage(_:to:)` repairs; `diskFull`;
    ///   `rebuilding` during a rebuild; `nestedAccess` in a callback of a compaction or backup; or what `progress`
    ///   throws.
    @discardableResult
    public func compact(progress: ReplayProgress = { _, _ in }) throws -> CompactionReport {
        let resources = try openedForWriting()
        let (log, views) = (resources.log, resources.views)
        return try StoreError.translating {
            try whileCompacting {
                try closing.ending(progress) { progress in
                    let before = try opening.directory.fileBytes()
                    try writer.withLock { _ throws in
                        try log.commit()
                        try finishErasures(resources)
                    }
                    let cutEvents = try cutOff(resources, progress)
                    if cutEvents == 0 {
                        // A host that records in its callback may wait for a flush, which waits for this.
                        try views.compact { try closing.check() }
                        // Whatever becomes of the log.
                        _ = try views.removeRetired()
                        try log.compact(
                            cuttingOff: nil,
                            alone: { body in
                                try writer.withLock { _ throws in
                                    try closing.check()
                                    try body()
                                }
                            }, progress: progress)
                    }
                    // Last, so that nothing is erased from the log's copy that these files still have.
                    try lagging.compact(self)
                    Leftovers.removeAll(nextTo: path)
                    return CompactionReport(
                        bytesBefore: before, bytesAfter: try opening.directory.fileBytes(), cutEvents: cutEvents,
                        isErasureComplete: try removeRetired(resources))
                }
            }
        }
    }

    /// A preview of a compaction. Costs up to three scans of the log.
    ///
    /// - Throws: `StoreError`.
    public func compactionPreview() throws -> CompactionPreview {
        let resources = try opened()
        let statistics = try statistics()
        let cut = try resources.views.read { try $0.cut(after: resources.log.replayStart) }
        return CompactionPreview(
            freeBytes: statistics.environments.filter { ["log", "views"].contains($0.name) }.reduce(0) {
                $0 + $1.freeBytes
            }, owedBytes: statistics.owedBytes,
            cutEvents: cut?.positions.count ?? 0, cutBytes: cut?.byteCount ?? 0)
    }

    /// Writes the store's files anew; the `async` form of `compact(progress:)`, which ends early, and leaves
    /// everything as it was, when the task is cancelled.
    ///
    /// - Throws: As the synchronous form, or `CancellationError`.
    @discardableResult
    public func compact(
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> CompactionReport {
        try await Self.runCancellable(on: readQueue, progress: progress) { _, progress in
            try self.compact(progress: progress)
        }
    }

    /// Rewrites the log without the events that no answer needs, and folds the views from the remaining ones.
    ///
    /// - Returns: How many events were cut off; 0 if there are none, or if something recorded meanwhile names one of
    ///   them: then nothing has changed.
    private func cutOff(_ resources: WritingResources, _ progress: ReplayProgress) throws -> Int {
        struct IsNamed: Error {}
        let (log, views) = (resources.log, resources.views)
        let (cut, position) = try views.read { (try $0.cut(after: log.replayStart), $0.position) }
        guard let cut else { return 0 }
        var seen = position
        func checkIsNotNamed() throws {
            seen = try views.read { views in
                guard try !views.isNamed(cut.positions, since: seen) else { throw IsNamed() }
                return views.position
            }
        }
        do {
            try views.rebuildFromCopy { views in
                try log.compact(
                    cuttingOff: cut, folding: views,
                    alone: { body in
                        try writer.withLock { _ throws in
                            try closing.check()
                            try checkIsNotNamed()
                            try body()
                            replaySessions.end()
                        }
                    },
                    progress: {
                        try progress($0, $1)
                        try checkIsNotNamed()
                    })
            }
        } catch is IsNamed {
            return 0
        }
        signal.note(.rewritten)
        return cut.positions.count
    }

    /// Runs `body` while no other compaction or backup runs.
    ///
    /// - Throws: `nestedAccess` in a callback of one.
    func whileCompacting<Result>(_ body: () throws -> Result) throws -> Result {
        let thread = Environment.currentThread
        guard compactingThread.withLock({ $0 }) != thread else {
            throw StoreError(.nestedAccess, "a compaction or backup is called from inside another one", path: path)
        }
        return try compacting.withLock { _ throws in
            compactingThread.withLock { $0 = thread }
            defer { compactingThread.withLock { $0 = nil } }
            return try body()
        }
    }

    /// Removes files that compactions replaced, as far as nobody reads them; answers whether none is left, and notes
    /// then that erasures are done.
    @discardableResult
    func removeRetired(_ resources: WritingResources) throws -> Bool {
        let (areViewsGone, isLogGone) = (try resources.views.removeRetired(), try resources.log.removeRetired())
        let owed = try resources.log.owed()
        guard areViewsGone, isLogGone, !owed.contains(where: { $0.state == .recorded }) else { return false }
        guard try owed.isEmpty || !lagging.isOwing() else { return false }
        try writer.withLock { _ throws in try resources.log.noteErasuresDone() }
        return true
    }
}

/// The result of a compaction.
public struct CompactionReport: Sendable, Hashable {
    /// Bytes of the files of log and views before.
    public let bytesBefore: Int
    /// Bytes of them afterwards.
    public let bytesAfter: Int
    /// How many events were cut off because no answer needs them: others erased their subjects.
    public let cutEvents: Int
    /// Whether no file of the store holds a byte of content that was erased before the compaction began. Otherwise a
    /// process, or a read of this one, still has an older file open; the file goes at a later compaction or opening.
    public let isErasureComplete: Bool
}

/// The work that a compaction would do now.
public struct CompactionPreview: Sendable, Hashable {
    /// Bytes of pages that hold nothing, in the files of log and views.
    public let freeBytes: Int
    /// Bytes that were erased and are still in a file.
    public let owedBytes: Int
    /// How many events it would cut off.
    public let cutEvents: Int
    /// The bytes of their records; rows of views about them are as much again, about.
    public let cutBytes: Int
}

extension MessageStore {
    /// When a store compacts itself, while nothing is recorded.
    ///
    /// Looked at when nothing was recorded for ``Configuration/idleFlushDelay``, such as after a sync. A compaction that
    /// fails is logged and not tried again before the next opening.
    public struct AutomaticCompaction: Sendable {
        /// How long erased bytes may stay in the files; nil: until the host compacts.
        public var erasedBytesAge: Duration? = .seconds(24 * 60 * 60)
        /// The share of a file's pages that may be free, 0 to 1; nil: any.
        public var freeShare: Double? = 0.5
        /// Free bytes up to so many are left, whatever their share.
        public var freeBytes = 32 << 20

        /// The defaults.
        public init() {}

        /// Whether erased bytes are in the files for too long.
        func isDue(_ owed: [OwedErasure], now: Timestamp) -> Bool {
            guard let age = erasedBytesAge else { return false }
            return owed.contains { owed in
                owed.state != .compacted && owed.state != .hidden
                    && Double(now.milliseconds) - Double(owed.since.milliseconds) >= age / .milliseconds(1)
            }
        }

        /// Whether a file has too many free pages.
        func isDue(_ environment: Environment) throws -> Bool {
            guard let freeShare else { return false }
            let sizes = try environment.statistics()
            return sizes.freePages * sizes.pageSize > freeBytes
                && Double(sizes.freePages) > freeShare * Double(sizes.usedPages)
        }
    }

    /// Looks again in a minute: other processes end their reads of older files without notice, and time passes.
    func lookAgainLater() { compactor.wake(self, after: .seconds(60)) { try $0.compactIfDue() } }

    /// Erases content that is due, compacts the store if that is due, and removes files that earlier compactions
    /// replaced.
    ///
    /// - Returns: No moment: who needs another look asks for it.
    func compactIfDue() throws -> Duration? {
        do {
            let resources = try openedForWriting()
            _ = writer.withLock { _ in tryToFinishErasures(resources) }
            retainIfDue()
            let owed = try resources.log.owed()
            if owed.contains(where: { $0.state == .compacted }), try !whileCompacting({ try removeRetired(resources) })
            {
                lookAgainLater()
            }
            guard let policy = configuration.automaticCompaction, !writer.withLock({ $0.hasCompactionFailed }) else {
                return nil
            }
            let isDue =
                try policy.isDue(owed, now: configuration.now()) || policy.isDue(resources.log.environment)
                || resources.views.environment.map { try policy.isDue($0.environment) } ?? false
            if try isDue && !compact().isErasureComplete { lookAgainLater() }
            return nil
        } catch let error as StoreError where error.isOfClosedStore || error.code == .rebuilding {
            // Another time.
            return nil
        } catch {
            writer.withLock { $0.hasCompactionFailed = true }
            throw error
        }
    }
}
