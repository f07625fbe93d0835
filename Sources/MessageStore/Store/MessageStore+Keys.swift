internal import Dispatch
internal import MessageStoreLMDB
internal import MessageStoreSealing

extension MessageStore {
    /// Rewrites the files of a store under another random key: seals a clear store, unseals a sealed one, or leaves older
    /// copies of the files without a key that opens the new ones.
    ///
    /// A kill at any moment leaves a store that opens with exactly one of the two keys, and with all events; while a store is
    /// sealed or unsealed, and after a kill until the next opening for writing, `identity.json` names its account. Processes that
    /// have the store open for reading go on: their ``KeySource`` is asked for the new key, and a reader without one throws
    /// `keyUnavailable`. The views are folded again, and lagging projections from the next opening on. Files that wait in an
    /// inbox, segments and shipped objects are under the host's key, or clear, as before: let the store record its inbox
    /// first (`drainInbox()`), and ship a new base. Costs a pass over the log and a rebuild, and room for both once more.
    ///
    /// ```swift
    /// // Seals a store.
    /// try MessageStore.compact(storeAt: path, sealedBy: KeySource { try keychain.key() }, configuration: configuration)
    /// ```
    ///
    /// - Parameters:
    ///   - path: The store's directory; nobody may have the store open for writing, nor this process for reading.
    ///   - new: Gives the key that the store is to have, which may be the one that it has; nil for a clear store.
    ///   - configuration: As the store is opened, with the key that it has. The store is opened with it and the new key, and
    ///     closed again; a lens that it does not name is written again by the host's next opening.
    ///   - progress: Called periodically with the position that was copied, or folded, and the last one; throwing ends the
    ///     work. The store has one of the two keys then.
    /// - Returns: The bytes, and as `isErasureComplete` whether no file under the old key, or without one, is left. Otherwise
    ///   a process still has one open; a later compaction or opening removes it.
    /// - Throws: `StoreError`, and the store opens with one of the two keys: `storeMissing`, `alreadyOpen`, `keyUnavailable`,
    ///   `keyRefused`, `recordDamaged`, `diskFull` and others; or what `progress` throws.
    @discardableResult
    public static func compact(
        storeAt path: String, sealedBy new: KeySource?, configuration: Configuration = Configuration(),
        progress: ReplayProgress = { _, _ in }
    ) throws -> CompactionReport {
        try StoreError.translating {
            let opening = try StoreOpening(path, account: nil, isReadOnly: false, configuration)
            try opening.directory.requireStore()
            let host = try new.map { try $0.secretKey(for: opening.directory.path) }
            let exchange = try opening.exchangeKey(by: host, progress)
            var configuration = configuration
            configuration.privacy.key = new
            // A process that waited for the lock finds that its key is another one, and lets it go.
            let store = try open(
                path, account: exchange.account, configuration: configuration, waitingUpTo: .seconds(10),
                progress: progress)
            defer { try? store.close() }
            try store.lens?.replaceOrRemove(store)
            let isComplete = try store.removeRetired(store.openedForWriting()) && exchange.isComplete
            let report = CompactionReport(
                bytesBefore: exchange.bytesBefore, bytesAfter: try opening.directory.fileBytes(), cutEvents: 0,
                isErasureComplete: isComplete)
            try store.close()
            return report
        }
    }

