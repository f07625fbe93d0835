internal import MessageStoreLMDB
internal import MessageStoreSealing

extension MessageStore {
    /// Writes a copy of the store, while it is read and written, also by other processes.
    ///
    /// The copy is a store of its own, which can be opened;
    /// ``restoreBackup(from:segments:to:applying:key:newKey:progress:)`` copies it once more, without values and content
    /// that were erased since. It holds every event that was durable when the call began, and some that were recorded
    /// meanwhile, at their positions; subscribers' positions; and no byte of earlier redacted content. Views are made at its
    /// first opening, which costs a pass over the log. It has an id of its own, so that files of one are never taken for the
    /// other's.
    ///
    /// The copy appears at its path when it is whole and on the medium; a crash leaves none. Appends do not wait for it.
    ///
    /// - Parameters:
    ///   - path: The copy's directory; nothing may exist there, and its parent must exist.
    ///   - progress: Called periodically with the position that was copied and the last one; throwing ends the work,
    ///     and leaves nothing.
    /// - Returns: The last position of the copy.
    /// - Throws: `StoreError`: `invalidArgument` if something exists at the path or its parent does not, `recordDamaged`
    ///   if the log is damaged, `diskFull`, `nestedAccess` in a callback of a compaction or backup; or what `progress`
    ///   throws.
    @discardableResult
    public func backup(to path: String, progress: ReplayProgress = { _, _ in }) throws -> Position {
        let log = try opened().log
        return try StoreError.translating {
            let copy = try StoreDirectory(new: path)
            let identity = try StoreIdentity.read(from: self.path)
            // A compaction would put other files in the place of the copied ones.
            return try whileCompacting {
                try closing.ending(progress) { progress in
                    try copy.create(
                        copying: log, of: identity, account, key: configuration.privacy.key, progress: progress)
                }
            }
        }
    }

    /// Writes a copy of the store; the `async` form of `backup(to:progress:)`, which ends early, and leaves nothing,
    /// when the task is cancelled.
    ///
    /// - Returns: The last position of the copy.
    /// - Throws: As the synchronous form, or `CancellationError`.
    @discardableResult
    public func backup(
        to path: String, progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> Position {
        try await Self.runCancellable(on: readQueue, progress: progress) { _, progress in
            try self.backup(to: path, progress: progress)
        }
    }
}

extension MessageStore {
    /// Makes a new store from a backup and the segments that continue it, without values and content that were erased
    /// since.
    ///
    /// The backup stays as it is, on a medium that is mounted for reading only as well. The new store has the events of
    /// the backup at their positions, and an id of its own. No file of it ever had the contents and values that the
    /// ledger names; events that the backup does not have are ignored there. Events that were recorded after the backup
    /// are missing, deletions among them: a message that was deleted and erased since is shown again, without its words.
    ///
    /// The store appears at its path when it is whole and on the medium; a crash leaves none. Views are made at its
    /// first opening, which costs a pass over the log.
    ///
    /// - Parameters:
    ///   - backup: A store that `backup(to:progress:)` wrote; nobody may have it open in this process.
    ///   - segments: Files that ``writeSegment(after:to:progress:)`` wrote, in their order: each begins where the backup, or
    ///     the one before, ends, or earlier.
    ///   - path: The new store's directory; nothing may exist there, and its parent must exist.
    ///   - ledger: The answer of ``erasureLedger()`` of the backup's store, or of another backup of it, as late as
    ///     possible.
    ///   - key: Gives the key of a sealed backup, and of the segments; nil for a backup that is not sealed.
    ///   - newKey: Gives the key under which the new store is sealed; nil for that of the backup. By it a store that is not
    ///     sealed becomes one that is.
    ///   - progress: Called periodically with the position that was copied and the last one; throwing ends the work,
    ///     and leaves nothing.
    /// - Returns: The last position of the new store.
    /// - Throws: `StoreError`: `storeMissing` or `notAStore` if the backup is none, `invalidArgument` if something
    ///   exists at the path or its parent does not, `lineageMismatch` if the ledger or a segment is of another store,
    ///   `segmentMissing`, `segmentDamaged`, `logDamaged` or `recordDamaged` if the backup is damaged, `keyUnavailable`,
    ///   `keyRefused`, `diskFull` and
    ///   others; or what `progress` throws.
    @discardableResult
    public static func restoreBackup(
        from backup: String, segments: [String] = [], to path: String, applying ledger: ErasureLedger? = nil,
        key: KeySource? = nil, newKey: KeySource? = nil, progress: ReplayProgress = { _, _ in }
    ) throws -> Position {
        try StoreError.translating {
            let directory = try StoreDirectory(path: backup)
            try directory.requireStore()
            let new = try StoreDirectory(new: path)
            let (log, identity, keys) = try directory.openLog(key)
            let account = keys?.account ?? UserID(identity.account)
            try identity.check(against: log, of: account, notesID: false, path: directory.path)
            try log.useJournal(of: identity.idBytes ?? [])
            return try new.create(
                copying: log, of: identity, account, segments, keys?.shipping, erasing: ledger, key: newKey ?? key,
                progress: progress)
        }
    }

