internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

extension MessageStore {
    /// Writes what is buffered and releases the store; later calls throw `closed`. Closing twice is harmless.
    ///
    /// A store that is not closed loses nothing: the next opening folds what was not written.
    ///
    /// - Throws: `StoreError` where the views could not be written; the store is closed all the same.
    public func close() throws {
        try checkIsOutside()
        lens?.write(self)
        let before = phase.withLock { phase in
            defer { phase = .closed }
            return phase
        }
        if case .closed = before { return }
        closing.begin(.closed)
        tailWaiters.finish()
        listeners.finish()
        guard case .open(let open) = before else { return endSubscriptions(nil) }
        try release(open) { endSubscriptions($0) }
    }

    /// Writes what is buffered and releases the store, also where the task is cancelled; the `async` form of `close()`.
    ///
    /// - Throws: As the synchronous one.
    public func close() async throws {
        try await run(on: writeQueue, evenIfCancelled: true) { try self.close() }
    }

    /// Releases the store's files and locks until ``resume()``: when this returns, no thread of the store runs, what was
    /// recorded is committed, both databases are closed and the writer's lock is given back.
    ///
    /// Call it when the system may suspend the process, which it may not do to one that holds locks on shared files.
    /// Live queries, tails, subscriptions and listeners stay and wait; all other calls throw `suspended`
    /// meanwhile. Rebuilds, compactions and replays that are running end early; replay sessions end. Waits for reads that
    /// are running, so keep these short. Suspending twice is harmless.
    ///
    /// - Throws: `StoreError`: `closed`, `nestedAccess` from inside a read; or an error of writing the views, after which the
    ///   store is suspended all the same.
    public func suspend() throws {
        try checkIsOutside()
        lens?.write(self)
        var lock: FileLock?
        let result = Result {
            guard let open = try beginSuspension() else { return }
            lock = open.lock
            try release(open) { saveSubscriptions($0) }
        }
        // Calls on other threads may be using the files, and the last of them closes them.
        let paths = [opening.directory.logPath, opening.directory.viewsPath] + lagging.all.map(\.path)
        while paths.contains(where: Environment.isOpen(at:)) { FileSystem.pause(milliseconds: 1) }
        lock?.release()
        try result.get()
    }

    /// Lets no other call begin; answers what is to be released, if anything.
    private func beginSuspension() throws -> Resources? {
        try phase.withLock { phase in
            switch phase {
            case .closed: throw StoreError(.closed, "the store is closed", path: path)
            case .suspended: return nil
            case .open(let open):
                phase = .suspended
                closing.begin(.suspended)
                return open
            }
        }
    }

    /// Releases the store's files and locks, also where the task is cancelled; the `async` form of `suspend()`.
    ///
    /// - Throws: As the synchronous one.
    public func suspend() async throws {
        try await run(on: writeQueue, evenIfCancelled: true) { try self.suspend() }
    }

    /// Opens the store again after ``suspend()``; live queries and tails go on.
    ///
    /// Costs what an opening does: about a millisecond after a suspension. Harmless where the store is open.
    ///
    /// - Parameter patience: How long to wait where another process has the store open for writing.
    /// - Throws: As `open`; the store stays suspended, and the call can be repeated.
    public func resume(waitingUpTo patience: Duration = .zero) throws {
        try StoreError.translating {
            try resuming.withLock { _ throws in
                switch phase.withLock({ $0 }) {
                case .open: return
                case .closed: throw StoreError(.closed, "the store is closed", path: path)
                case .suspended: break
                }
                let opened = try opening.open(waitingUpTo: patience) { _, _ in }
                writer.withLock { state in
                    state.admission = Admission(configuration)
                    (state.packages, state.areIdentitiesDamaged) = (nil, false)
                }
                lagging.resume()
                closing.end()
                let isOpen = phase.withLock { phase in
                    guard case .suspended = phase else { return false }
                    phase = .open(opened.resources)
                    return true
                }
                guard isOpen else { throw StoreError(.closed, "the store is closed", path: path) }
                try begin(opened.resources)
                tailWaiters.wake(isRewrite: true)
            }
        }
    }

    /// Opens the store again; the `async` form of ``resume(waitingUpTo:)``.
    ///
    /// - Throws: As the synchronous one; `CancellationError`.
    public func resume(waitingUpTo patience: Duration = .zero) async throws {
        try await run(on: writeQueue) { try self.resume(waitingUpTo: patience) }
    }

    /// Ends all work in the background, writes what is buffered and gives the files back.
    private func release(_ open: Resources, _ subscriptions: (EventLog) -> Void) throws {
        inbox?.finish()
        lens?.finish()
        follower?.finish()
        (open.views as? ServedViews)?.wakeRebuilds()
        rebuildQueue.sync {}
        expiryQueue.sync {}
        lagging.finish()
        replaySessions.end()
        // Tails and subscriptions may be reading; the store can be opened again at once when they are through.
        readQueue.sync(flags: .barrier) {}
        commitQueue.sync {}
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

    /// Wakes who shows what was removed without a new event.
    func noteRewrite() {
        tailWaiters.wake(isRewrite: true)
        lagging.wake(self)
        lens?.wake(self)
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

extension Admission {
    init(_ configuration: MessageStore.Configuration) {
        self.init(
            repeatWindows: configuration.duplicateSuppression.windows,
            countsHistory: configuration.countsUnreadHistory,
            acceptsSeconds: configuration.acceptsTimesInSeconds, answersRead: configuration.answersRead)
    }
}
