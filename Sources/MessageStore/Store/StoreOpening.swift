internal import Logging
internal import MessageStoreLMDB

/// How a store is opened, and opened again after it was suspended.
struct StoreOpening: Sendable {
    /// The log and the views as they are opened.
    struct Opened {
        let resources: MessageStore.Resources
        let account: UserID
        let storeID: [UInt8]
    }

    let directory: StoreDirectory
    /// The account that the store has to be of; nil for any.
    let account: UserID?
    let isReadOnly: Bool
    let configuration: MessageStore.Configuration
    let keyring: StoreKeyring
    private let types: EventTypes
    private let catalog: ProjectionCatalog

    /// Checks the registered types before anything is made.
    init(
        _ path: String, account: UserID?, isReadOnly: Bool, _ configuration: MessageStore.Configuration
    ) throws {
        types = try EventTypes(configuration.events)
        catalog = try ProjectionCatalog(adding: configuration.projections, events: types)
        directory = try StoreDirectory(path: path)
        keyring = StoreKeyring(in: directory, configuration.privacy.key)
        (self.account, self.isReadOnly, self.configuration) = (account, isReadOnly, configuration)
    }

    /// - Parameters:
    ///   - patience: How long to wait for another process that has the store open for writing.
    ///   - check: Called meanwhile; throwing ends the opening.
    ///   - progress: Called during a recovery.
    func open(
        waitingUpTo patience: Duration, _ check: () throws -> Void, _ progress: MessageStore.ReplayProgress
    ) throws -> Opened {
        var identity = try StoreIdentity.read(from: directory.path)
        var keys = try keyring.open(identity)
        let owner = keys?.account ?? UserID(identity.account)
        if let account, account != owner { throw StoreError(of: owner, asked: account, path: directory.path) }
        let lock = isReadOnly ? nil : try directory.lock(waitingUpTo: patience, check)
        if lock != nil {
            try RetiredLog.restore(to: directory.logPath)
            (identity, keys) = try keyring.openAgain()
        }
        guard try FileSystem.status(of: directory.logPath)?.kind == .directory else {
            throw StoreError(.logDamaged, "the log's directory is missing", path: directory.logPath)
        }
        let log = try log()
        try identity.check(against: log, of: owner, notesID: !isReadOnly, path: directory.path)
        let storeID = identity.idBytes ?? []
        if !isReadOnly { try identity.note(isSealed: keys != nil, in: directory.path) }
        try useJournal(of: storeID, log, lock)
        if isReadOnly {
            log.refuseUnfinishedErasures { [path = directory.lockPath] in FileLock.isHolderThere(path) }
        }
        let views: any ViewStore =
            if let lock {
                try ServedViews(
                    log: log, path: directory.viewsPath, storeID: storeID, configuration: building, lock: lock,
                    progress: progress)
            } else {
                try WatchedViews(
                    log: log, path: directory.viewsPath, storeID: storeID, configuration: building,
                    progress: progress)
            }
        return Opened(resources: .init(log: log, views: views, lock: lock), account: owner, storeID: storeID)
    }

    /// The log, whose key is read again where another process exchanged both.
    func log() throws -> EventLog {
        try EventLog(
            path: directory.logPath, configuration: environment, types: types,
            findKey: { [keyring] in try keyring.reread()?.log },
            segmentKey: { [keyring] in keyring.keys?.shipping })
    }

    func useJournal(of storeID: [UInt8], _ log: EventLog, _ lock: FileLock?) throws {
        try log.useJournal(
            of: storeID, acceptsLoss: configuration.durability.allowsRollback,
            isOwner: { [weak lock] in lock?.isHeld ?? true }
        ) { [logger = configuration.logger, path = directory.logPath] what, error in
            logger.warning("\(what)", metadata: ["path": "\(path)", "error": "\(error)"])
        }
    }

    private var environment: Environment.Configuration {
        let durability: Environment.Configuration.Durability =
            configuration.durability.level == .full ? .full : .relaxed
        var environment = Environment.Configuration(
            access: isReadOnly ? .readOnly : .readWrite, durability: durability, mapSize: configuration.mapBytes)
        environment.commitFault = configuration.commitFault
        environment.pageCheck = configuration.durability.pageCheck == .always ? .always : .afterUncleanClose
        return environment
    }

    private var building: ViewConfiguration {
        // A rebuild may hold twice as much.
        var building = ViewConfiguration(bufferBytes: min(configuration.bufferBytes, .max / 2), catalog: catalog)
        building.replayBytes = configuration.replayBytes
        building.pageCheck = environment.pageCheck
        building.key = { [keyring] in keyring.keys?.views }
        building.commitFault = configuration.viewCommitFault
        if configuration.metrics != nil {
            building.measuringFlush = { [configuration] write in
                let watch = configuration.stopwatch()
                write()
                watch?(StoreMeasurement.flush)
            }
        }
        if let pages = configuration.viewFlushPages { building.flushPages = pages }
        building.allowsRollback = configuration.durability.allowsRollback
        building.noteUnusable = { [isReadOnly, logger = configuration.logger, path = directory.viewsPath] reason in
            let what: Logger.Message = isReadOnly ? "the views on disk are not used" : "the views are made anew"
            logger.warning(what, metadata: ["path": "\(path)", "reason": "\(reason)"])
        }
        return building
    }
}

extension StoreDirectory {
    /// The writer's lock.
    ///
    /// - Parameters:
    ///   - patience: How long to wait for whoever has it.
    ///   - check: Called while waiting; throwing ends it.
    /// - Throws: ``StoreError`` with code `alreadyOpen`, which names who has it and since when.
    func lock(waitingUpTo patience: Duration = .zero, _ check: () throws -> Void = {}) throws -> FileLock {
        let deadline = ContinuousClock.now + patience
        while true {
            if let lock = try FileLock.take(lockPath) { return lock }
            guard ContinuousClock.now < deadline else { break }
            try check()
            FileSystem.pause(milliseconds: 2)
        }
        var holder = "in this process or another"
        if let known = FileLock.holder(of: lockPath) {
            let since = Timestamp(milliseconds: known.since.multipliedReportingOverflow(by: 1000).partialValue)
            holder = "by \(known.name), process \(known.process), since \(since)"
        }
        throw StoreError(.alreadyOpen, "the store is already open for writing, \(holder)", path: path)
    }
}
