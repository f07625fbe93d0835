internal import Dispatch
internal import Logging
internal import MessageStoreLMDB
internal import MessageStoreSealing

/// Keeps the rows of one lagging projection up with the log, on a thread of its own.
final class LaggingRunner: Sendable {
    struct State: Sendable {
        var files: LaggingFiles?
        /// The changes of the log at the last look, and how many looks have waited for a quiet one.
        var (seen, waits) = (0, 0)
        /// How many calls are about to remove contents from the log.
        var rewritings = 0
        /// Whether the rows lack more events than readers look through themselves.
        var isFarBack = false
        /// Why nothing is folded until the next opening.
        var failure: (any Error)?
        var isFinished = false
    }

    let projection: any LaggingProjection
    let id: ProjectionID
    let path: String
    private let origin: LaggingFiles.Origin
    private let pageCheck: Environment.Configuration.PageCheck
    private let creating: Locked<Void>
    private let keyring: StoreKeyring
    private let partBytes: Int
    let state = Locked(State())
    /// Held during a step.
    let working = Locked(())
    /// Entered while contents are being removed from the log.
    let erasures = DispatchGroup()
    private let worker: Worker

    /// Events of a step.
    static let eventsPerStep: UInt64 = 16_384
    /// Work begins when nothing was recorded for so long, or waited for the longer time.
    private static let (quietTime, longestWait) = (Duration.milliseconds(50), 100)

    /// - Parameters:
    ///   - creating: Held while the directory is made; the same for all runners of a store.
    init(
        _ projection: any LaggingProjection, in directory: String, storeID: [UInt8],
        pageCheck: Environment.Configuration.PageCheck, creating: Locked<Void>, _ keyring: StoreKeyring
    ) {
        self.projection = projection
        self.pageCheck = pageCheck
        self.creating = creating
        id = type(of: projection).id
        self.keyring = keyring
        partBytes = (type(of: projection) as? any PartedRows.Type)?.partBytes ?? 0
        path = directory + "/" + id.rawValue
        origin = .init(version: projection.version, storeID: storeID)
        worker = Worker(
            "MessageStore.lagging", failure: "a lagging projection waits", metadata: ["projection": "\(id)"],
            retry: .seconds(10))
    }

    private var key: SecretKey? { keyring.keys?.lagging(id.rawValue) }

    /// The files as they are; nil if there are none that can be used.
    func files(isReadOnly: Bool) throws -> LaggingFiles? {
        try state.withLock { state throws in
            if let files = state.files, !isReadOnly || files.environment.isStill(at: path) { return files }
            state.files = nil
            // Links are not followed.
            guard !state.isFinished, try FileSystem.status(of: FileSystem.parent(of: path))?.kind == .directory,
                try FileSystem.status(of: path)?.kind == .directory
            else { return nil }
            do {
                state.files = try StoreError.translating {
                    try LaggingFiles(
                        path: path, origin, access: isReadOnly ? .readOnly : .readWrite, pageCheck: pageCheck,
                        partBytes: partBytes, key: key)
                }
            } catch let error as StoreError where !Self.isDamage(error) {
                // They may be of use another time.
                throw error
            } catch {
                state.files = nil
            }
            return state.files
        }
    }

    /// Whether an error says that the files cannot be used at all.
    private static func isDamage(_ error: StoreError) -> Bool {
        [.viewsDamaged, .logDamaged, .newerFormat, .notAStore, .storeMissing].contains(error.code)
    }

    private func openOrCreate(_ closing: StoreClosing) throws -> LaggingFiles {
        if let files = try files(isReadOnly: false) { return files }
        return try state.withLock { state throws in
            try closing.check()
            try creating.withLock { _ throws in
                let parent = FileSystem.parent(of: path)
                if try FileSystem.status(of: parent)?.kind != .directory {
                    try FileSystem.remove(parent)
                    try FileSystem.createDirectory(parent)
                }
            }
            try FileSystem.remove(path)
            let files = try LaggingFiles(
                path: path, origin, access: .create, pageCheck: pageCheck, partBytes: partBytes, key: key)
            state.files = files
            return files
        }
    }

    /// Removes all rows; the next step makes them again.
    func drop() throws {
        try state.withLock { state throws in
            state.files = nil
            let parent = FileSystem.parent(of: path)
            guard try FileSystem.status(of: parent)?.kind == .directory else { return }
            try FileSystem.remove(path)
            // After a loss of power they would have content that was erased since, even if an earlier call removed
            // them.
            try FileSystem.synchronize(parent)
        }
    }

    /// Notices that something happened to the log.
    func wake(_ store: MessageStore) {
        guard state.withLock({ $0.failure == nil }) else { return }
        worker.wake(store, after: Self.quietTime) { [weak self] in try self?.workIfQuiet($0) }
    }

    private func workIfQuiet(_ store: MessageStore) throws -> Duration? {
        let generation = store.signal.generation
        let isQuiet = state.withLock { state in
            let isQuiet = state.seen == generation || state.waits >= Self.longestWait
            (state.seen, state.waits) = (generation, isQuiet ? 0 : state.waits + 1)
            return isQuiet
        }
        guard isQuiet else {
            worker.skip()
            return store.scheduler.now + Self.quietTime
        }
        do { return try step(store, atLeast: projection.minimumLag) ? store.scheduler.now : nil } catch {
            guard let failure = state.withLock({ $0.failure }) else { throw error }
            store.configuration.logger.error(
                "a lagging projection stopped", metadata: ["projection": "\(id)", "error": "\(failure)"])
            return nil
        }
    }