    /// The events of the store that have lost their content, and the erasures of values.
    ///
    /// A backup that was made earlier still has them: keep the ledger apart from the store, and restore the backup with
    /// it, which leaves them out. Costs a scan of the log.
    ///
    /// - Throws: `StoreError`: `recordDamaged`, `logDamaged`, `closed` or `nestedAccess`.
    public func erasureLedger() throws -> ErasureLedger {
        let log = try opened().log
        return try StoreError.translating {
            try log.erasureLedger(storeID: try StoreIdentity.read(from: path).idBytes ?? [])
        }
    }
}

extension StoreDirectory {
    /// Opens the log for reading, also if another process exchanges it and its key meanwhile.
    ///
    /// - Throws: As ``StoreKeyring/open(_:)``.
    func openLog(_ key: KeySource?) throws -> (log: EventLog, identity: StoreIdentity, keys: StoreKeys?) {
        let (identity, keyring) = (try StoreIdentity.read(from: path), StoreKeyring(in: self, key))
        let keys = try keyring.open(identity)
        let log = try EventLog(
            path: logPath, configuration: .init(access: .readOnly), findKey: { try keyring.reread()?.log })
        return (log, identity, keys)
    }

    /// Makes a new store of the durable events of a log, and of segments that continue it.
    ///
    /// - Parameters:
    ///   - identity: The identity of the log's store.
    ///   - account: The account of the log.
    ///   - segmentKey: Opens the segments; nil for clear ones.
    ///   - ledger: The erasures since.
    ///   - key: The host's key; nil for a store that is not sealed.
    /// - Returns: The last position.
    func create(
        copying log: EventLog, of identity: StoreIdentity, _ account: UserID, _ segments: [String] = [],
        _ segmentKey: SecretKey? = nil, erasing ledger: ErasureLedger? = nil, key: KeySource?,
        progress: MessageStore.ReplayProgress
    ) throws -> Position {
        var lineage = try log.lineage(storeID: identity.idBytes ?? [])
        let limited = try ledger?.limited(to: lineage)
        return try create(account: account, key: key, isBulk: true, segmentKey: segmentKey) { new, storeID in
            var last = try log.copy(to: new, erasing: limited, progress: progress)
            for segment in segments {
                (last, lineage) = try new.append(
                    segment: segment, after: last, of: lineage, erasing: ledger, progress: progress)
            }
            try new.note(storeID: storeID ?? [], after: lineage, last: last)
            if let ledger { try new.eraseIDs(by: ledger.limited(to: lineage)) }
            return last
        }
    }
}

extension MessageStore {
    /// Writes the events after a position to a file, while the store is read and written, also by other processes.
    ///
    /// The file continues a backup that ends at the position or later:
    /// ``restoreBackup(from:segments:to:applying:key:newKey:progress:)`` appends it. It holds the events, all names that
    /// they need, and checksums, and no byte of content that was erased before. Erasures of earlier events are not in it, but
    /// in ``erasureLedger()``.
    ///
    /// The file appears at its path when it is whole and on the medium; a crash leaves none.
    ///
    /// - Parameters:
    ///   - position: The last position of the backup, or of the segment before.
    ///   - path: The file; nothing may exist there, and its parent must exist.
    ///   - progress: Called periodically with the position that was written and the last one; throwing ends the work,
    ///     and leaves nothing.
    /// - Returns: The last position of the segment.
    /// - Throws: `StoreError`: `invalidArgument` if nothing was recorded after the position, if something exists at the
    ///   path or if its parent does not, `recordDamaged` if the log is damaged, `diskFull`; or what `progress` throws.
    @discardableResult
    public func writeSegment(
        after position: Position, to path: String, progress: ReplayProgress = { _, _ in }
    ) throws -> Position {
        let log = try opened().log
        return try StoreError.translating {
            let file = try StoreDirectory(new: path, for: "the segment").path
            let storeID = try StoreIdentity.read(from: self.path).idBytes ?? []
            let temporary = Leftovers.newPath(.creating, in: FileSystem.parent(of: file))
            return try FileSystem.put(at: file, through: temporary) { temporary in
                try closing.ending(progress) { progress in
                    try FileSystem.create(temporary) { write in
                        try log.writeSegment(after: position, storeID: storeID, write, progress: progress)
                    }
                }
            }
        }
    }
}
