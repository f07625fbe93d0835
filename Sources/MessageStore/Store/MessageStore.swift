internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

/// An account's messages on this device: an append-only log of events, and views that are folds of it.
///
/// ```swift
/// let store = try await MessageStore.open("/path/to/account", account: "alice")
/// try await store.record(.received("m1", from: "bob", in: .group("g1"), at: .now, content: .text("hello")))
/// let page = try await store.read { try $0.conversations() }
/// ```
///
/// - **Durability:** when a recording call returns, its events are in the log, synchronised. A batch is in it as a
///   whole or not at all.
/// - **Isolation:** each `read` sees one position of the log, never a half-folded batch, and everything
///   recorded before it in this process. Readers do not block writers, nor each other.
/// - **Threads:** all methods may be called from any thread. Calls that record wait for each other. Synchronous calls
///   do file I/O on the calling thread. These have an `async` form of the same name, which does not block the caller's
///   executor: `open`, `record`, `ingest`, `enqueue`, `joinChatRoom`, `redact`, `read`, `events`, `statistics`,
///   `replay`, `verify`, `rebuild`, `compact`, `check`, `salvage`, `flush`, `waitUntilDurable` and `close`; `allEvents` is the
///   form of `forEachEvent`.
/// - **Cancellation:** an `async` call whose task is cancelled before its work begins does nothing and throws
///   `CancellationError`; work that has begun is completed, except for `open`, `replay`, `verify`, `rebuild`,
///   `compact`, `check` and `salvage`, which end early and leave everything as it was. `close` closes in any case. Sequences of pages stop
///   between two pages.
///
/// A store is open for writing once, in one process. Other processes may open it for reading. About a thousand reads
/// may be open at a time, over all processes; a process keeps up to 16 of these places for reuse. One more throws
/// `tooManyReaders`.
public final class MessageStore: Sendable {
    /// The resources that `close()` releases.
    struct Resources: Sendable {
        let log: EventLog
        let views: any ViewStore
    }

    /// The resources of calls that append or rewrite.
    struct WritingResources: Sendable {
        let log: EventLog
        let views: ServedViews
    }

    /// The account whose store this is.
    public let account: UserID
    /// The store's directory.
    public let path: String
    /// Whether this instance may only read.
    public let isReadOnly: Bool
    /// The content types that this host knows; the built-in ones are registered.
    public let contentTypes: ContentTypeRegistry
    /// The types of events that this store knows: the built-in ones and those of ``Configuration/events``.
    public let eventTypes: EventTypes
    let configuration: Configuration
    private let resources: Locked<Resources?>
    /// Held while events are appended and folded.
    let writer: Locked<WriterState>
    let expiry: Locked<ExpiryState>
    let readQueue = DispatchQueue(label: "MessageStore.read", qos: .userInitiated, attributes: .concurrent)
    let writeQueue = DispatchQueue(label: "MessageStore.write", qos: .userInitiated)
    let rebuildQueue = DispatchQueue(label: "MessageStore.rebuild", qos: .utility)
    /// Ends what runs for long when the store is closed.
    let closing: StoreClosing
    let expiryQueue = DispatchQueue(label: "MessageStore.expiry", qos: .utility)
    let commitQueue = DispatchQueue(label: "MessageStore.commit", qos: .userInitiated)
    let tailWaiters = TailWaiters()
    /// Held while a chat room is entered and the others are left (B44).
    let chatRoomSwitch = Locked(())
    /// Held during a compaction.
    let compacting = Locked(())
    /// The thread of it.
    let compactingThread = Locked<UInt?>(nil)
    let subscriptions = LiveSubscriptions()
    let listeners = DeliveryListeners()
    let replaySessions = ReplaySessions()
    let lagging: LaggingFollowers
    /// Nil where the configuration names no inbox.
    let inbox: InboxReader?
    /// Nil where the store is open for writing.
    private let follower: WriterFollower?
    let filtering: MessageFiltering
    let scheduler: Scheduler
    let profileFetcher: InfoFetcher<Profile>
    let teamFetcher: InfoFetcher<TeamInfo>
    let historyFetcher: HistoryFetcher