    /// Removes the log's lost content, and folds the next events.
    ///
    /// - Parameter least: How many events must wait.
    /// - Returns: Whether more wait.
    func step(_ store: MessageStore, atLeast least: Int) throws -> Bool {
        try working.withLock { _ throws in
            if let failure = state.withLock({ $0.failure }) { throw failure }
            do {
                return try StoreError.translating { try self.work(store, atLeast: least) }
            } catch let error as StoreError where isOwnDamage(error) {
                try StoreError.translating { try drop() }
                return true
            } catch let error as StoreError where error.isOfClosedStore || Self.passes(error) {
                throw error
            } catch {
                // Nothing more is folded until the next opening.
                state.withLock { $0.failure = error }
                throw error
            }
        }
    }

    /// Whether an error says that these files are damaged, and not the views.
    func isOwnDamage(_ error: StoreError) -> Bool {
        error.code == .viewsDamaged && (error == LaggingRow.damaged || error.path?.hasPrefix(path) == true)
    }

    /// Whether an error may be gone after a while: an open store makes damaged views again, and rights may change.
    static func passes(_ error: StoreError) -> Bool {
        error.isTransient || [.viewsDamaged, .permissionDenied].contains(error.code)
    }

    private func work(_ store: MessageStore, atLeast least: Int) throws -> Bool {
        // Content that is about to leave the log is not read any more.
        erasures.wait()
        try store.closing.check()
        let resources = try store.openedForWriting()
        let files = try openOrCreate(store.closing)
        guard try eraseNoted(files, resources) else {
            try drop()
            return true
        }
        if try fold(files, resources, store, atLeast: least) {
            wakeLiveQueries(of: store, try files.environment.read { try files.position(in: $0)?.position } ?? .origin)
            return true
        }
        // Merging comes after waiting events.
        if try maintain(files, thoroughly: false) { return true }
        if try hasManyFreePages(files) { try copy(files, store, isClean: false) }
        return false
    }

    /// Lets live queries read again that lacked many of the events that are folded now.
    private func wakeLiveQueries(of store: MessageStore, _ reached: Position) {
        let lag = ((try? store.lastDurablePosition()) ?? reached).rawValue
        let isFarBack = lag > reached.rawValue + Self.farBack
        let hasCaughtUp = state.withLock { state in
            defer { state.isFarBack = isFarBack }
            return state.isFarBack && !isFarBack
        }
        if hasCaughtUp { store.signal.note(.rewritten) }
    }

    /// Readers look through fewer events themselves.
    private static let farBack: UInt64 = 16_384

    /// Whether more than a quarter of the file is free, from merging; a small one may be.
    private func hasManyFreePages(_ files: LaggingFiles) throws -> Bool {
        let sizes = try files.environment.statistics()
        return sizes.freePages > Self.leastFreePages && 4 * sizes.freePages > sizes.usedPages
    }

    private static let leastFreePages = 1_024

    /// Folds the next events; answers whether it did, or has to be called again.
    private func fold(
        _ files: LaggingFiles, _ resources: MessageStore.WritingResources, _ store: MessageStore, atLeast least: Int
    ) throws -> Bool {
        try files.environment.write { transaction in
            // An erasure that begins from now on notes its positions once this has been written. One that noted them before
            // may not have removed them from the log.
            guard state.withLock({ $0.rewritings == 0 }) else { return true }
            let last = resources.log.durablePosition
            guard let reached = try start(files, resources, transaction) else { throw LaggingRow.damaged }
            let waiting = last.rawValue &- reached.rawValue
            guard last > reached, waiting >= UInt64(least) else { return false }
            let views = Views(try resources.views.snapshot())
            let end = Position(reached.rawValue + min(waiting, Self.eventsPerStep))
            let rows = LaggingRows(transaction: WriteTransaction(transaction), table: files.rows)
            try projection.apply(Position(reached.rawValue + 1)...end, in: views, to: rows)
            try store.closing.check()
            let time = try views.snapshot.log.recordedTime(at: end) ?? .unknown
            try files.reach(end, recorded: time, in: transaction)
            return true
        }
    }

    func maintain(_ files: LaggingFiles, thoroughly: Bool) throws -> Bool {
        try files.environment.write { transaction in
            try projection.maintain(
                LaggingRows(transaction: WriteTransaction(transaction), table: files.rows), thoroughly: thoroughly)
        }
    }

    /// The position from which on events are folded; nil if the rows are of another log.
    private func start(
        _ files: LaggingFiles, _ resources: MessageStore.WritingResources, _ transaction: borrowing WriteTransaction
    ) throws -> Position? {
        guard let reached = try files.position(in: transaction) else { return .origin }
        guard reached.position <= resources.log.lastPosition else { return nil }
        let snapshot = try resources.log.snapshot()
        let time = try snapshot.recordedTime(at: reached.position)
        return time == nil || time == reached.recordedTime || reached.recordedTime == .unknown ? reached.position : nil
    }

    /// Follows the log again, after ``finish()``, from the next event on that wakes it.
    func resume() {
        state.withLock { ($0.isFinished, $0.failure) = (false, nil) }
        worker.resume()
    }

    /// Stops following the log, and closes the files.
    func finish() {
        state.withLock { $0.isFinished = true }
        worker.finish()
        state.withLock { $0.files = nil }
    }
}
