internal import Dispatch
internal import MessageStoreLMDB
internal import MessageStoreSealing

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
///   do file I/O on the calling thread. The following methods have an `async` form of the same name, which does not
///   block the caller's executor: `open`, `record`, `ingest`, `enqueue`, `joinChatRoom`, `redact`, `read`, `events`,
///   `statistics`, `drainInbox`, `replay`, `verify`, `rebuild`, `compact`, `check`, `salvage`, `flush`,
///   `waitUntilDurable`, `suspend`, `resume` and `close`; `allEvents` is the form of `forEachEvent`.
/// - **Cancellation:** an `async` call whose task is cancelled before its work begins does nothing and throws
///   `CancellationError`; work that has begun is completed, except for `open`, `replay`, `verify`, `rebuild`,
///   `compact`, `check`, `salvage` and `resume`, which end early and leave everything as it was. `close` and `suspend` are
///   completed in any case. Sequences of pages stop
///   between two pages.
///
/// A store is open for writing once, in one process. Other processes may open it for reading. About a thousand reads
/// may be open at a time, over all processes; a process keeps up to 16 of these places for reuse. One more throws
/// `tooManyReaders`.
public final class MessageStore: Sendable {
    /// The resources that `close()` and `suspend()` release.
    struct Resources: Sendable {
        let log: EventLog
        let views: any ViewStore
        /// The writer's lock; nil if the store is open for reading only.
        let lock: FileLock?
    }

    enum Phase: Sendable {
        case open(Resources)
        case suspended
        case closed
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
    /// The types of events that this store knows: the built-in types and the types of ``Configuration/events``.
    public let eventTypes: EventTypes
    let configuration: Configuration
    let opening: StoreOpening
    let phase: Locked<Phase>
    let storeID: [UInt8]
    /// Held while events are appended and folded.
    let writer: Locked<WriterState>
    /// The calls that record or wait for others, if they are measured.
    let calls = Locked(0)
    let expiry: Locked<ExpiryState>
    let readQueue = DispatchQueue(label: "MessageStore.read", qos: .userInitiated, attributes: .concurrent)
    let writeQueue = DispatchQueue(label: "MessageStore.write", qos: .userInitiated)
    let rebuildQueue = DispatchQueue(label: "MessageStore.rebuild", qos: .utility)
    /// Writes the views' buffer when nothing was recorded for a while.
    let idler = Worker("MessageStore.idle", failure: "writing the views failed")
    /// Commits events that were recorded as visible.
    let committer = Worker(
        "MessageStore.commit", qos: .userInitiated, failure: "a group's commit failed", retry: .seconds(1))
    /// Erases content that is due, applies the policy of retention and compacts; a rebuild is on the same queue.
    let compactor: Worker
    /// Deletes messages whose time has come.
    let expirer = Worker("MessageStore.expiry", failure: "messages did not expire", retry: .seconds(60))
    /// Ends long work when the store is closed.
    let closing: StoreClosing
    /// Held while the store is closed, suspended or opened again.
    let transition = Locked(())
    let signal = LogSignal()
    /// Held while a chat room is entered and the others are left (B44).
    let chatRoomSwitch = Locked(())
    /// Held during a compaction.
    let compacting = Locked(())
    /// The thread of it.
    let compactingThread = Locked<UInt?>(nil)
    /// The sizes that were computed last, and the rewrites of the log until then; nil before the first time.
    let knownSizes = Locked<(rewrites: Int, sizes: StoreSizes)?>(nil)
    let subscriptions = LiveSubscriptions()
    let listeners = DeliveryListeners()
    let replaySessions = ReplaySessions()
    let lagging: LaggingRunners
    /// The reader of the inbox; nil if the configuration names none.
    let inbox: InboxReader?
    /// The writer of the lens; nil if the configuration names none, or the store is open for reading only.
    let lens: LensWriter?
    /// The watcher of the writing process; nil if the store is open for writing.
    let watcher: WriterWatcher?
    let filtering: MessageFiltering
    let scheduler: Scheduler
    let profileFetcher: InfoFetcher<Profile>
    let teamFetcher: InfoFetcher<TeamInfo>
    let historyFetcher: HistoryFetcher