    /// Rewrites the files of a store under another random key; the `async` form of
    /// `compact(storeAt:sealedBy:configuration:progress:)`, which a cancelled task does not end.
    ///
    /// - Throws: As the synchronous form, or `CancellationError` before it begins.
    @discardableResult
    public static func compact(
        storeAt path: String, sealedBy new: KeySource?, configuration: Configuration = Configuration(),
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> CompactionReport {
        try await runCancellable(on: .global(qos: .utility), progress: progress) { _, progress in
            try compact(storeAt: path, sealedBy: new, configuration: configuration, progress: progress)
        }
    }

    /// Seals the keys of a store under another key of the host: the first one opens it no more, and none of its events is
    /// written again.
    ///
    /// It takes milliseconds, and a crash leaves the store with one of the two keys. Copies of the store's files that were
    /// made before still open with the first key; so do segments, shipped objects, and files that wait in an inbox: let the
    /// store record these before, and ship a new base afterwards.
    ///
    /// ```swift
    /// let new = keychain.makeKey()
    /// try MessageStore.changeKey(ofStoreAt: path, from: KeySource { try keychain.key() }, to: KeySource { new })
    /// ```
    ///
    /// - Parameters:
    ///   - path: The store's directory; nobody may have the store open for writing.
    ///   - old: Gives the key that the store has.
    ///   - new: Gives the key that it is to have.
    /// - Throws: `StoreError`, and the store keeps its key: `storeMissing`, `alreadyOpen`, `keyUnavailable`, `keyRefused` if
    ///   `old` is not the store's or the store is not sealed, `diskFull` and others.
    public static func changeKey(
        ofStoreAt path: String, from old: KeySource, to new: KeySource
    ) throws {
        try StoreError.translating {
            let directory = try StoreDirectory(path: path)
            try directory.requireStore()
            let identity = try StoreIdentity.read(from: directory.path)
            let keyring = StoreKeyring(in: directory, old)
            _ = try keyring.open(identity)
            let host = try new.secretKey(for: directory.path)
            let lock = try directory.lock()
            defer { lock.release() }
            try RetiredLog.restore(to: directory.logPath)
            // Another call may have been first.
            let json = try keyring.openAgain().keys?.json(of: identity.idBytes ?? [], under: host)
            if let json { try FileSystem.put(json, at: directory.keysPath, through: directory.keysPath + ".new") }
        }
    }
}

extension StoreOpening {
    /// Puts a log under another random key in the place of the store's.
    ///
    /// All that can be made of the log goes before, so that the exchange of the log, with the file of its keys, is the moment
    /// from which on the store has the other key.
    ///
    /// - Parameter host: The host's key; nil for a clear store.
    /// - Returns: The account, the bytes of log and views before, and whether all other rows could be removed.
    func exchangeKey(
        by host: SecretKey?, _ progress: MessageStore.ReplayProgress
    ) throws -> (account: UserID, bytesBefore: Int, isComplete: Bool) {
        _ = try keyring.open(StoreIdentity.read(from: directory.path))
        let lock = try directory.lock()
        defer { lock.release() }
        try RetiredLog.restore(to: directory.logPath)
        let (identity, old) = try keyring.openAgain()
        let (owner, storeID) = (old?.account ?? UserID(identity.account), identity.idBytes ?? [])
        let log = try log()
        try identity.check(against: log, of: owner, notesID: true, path: directory.path)
        try useJournal(of: storeID, log, lock)
        let before = try directory.fileBytes()
        let keys = try host.map { try StoreKeys.make(of: owner, under: $0) }
        var isComplete = true
        let seal = LogSeal(
            key: keys?.log, file: try host.flatMap { try keys?.json(of: storeID, under: $0) },
            beforeExchange: { isComplete = try directory.removeDerived() })
        // A store with one clear log of the two needs the account: it is clear until the exchange, or from there on.
        let names = (old == nil) != (keys == nil)
        do {
            try identity.note(isSealed: names || keys != nil, owner: names ? owner : nil, in: directory.path)
            try log.compact(cuttingOff: nil, sealedBy: seal, alone: { try $0() }, progress: progress)
        } catch {
            try? StoreIdentity.read(from: directory.path).note(
                isSealed: LogSeal.file(in: directory.logPath) != nil, in: directory.path)
            try? log.closeJournal()
            throw error
        }
        try log.closeJournal()
        return (owner, before, isComplete)
    }
}

extension StoreDirectory {
    /// The bytes of the files of log and views.
    func fileBytes() throws -> Int {
        try [logPath, viewsPath].reduce(0) { try $0 + (FileSystem.status(of: $1 + "/data.mdb")?.size ?? 0) }
    }

    /// Removes the rows of lagging projections, and retires the views, which other processes may read.
    ///
    /// - Returns: Whether the rows are gone; directories with files of others stay.
    fileprivate func removeDerived() throws -> Bool {
        var areGone = true
        if try FileSystem.status(of: viewsPath)?.kind == .directory {
            try FileSystem.rename(viewsPath, to: Environment.retiredPath(nextTo: viewsPath))
        }
        if try FileSystem.status(of: laggingPath)?.kind == .directory {
            for name in try FileSystem.names(in: laggingPath) {
                areGone = try OwnFiles.remove(laggingPath + "/" + name) && areGone
            }
            try FileSystem.synchronize(laggingPath)
        }
        try FileSystem.synchronize(path)
        return areGone
    }
}