    struct WriterState: Sendable {
        var isIdleFlushScheduled = false
        var hasAppendedSinceIdleCheck = false
        /// Whether a commit of what is staged will come in a while, or is about to.
        var isGroupCommitScheduled = false
        var isGroupCommitDue = false
        var admission: Admission
        /// The packages of the sync that is going on; nil until they are asked for.
        var packages: PackageNumbers?
        /// Whether an automatic compaction failed, so that none is tried before the next opening.
        var hasCompactionFailed = false
        /// When the policy of retention was last applied, by the scheduler.
        var retainedAt: Duration?
        var isCompactionCheckScheduled = false
        /// Whether the rows that record which events are known were found damaged.
        var areIdentitiesDamaged = false
        var readers = ReaderWatch()
    }

    private init(
        account: UserID, path: String, isReadOnly: Bool, configuration: Configuration, resources: Resources,
        lagging: LaggingFollowers
    ) throws {
        self.lagging = lagging
        inbox = try configuration.inboxPath.map(InboxReader.init)
        follower = isReadOnly ? WriterFollower() : nil
        eventTypes = resources.log.symbols.types
        self.account = account
        self.path = path
        closing = StoreClosing(path: path)
        self.isReadOnly = isReadOnly
        self.configuration = configuration
        contentTypes = ContentTypeRegistry(logger: configuration.logger)
        self.resources = Locked(resources)
        writer = Locked(
            WriterState(
                admission: Admission(
                    repeatWindows: configuration.duplicateSuppression.windows,
                    countsHistory: configuration.countsUnreadHistory,
                    acceptsSeconds: configuration.acceptsTimesInSeconds, answersRead: configuration.answersRead)))
        scheduler = Scheduler(configuration.clock)
        expiry = Locked(ExpiryState(confirmed: configuration.now(), at: scheduler.now))
        profileFetcher = InfoFetcher(
            configuration.profileProvider?.source, configuration.profileFetching, scheduler)
        teamFetcher = InfoFetcher(configuration.teamProvider?.source, configuration.profileFetching, scheduler)
        filtering = MessageFiltering(
            configuration.messageFilter, timeout: configuration.filterTimeout, scheduler, logger: configuration.logger)
        historyFetcher = HistoryFetcher(
            configuration.historyProvider, timeout: configuration.historyTimeout, scheduler)
    }

    deinit {
        // A rebuild in the background holds the writer's lock.
        closing.begin()
    }

    /// Opens an account's store for reading and writing, creating it if it does not exist.
    ///
    /// Opening folds the part of the log that the views' last checkpoint does not cover (bounded by
    /// ``Configuration/bufferBytes``); views that are missing, or prove damaged meanwhile, are rebuilt. A projection of
    /// another version than its rows is rebuilt alone, with those that read it: in the background, unless events cannot
    /// be recorded without it. See ``waitUntilRebuilt(progress:)``.
    ///
    /// - Parameters:
    ///   - path: The store's directory; its parent must exist. Links are not followed.
    ///   - account: The account whose store it is, 1 to 255 bytes.
    ///   - configuration: See ``Configuration``.
    ///   - progress: Called periodically during a long recovery with the position reached and the last position;
    ///     throwing ends the opening.
    /// - Throws: `StoreError`: `accountMismatch`, `alreadyOpen`, `newerFormat`, `notAStore`, `logDamaged`,
    ///   `logRolledBack`, `permissionDenied` and others; `invalidArgument` where the parent of a new store does not
    ///   exist, or the declaration of a host's event type or projection breaks a rule or does not fit those that the
    ///   store has seen. A damaged log is never replaced.
    public static func open(
        _ path: String, account: UserID, configuration: Configuration = Configuration(),
        progress: ReplayProgress = { _, _ in }
    ) throws -> MessageStore {
        try StoreError.translating {
            // Registered types are checked before anything is made.
            let types = try EventTypes(configuration.events)
            let catalog = try ProjectionCatalog(adding: configuration.projections, events: types)
            let directory = try StoreDirectory(path: path)
            if try !directory.isStore() { try directory.create(account: account) }
            return try open(directory, account: account, isReadOnly: false, configuration, types, catalog, progress)
        }
    }