    struct WriterState: Sendable {
        /// When events were appended or contents removed last, by the scheduler.
        var changedAt = Duration.zero
        var admission: Admission
        /// Whether events were recorded since the store was opened or resumed.
        var hasRecorded = false
        /// The packages of the sync that is going on; nil until they are asked for.
        var packages: PackageNumbers?
        /// Whether an automatic compaction failed, so that none is tried before the next opening.
        var hasCompactionFailed = false
        /// When the policy of retention was last applied, by the scheduler.
        var retainedAt: Duration?
        /// Whether the rows that record which events are known were found damaged.
        var areIdentitiesDamaged = false
        var readers = ReaderWatch()
    }

    private init(_ opening: StoreOpening, _ opened: StoreOpening.Opened) throws {
        (self.opening, storeID) = (opening, opened.storeID)
        (account, path, isReadOnly) = (opened.account, opening.directory.path, opening.isReadOnly)
        configuration = opening.configuration
        let keyring = opening.keyring
        lagging = try LaggingRunners(
            configuration, in: opening.directory.laggingPath, opened.storeID, keyring,
            isReadOnly: isReadOnly)
        inbox = try configuration.processes.inboxPath.map { try InboxReader($0, keyring) }
        lens = isReadOnly ? nil : configuration.processes.lens.map { LensWriter($0, keyring) }
        watcher = isReadOnly ? WriterWatcher() : nil
        eventTypes = opened.resources.log.symbols.types
        closing = StoreClosing(path: path)
        compactor = Worker(on: rebuildQueue, failure: "a compaction failed")
        contentTypes = ContentTypeRegistry(logger: configuration.logger)
        phase = Locked(.open(opened.resources))
        writer = Locked(WriterState(admission: Admission(configuration)))
        scheduler = Scheduler(configuration.clock)
        let moment = scheduler.now
        expiry = Locked(ExpiryState(confirmed: configuration.now(), at: moment))
        profileFetcher = InfoFetcher(configuration.hooks.profileProvider?.source, configuration.hooks, scheduler)
        teamFetcher = InfoFetcher(configuration.hooks.teamProvider?.source, configuration.hooks, scheduler)
        filtering = MessageFiltering(
            configuration.hooks.messageFilter, timeout: configuration.hooks.filterTimeout, scheduler,
            logger: configuration.logger)
        historyFetcher = HistoryFetcher(
            configuration.hooks.historyProvider, timeout: configuration.hooks.historyTimeout, scheduler)
    }

    deinit {
        // A rebuild in the background holds the writer's lock.
        closing.begin(.closed)
    }

    /// Opens an account's store for reading and writing, creating it if it does not exist.
    ///
    /// Opening folds the part of the log that the views' last checkpoint does not cover (bounded by
    /// ``Configuration/bufferBytes``); views that are missing, or prove damaged meanwhile, are rebuilt. A projection of
    /// another version than its rows is rebuilt alone, with the projections that read it: in the background, unless
    /// events cannot be recorded without it. See ``waitUntilRebuilt(progress:)``.
    ///
    /// - Parameters:
    ///   - path: The store's directory; its parent must exist. Links are not followed.
    ///   - account: The account whose store it is, 1 to 255 bytes.
    ///   - configuration: See ``Configuration``.
    ///   - patience: How long to wait if another process has the store open for writing.
    ///   - progress: Called periodically during a long recovery with the position reached and the last position;
    ///     throwing ends the opening.
    /// - Throws: `StoreError`: `accountMismatch`, `alreadyOpen`, which names the process that has it open and since when,
    ///   `newerFormat`, `notAStore`, `logDamaged`, `logRolledBack`, `permissionDenied` and others; `invalidArgument` if
    ///   the parent of a new store does not exist, or the declaration of a host's event type or projection breaks a
    ///   rule or does not fit the ones that the store has seen. A damaged log is never replaced.
    public static func open(
        _ path: String, account: UserID, configuration: Configuration = Configuration(),
        waitingUpTo patience: Duration = .zero, progress: ReplayProgress = { _, _ in }
    ) throws -> MessageStore {
        try open(path, account, configuration, waitingUpTo: patience, {}, progress)
    }

