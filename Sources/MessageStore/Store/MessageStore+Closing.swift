internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

extension MessageStore {
    /// Writes buffered rows and releases the store; later calls throw `closed`. Closing twice is harmless.
    ///
    /// A store that is not closed loses nothing: the next opening folds the events that were not written.
    ///
    /// - Throws: `StoreError` if the views could not be written; the store is closed all the same.
    public func close() throws {
        try checkIsOutside()
        lens?.write(self)
        // A resumption that waits for another process ends.
        closing.begin(.closed)
        try transition.withLock { _ throws in
            let open = take(.closed)
            guard open != nil || !signal.isFinished else { return }
            signal.finish()
            listeners.finish()
            if let open { try release(open) { endSubscriptions($0) } } else { endSubscriptions(nil) }
        }
    }

    /// Changes the phase, so that no other call begins; answers the resources to release.
    private func take(_ next: Phase) -> Resources? {
        phase.withLock { phase in
            let before = phase
            phase = next
            closing.begin(next.code)
            if case .open(let open) = before { return open }
            return nil
        }
    }

    /// Writes buffered rows and releases the store, even if the task is cancelled; the `async` form of `close()`.
    ///
    /// - Throws: As the synchronous one.
    public func close() async throws {
        try await writeQueue.run { try self.close() }
    }

    /// Releases the store's files and locks until it is resumed: when this returns, no thread of the store uses its files,
    /// recorded events are committed, both databases are closed and the writer's lock is given back.
    ///
    /// Call it when the system may suspend the process, which it may not do to one that holds locks on shared files.
    /// Live queries, tails, subscriptions and listeners stay and wait; all other calls throw `suspended`
    /// meanwhile. Rebuilds, compactions and replays that are running end early; replay sessions end. Waits for calls that
    /// are running, so keep reads short, and do not call it from a callback of one. A subscriber may get events that were
    /// read before. Suspending twice is harmless.
    ///
    /// - Throws: `StoreError`: `closed`, `nestedAccess` from inside a read; or an error of writing the views, after which the
    ///   store is suspended all the same.
    public func suspend() throws {
        try checkIsOutside()
        lens?.write(self)
        try transition.withLock { _ throws in
            if case .closed = phase.withLock({ $0 }) { throw StoreError(.closed, "the store is closed", path: path) }
            try suspendNow()
        }
    }

    private func suspendNow() throws {
        var lock: FileLock?
        let result = Result {
            guard let open = take(.suspended) else { return false }
            lock = open.lock
            try release(open) { saveSubscriptions($0) }
            return true
        }
        guard (try? result.get()) != false else { return }
        // Calls on other threads may be using the files, and the last of them closes them.
        let paths = [opening.directory.logPath, opening.directory.viewsPath] + lagging.all.map(\.path)
        while paths.contains(where: Environment.isOpen(at:)) { FileSystem.pause(milliseconds: 1) }
        lock?.release()
        _ = try result.get()
    }

    /// Releases the store's files and locks, even if the task is cancelled; the `async` form of `suspend()`.
    ///
    /// - Throws: As the synchronous one.
    public func suspend() async throws {
        try await writeQueue.run { try self.suspend() }
    }

    /// Opens the store again after a suspension; live queries and tails continue.
    ///
    /// Costs as much as an opening. Harmless if the store is open.
    ///
    /// - Parameter patience: How long to wait if another process has the store open for writing.
    /// - Throws: As `open`, and `lineageMismatch` if another store is at the path by now; the store stays suspended,
    ///   and the call can be repeated.
    public func resume(waitingUpTo patience: Duration = .zero) throws { try resume(waitingUpTo: patience, {}) }

