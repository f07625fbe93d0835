internal import MessageStoreLMDB

extension MessageStore {
    /// Makes a new store from a backup and the segments that continue it, without what was erased since.
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
    ///   - ledger: What ``erasureLedger()`` of the store answered that the backup was made of, or of another backup of
    ///     it, as late as possible.
    ///   - progress: Called periodically with the position that was copied and the last one; throwing ends the work,
    ///     and leaves nothing.
    /// - Returns: The last position of the new store.
    /// - Throws: `StoreError`: `storeMissing` or `notAStore` where the backup is none, `invalidArgument` if something
    ///   exists at the path or its parent does not, `lineageMismatch` if the ledger or a segment is of another store,
    ///   `segmentMissing`, `segmentDamaged`, `logDamaged` or `recordDamaged` where the backup is damaged, `diskFull` and others; or what `progress` throws.
    @discardableResult
    public static func restoreBackup(
        from backup: String, segments: [String] = [], to path: String, applying ledger: ErasureLedger? = nil,
        progress: ReplayProgress = { _, _ in }
    ) throws -> Position {
        try StoreError.translating {
            let directory = try StoreDirectory(path: backup)
            try directory.requireStore()
            let new = try StoreDirectory(new: path)
            let identity = try StoreIdentity.read(from: directory.path)
            let log = try EventLog(path: directory.logPath, configuration: .init(access: .readOnly))
            try identity.check(against: log, notesID: false, path: directory.path)
            try log.useJournal(of: identity.idBytes ?? [])
            return try new.create(copying: log, of: identity, segments, erasing: ledger, progress: progress)
        }
    }

    /// Which events of the store have lost their content, and whose values were erased.
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
    /// Makes a new store of what is durable in a log, and of segments that continue it.
    ///
    /// - Parameters:
    ///   - identity: That of the log's store.
    ///   - ledger: What was erased since.
    /// - Returns: The last position.
    func create(
        copying log: EventLog, of identity: StoreIdentity, _ segments: [String] = [],
        erasing ledger: ErasureLedger? = nil, progress: MessageStore.ReplayProgress
    ) throws -> Position {
        var lineage = try log.lineage(storeID: identity.idBytes ?? [])
        let limited = try ledger?.limited(to: lineage)
        return try create(account: UserID(identity.account), isBulk: true) { new, storeID in
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
