internal import Logging
internal import MessageStoreLMDB

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

    /// Looks again in a minute: other processes end their reads of older files without notice, and time passes. One look
    /// waits at a time.
    func lookAgainLater(_ state: inout WriterState) {
        guard !state.isCompactionCheckScheduled else { return }
        state.isCompactionCheckScheduled = true
        scheduler.run(after: .seconds(60), on: rebuildQueue) { [weak self] in
            self?.writer.withLock { $0.isCompactionCheckScheduled = false }
            self?.compactIfDue()
        }
    }

    /// Erases what is due, compacts the store where that is, and removes files that earlier compactions replaced.
    func compactIfDue() {
        do {
            let resources = try openedForWriting()
            _ = writer.withLock { tryToFinishErasures(resources, &$0) }
            retainIfDue()
            let owed = try resources.log.owed()
            if owed.contains(where: { $0.state == .compacted }), try !whileCompacting({ try removeRetired(resources) })
            {
                writer.withLock { lookAgainLater(&$0) }
            }
            guard let policy = configuration.automaticCompaction, !writer.withLock({ $0.hasCompactionFailed }) else {
                return
            }
            let isDue =
                try policy.isDue(owed, now: configuration.now()) || policy.isDue(resources.log.environment)
                || resources.views.environment.map { try policy.isDue($0.environment) } ?? false
            if try isDue && !compact().isErasureComplete { writer.withLock { lookAgainLater(&$0) } }
        } catch let error as StoreError where error.isOfClosedStore || error.code == .rebuilding {
            // Another time.
        } catch {
            writer.withLock { $0.hasCompactionFailed = true }
            configuration.logger.warning("a compaction failed", metadata: ["error": "\(error)"])
        }
    }
}