    /// Opens the store again; the `async` form of `resume(waitingUpTo:)`. Ends early when the task is cancelled.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func resume(waitingUpTo patience: Duration = .zero) async throws {
        try await Self.runCancellable(on: .global(qos: .userInitiated)) { check, _ in
            try self.resume(waitingUpTo: patience, check)
        }
    }

    private func resume(waitingUpTo patience: Duration, _ check: () throws -> Void) throws {
        try StoreError.translating {
            try transition.withLock { _ throws in
                switch phase.withLock({ $0 }) {
                case .open: return
                case .closed: throw StoreError(.closed, "the store is closed", path: path)
                case .suspended: break
                }
                do { try reopen(waitingUpTo: patience, check) } catch {
                    // The frame that opened the files is left, so nothing but the store holds them.
                    if case .open = phase.withLock({ $0 }) { try? suspendNow() }
                    throw error
                }
                signal.note(.rewritten)
            }
        }
    }

    private func reopen(waitingUpTo patience: Duration, _ check: () throws -> Void) throws {
        let opened = try opening.open(
            waitingUpTo: patience,
            {
                try check()
                try closing.checkIsNotClosed()
            }, { _, _ in })
        guard opened.storeID == storeID, opened.account == account else {
            throw StoreError(.lineageMismatch, "another store is at the path now", path: path)
        }
        writer.withLock { state in
            state.admission = Admission(configuration)
            (state.packages, state.areIdentitiesDamaged, state.hasCompactionFailed) = (nil, false, false)
            state.hasRecorded = false
        }
        lagging.resume()
        lens?.resume()
        for worker in workers { worker.resume() }
        closing.end()
        phase.withLock { $0 = .open(opened.resources) }
        try begin(opened.resources)
    }

    /// Ends all work in the background, writes the buffers and gives the files back.
    private func release(_ open: Resources, _ subscriptions: (EventLog) -> Void) throws {
        inbox?.finish()
        lens?.finish()
        watcher?.finish()
        (open.views as? ServedViews)?.wakeRebuilds()
        for worker in workers where worker !== committer { worker.finish() }
        lagging.finish()
        replaySessions.end()
        // Tails and subscriptions may be reading; the store can be opened again at once when they are through.
        readQueue.sync(flags: .barrier) {}
        committer.finish()
        defer { open.log.waitForBackgroundCommit() }
        try StoreError.translating {
            try writer.withLock { state throws in
                state.admission.dropFilter()
                guard !isReadOnly else { return }
                subscriptions(open.log)
                try open.log.commit()
                try open.log.checkOwner()
                try (open.views as? ServedViews)?.finish()
                try open.log.closeJournal()
            }
        }
    }

    private var workers: [Worker] { [idler, compactor, expirer, committer] }

    /// Ends the subscriptions and writes their checkpoints; one that is not written only makes events come again.
    private func endSubscriptions(_ log: EventLog?) {
        for subscription in subscriptions.removeAll() {
            subscription.finish(nil)
            if let log { save(subscription, in: log) }
            subscription.release()
        }
    }

    private func saveSubscriptions(_ log: EventLog) {
        for subscription in subscriptions.all { save(subscription, in: log) }
    }

    private func save(_ subscription: Subscription, in log: EventLog) {
        do { try subscription.save(in: log) } catch {
            configuration.logger.warning("writing a checkpoint failed", metadata: ["error": "\(error)"])
        }
    }

    private func checkIsOutside() throws {
        guard case .open(let resources) = phase.withLock({ $0 }), resources.log.environment.isHeldByCurrentThread else {
            return
        }
        throw StoreError(.nestedAccess, "the store is closed or suspended from inside one of its reads", path: path)
    }

    /// The log and the views of an open store.
    func opened() throws -> Resources {
        switch phase.withLock({ $0 }) {
        case .closed: throw StoreError(.closed, "the store is closed", path: path)
        case .suspended: throw StoreError(.suspended, "the store is suspended", path: path)
        case .open(let resources):
            guard !resources.log.environment.isHeldByCurrentThread else {
                throw StoreError(.nestedAccess, "the store is used from inside one of its reads", path: path)
            }
            return resources
        }
    }

    /// The log and the views, for calls that append or rewrite.
    func openedForWriting() throws -> WritingResources {
        guard !isReadOnly, let views = try opened().views as? ServedViews else {
            throw StoreError(.readOnly, "the store is open for reading only", path: path)
        }
        return WritingResources(log: views.log, views: views)
    }
}

extension MessageStore.Phase {
    /// The code of calls in this phase.
    fileprivate var code: StoreError.Code {
        if case .suspended = self { .suspended } else { .closed }
    }
}

extension Admission {
    init(_ configuration: MessageStore.Configuration) {
        self.init(
            repeatWindows: configuration.sync.duplicateSuppression.windows,
            countsHistory: configuration.sync.countsHistoryAsUnread,
            allowsSeconds: configuration.sync.allowsTimesInSeconds,
            ownMessagesMarkRead: configuration.sync.ownMessagesMarkRead
        )
    }
}

/// Whether a store is being closed or suspended, for work that takes long and then ends early.
struct StoreClosing: Sendable {
    private let code = Locked(StoreError.Code?.none)
    let path: String

    /// - Parameter code: `closed` or `suspended`.
    func begin(_ code: StoreError.Code) { self.code.withLock { $0 = code } }

    /// The store is open again.
    func end() { code.withLock { $0 = nil } }

    /// - Throws: `StoreError` with code `closed` or `suspended` once the store is being closed or suspended.
    func check() throws {
        guard let code = code.withLock({ $0 }) else { return }
        throw StoreError(code, "the store is \(code)", path: path)
    }

    /// - Throws: `StoreError` with code `closed` once the store is being closed.
    func checkIsNotClosed() throws {
        if code.withLock({ $0 }) == .closed { try check() }
    }

    /// Runs work that reports its progress, and ends it when the store is closed or suspended.
    func ending<Result>(
        _ progress: MessageStore.ReplayProgress, _ work: (MessageStore.ReplayProgress) throws -> Result
    ) throws -> Result {
        try withoutActuallyEscaping(progress) { progress in
            try work { reached, last in
                try check()
                try progress(reached, last)
            }
        }
    }
}

extension StoreError {
    /// Whether the store that was used is not open at the moment.
    var isOfClosedStore: Bool { code == .closed || code == .suspended }
}