    /// Opens an account's store for reading and writing, creating it if it does not exist, without blocking the
    /// caller's executor. Ends early when the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: The store's directory; its parent must exist. Links are not followed.
    ///   - account: The account whose store it is, 1 to 255 bytes.
    ///   - configuration: See ``Configuration``.
    ///   - progress: Called periodically during a long recovery with the position reached and the last position.
    /// - Throws: As the synchronous form, or `CancellationError`.
    public static func open(
        _ path: String, account: UserID, configuration: Configuration = Configuration(),
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> MessageStore {
        try await runCancellable(on: .global(qos: .userInitiated), progress: progress) { progress in
            try open(path, account: account, configuration: configuration, progress: progress)
        }
    }

    /// Opens an existing store for reading only, also while another process writes it.
    ///
    /// Each read sees everything that is durable: the views on disk with the rest of the log folded in memory. Where
    /// that rest holds a damaged record, events can be read and queries of views throw `recordDamaged`.
    ///
    /// Live queries and tails go on with what the writing process records: the system reports its writes, and the store
    /// looks every ``Configuration/pollingInterval`` in addition.
    ///
    /// Readers register in the store's `lock.mdb` files, so a user who may not write these cannot read the store,
    /// except on a medium that is mounted for reading only.
    ///
    /// - Throws: `StoreError`: `storeMissing`, `alreadyOpen` where this process has the store open in whatever way,
    ///   `newerFormat`, `notAStore`, `logDamaged`, `logRolledBack`, `permissionDenied`, `diskFull` where there is no
    ///   room for the table of readers, `tooManyReaders` and others; `viewsDamaged` where the rest of the log cannot be
    ///   folded over the views on disk, which opening the store for writing repairs.
    public static func openReadOnly(
        _ path: String, configuration: Configuration = Configuration(),
        progress: ReplayProgress = { _, _ in }
    ) throws -> MessageStore {
        try StoreError.translating {
            let directory = try StoreDirectory(path: path)
            try directory.requireStore()
            let types = try EventTypes(configuration.events)
            let catalog = try ProjectionCatalog(adding: configuration.projections, events: types)
            return try open(directory, account: nil, isReadOnly: true, configuration, types, catalog, progress)
        }
    }

    /// The account whose store a directory holds; the store is not opened.
    ///
    /// - Throws: `StoreError`: `storeMissing`, `notAStore`, `newerFormat`, `logDamaged` and others.
    public static func account(ofStoreAt path: String) throws -> UserID {
        try StoreError.translating {
            let directory = try StoreDirectory(path: path)
            try directory.requireStore()
            return UserID(try StoreIdentity.read(from: directory.path).account)
        }
    }

    private static func open(
        _ directory: StoreDirectory, account: UserID?, isReadOnly: Bool, _ configuration: Configuration,
        _ types: EventTypes, _ catalog: ProjectionCatalog, _ progress: ReplayProgress
    ) throws -> MessageStore {
        let identity = try StoreIdentity.read(from: directory.path)
        let owner = UserID(identity.account)
        if let account, account != owner {
            throw StoreError(of: owner, asked: account, path: directory.path)
        }
        var lock: FileLock?
        if !isReadOnly {
            lock = try FileLock.take(directory.lockPath)
            guard lock != nil else {
                throw StoreError(
                    .alreadyOpen, "the store is already open for writing, in this process or another",
                    path: directory.path)
            }
        }
        if lock != nil { try RetiredLog.restore(to: directory.logPath) }
        guard try FileSystem.status(of: directory.logPath)?.kind == .directory else {
            throw StoreError(.logDamaged, "the log's directory is missing", path: directory.logPath)
        }
        let durability: Environment.Configuration.Durability = configuration.durability == .full ? .full : .relaxed
        var environment = Environment.Configuration(
            access: isReadOnly ? .readOnly : .readWrite, durability: durability, mapSize: configuration.mapBytes)
        environment.commitFault = configuration.commitFault
        environment.pageCheck = configuration.pageCheck == .always ? .always : .afterUncleanClose
        let log = try EventLog(path: directory.logPath, configuration: environment, types: types)
        try identity.check(against: log, notesID: !isReadOnly, path: directory.path)
        let storeID = identity.idBytes ?? []
        let lagging = try LaggingFollowers(configuration, in: directory.laggingPath, storeID, isReadOnly: isReadOnly)
        if !isReadOnly { try identity.raiseFormat(in: directory.path) }
        try log.useJournal(
            of: storeID, acceptsLoss: configuration.acceptsOlderLog, isOwner: { [weak lock] in lock?.isHeld ?? true }
        ) { [logger = configuration.logger, path = directory.logPath] what, error in
            logger.warning("\(what)", metadata: ["path": "\(path)", "error": "\(error)"])
        }
        var building = ViewConfiguration(bufferBytes: configuration.bufferBytes, catalog: catalog)
        building.replayBytes = configuration.replayBytes
        building.pageCheck = environment.pageCheck
        building.commitFault = configuration.viewCommitFault
        if let pages = configuration.viewFlushPages { building.flushPages = pages }
        building.acceptsOlderLog = configuration.acceptsOlderLog
        building.noteUnusable = { [logger = configuration.logger, path = directory.viewsPath] reason in
            let what: Logger.Message = isReadOnly ? "the views on disk are not used" : "the views are made anew"
            logger.warning(what, metadata: ["path": "\(path)", "reason": "\(reason)"])
        }
        guard let lock else {
            let views = try FollowedViews(
                log: log, path: directory.viewsPath, storeID: storeID, configuration: building, progress: progress)
            let store = try MessageStore(
                account: owner, path: directory.path, isReadOnly: true, configuration: configuration,
                resources: Resources(log: log, views: views), lagging: lagging)
            store.follower?.begin(store)
            return store
        }
        let views = try ServedViews(
            log: log, path: directory.viewsPath, storeID: storeID, configuration: building, lock: lock,
            progress: progress)
        let store = try MessageStore(
            account: owner, path: directory.path, isReadOnly: false, configuration: configuration,
            resources: Resources(log: log, views: views), lagging: lagging)
        _ = try log.removeRetired(isOpening: true)
        let opened = WritingResources(log: log, views: views)
        if try !log.owed().isEmpty { store.writer.withLock { store.tryToFinishErasures(opened, &$0) } }
        try store.removeRetired(opened)
        if try !log.owed().isEmpty { store.writer.withLock { store.scheduleIdleFlush(&$0) } }
        store.beginExpiring()
        store.rebuildOutdatedInBackground(views)
        store.lagging.wake(store)
        store.inbox?.begin(store)
        return store
    }

    /// Writes what is buffered and releases the store; later calls throw `closed`. Closing twice is harmless.
    ///
    /// A store that is not closed loses nothing: the next opening folds what was not written.
    ///
    /// - Throws: `StoreError` where the views could not be written; the store is closed all the same.
    public func close() throws {
        if let resources = resources.withLock({ $0 }), resources.log.environment.isHeldByCurrentThread {
            throw StoreError(.nestedAccess, "the store is closed from inside one of its reads", path: path)
        }
        guard let open = resources.withLock({ $0.take() }) else { return }
        closing.begin()
        inbox?.finish()
        follower?.finish()
        (open.views as? ServedViews)?.wakeRebuilds()
        rebuildQueue.sync {}
        expiryQueue.sync {}
        lagging.finish()
        tailWaiters.finish()
        listeners.finish()
        replaySessions.end()
        // Tails and subscriptions may be reading; the store can be opened again at once when they are through.
        readQueue.sync(flags: .barrier) {}
        commitQueue.sync {}
        defer { open.log.waitForBackgroundCommit() }
        try StoreError.translating {
            try writer.withLock { state throws in
                state.admission.dropFilter()
                closeSubscriptions(open.log)
                try open.log.commit()
                try open.log.checkOwner()
                try (open.views as? ServedViews)?.finish()
                try open.log.closeJournal()
            }
        }
    }

    /// Writes what is buffered and releases the store, also where the task is cancelled; the `async` form of `close()`.
    ///
    /// - Throws: As the synchronous one.
    public func close() async throws {
        try await run(on: writeQueue, evenIfCancelled: true) { try self.close() }
    }

    /// Ends the subscriptions and writes their checkpoints; one that is not written only makes events come again.
    private func closeSubscriptions(_ log: EventLog) {
        for subscription in subscriptions.removeAll() {
            subscription.finish(nil)
            do {
                try subscription.save(in: log)
            } catch {
                configuration.logger.warning("writing a checkpoint failed", metadata: ["error": "\(error)"])
            }
            subscription.release()
        }
    }

    /// The log and the views of an open store.
    func opened() throws -> Resources {
        guard let resources = resources.withLock({ $0 }) else {
            throw StoreError(.closed, "the store is closed", path: path)
        }
        guard !resources.log.environment.isHeldByCurrentThread else {
            throw StoreError(.nestedAccess, "the store is used from inside one of its reads", path: path)
        }
        return resources
    }

    /// The log and the views, for calls that append or rewrite.
    func openedForWriting() throws -> WritingResources {
        guard !isReadOnly, let views = try opened().views as? ServedViews else {
            throw StoreError(.readOnly, "the store is open for reading only", path: path)
        }
        return WritingResources(log: views.log, views: views)
    }
}