    /// Opens an account's store for reading and writing, creating it if it does not exist, without blocking the
    /// caller's executor. Ends early when the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: The store's directory; its parent must exist. Links are not followed.
    ///   - account: The account whose store it is, 1 to 255 bytes.
    ///   - configuration: See ``Configuration``.
    ///   - patience: How long to wait if another process has the store open for writing.
    ///   - progress: Called periodically during a long recovery with the position reached and the last position.
    /// - Throws: As the synchronous form, or `CancellationError`.
    public static func open(
        _ path: String, account: UserID, configuration: Configuration = Configuration(),
        waitingUpTo patience: Duration = .zero,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> MessageStore {
        try await runCancellable(on: .global(qos: .userInitiated), progress: progress) { check, progress in
            try open(path, account, configuration, waitingUpTo: patience, check, progress)
        }
    }

    /// Opens an existing store for reading only, also while another process writes it.
    ///
    /// Each read sees everything that is durable: the views on disk with the rest of the log folded in memory. If that
    /// rest holds a damaged record, events can be read and queries of views throw `recordDamaged`.
    ///
    /// Live queries and tails continue with the events that the writing process records: the system reports its writes,
    /// and the store looks every `configuration.processes.pollingInterval` in addition.
    ///
    /// Readers register in the store's `lock.mdb` files, so a user who may not write these cannot read the store,
    /// except on a medium that is mounted for reading only.
    ///
    /// - Throws: `StoreError`: `storeMissing`, `alreadyOpen` if this process has the store open in whatever way,
    ///   `newerFormat`, `notAStore`, `logDamaged`, `logRolledBack`, `permissionDenied`, `diskFull` if there is no room
    ///   for the table of readers, `tooManyReaders` and others; `viewsDamaged` if the rest of the log cannot be folded
    ///   over the views on disk, which opening the store for writing repairs.
    public static func openReadOnly(
        _ path: String, configuration: Configuration = Configuration(),
        progress: ReplayProgress = { _, _ in }
    ) throws -> MessageStore {
        try StoreError.translating {
            let opening = try StoreOpening(path, account: nil, isReadOnly: true, configuration)
            try opening.directory.requireStore()
            return try open(opening, waitingUpTo: .zero, {}, progress)
        }
    }

    /// The account whose store a directory holds; the store is not opened.
    ///
    /// - Parameters:
    ///   - path: The store's directory.
    ///   - key: Gives the key of a sealed store, which names its account to nobody else.
    /// - Throws: `StoreError`: `storeMissing`, `notAStore`, `newerFormat`, `keyUnavailable`, `keyRefused`, `logDamaged` and
    ///   others.
    public static func account(ofStoreAt path: String, key: KeySource? = nil) throws -> UserID {
        try StoreError.translating {
            let directory = try StoreDirectory(path: path)
            try directory.requireStore()
            let identity = try StoreIdentity.read(from: directory.path)
            return try identity.keys(in: directory, key)?.account ?? UserID(identity.account)
        }
    }

    /// Opens a store for writing, and makes it if it is missing.
    ///
    /// - Parameter check: Called while another process is waited for; throwing ends the opening.
    static func open(
        _ path: String, _ account: UserID, _ configuration: Configuration, waitingUpTo patience: Duration,
        _ check: () throws -> Void, _ progress: ReplayProgress
    ) throws -> MessageStore {
        try StoreError.translating {
            let opening = try StoreOpening(path, account: account, isReadOnly: false, configuration)
            if try !opening.directory.isStore() {
                try opening.directory.create(account: account, key: configuration.privacy.key)
            }
            return try open(opening, waitingUpTo: patience, check, progress)
        }
    }

    private static func open(
        _ opening: StoreOpening, waitingUpTo patience: Duration, _ check: () throws -> Void, _ progress: ReplayProgress
    ) throws -> MessageStore {
        let opened = try opening.open(waitingUpTo: patience, check, progress)
        let store = try MessageStore(opening, opened)
        store.signal.listen { [weak store] in
            guard let store else { return }
            store.lagging.wake(store)
            store.lens?.wake(store)
        }
        try store.begin(opened.resources)
        return store
    }

    /// Begins the work in the background, at an opening and after a suspension.
    func begin(_ opened: Resources) throws {
        guard let views = opened.views as? ServedViews else {
            watcher?.begin(self)
            return
        }
        let (log, resources) = (opened.log, WritingResources(log: opened.log, views: views))
        Leftovers.removeAll(nextTo: path)
        _ = try log.removeRetired(isOpening: true)
        if try !log.owed().isEmpty { _ = writer.withLock { _ in tryToFinishErasures(resources) } }
        try removeRetired(resources)
        if try !log.owed().isEmpty { writer.withLock { scheduleIdleFlush(&$0) } }
        beginExpiring()
        rebuildOutdatedInBackground(views)
        lagging.wake(self)
        lens?.wake(self)
        inbox?.begin(self)
    }
}
