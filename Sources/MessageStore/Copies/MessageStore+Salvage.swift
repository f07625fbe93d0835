internal import Dispatch
internal import MessageStoreLMDB

extension MessageStore {
    /// Called periodically with the number of pages of a file that were read, and of all; throwing ends the work.
    public typealias SalvageProgress = (_ page: Int, _ pages: Int) throws -> Void

    /// Reads the readable part of a damaged store's log and writes it to a new store; the damaged one stays as it is.
    ///
    /// Pages are found by their own headers and events by their checksums, so it works without the file's meta pages
    /// and with a file that was cut off. Events keep their bytes, positions, times and commits. A `RecordLost` takes
    /// the position of each lost event. A string that is lost, such as a user's id, is replaced by one that begins with
    /// `lost-`. Views are made when the new store is opened.
    ///
    /// Of several versions of an event a redacted one is taken. If the only version left is on a free page, that one is
    /// taken: an event whose redaction was lost can come back with its content.
    ///
    /// Of a sealed store the new one is sealed under the same key of the host. A value is lost if its checksum or its seal
    /// does not fit, or if the random bytes of its opening are lost.
    ///
    /// Costs a pass over the file, of a sealed store two, and about 32 bytes of memory for each event.
    ///
    /// - Parameters:
    ///   - path: The damaged store's directory.
    ///   - newPath: The new store's directory; nothing may exist there, and its parent must exist.
    ///   - account: The account; nil for the one that the damaged store says it belongs to.
    ///   - key: Gives the key of a sealed store, and is asked again for the new one; nil for a store that is not sealed.
    ///   - progress: See ``SalvageProgress``.
    /// - Throws: `StoreError`: `storeMissing`, `alreadyOpen` while the damaged store is open for writing, `logDamaged`
    ///   if nothing of a log is found, or if the keys of a sealed store are lost, `keyUnavailable` or `keyRefused` before
    ///   anything is written, `accountMismatch` if the store belongs to another account, `invalidArgument` if
    ///   no account is given or known, or if something exists at the new path; or what `progress` throws.
    public static func salvage(
        _ path: String, to newPath: String, account: UserID? = nil, key: KeySource? = nil,
        progress: SalvageProgress = { _, _ in }
    ) throws -> SalvageReport {
        try StoreError.translating {
            let damaged = try StoreDirectory(path: path)
            guard try FileSystem.status(of: damaged.path)?.kind == .directory else {
                throw StoreError(.storeMissing, "there is no store", path: damaged.path)
            }
            let new = try StoreDirectory(new: newPath)
            let identity = try Self.identity(of: damaged, key)
            let keys: StoreKeys?
            do { keys = try identity?.keys(in: damaged, key) } catch let error as StoreError
                where error.code == .logDamaged
            {
                let message = error.message + ": the keys are gone, and nothing can be read without them"
                throw StoreError(.logDamaged, message, path: error.path)
            }
            let data = damaged.logPath + "/data.mdb"
            guard try FileSystem.status(of: data)?.kind == .file else {
                throw StoreError(.logDamaged, "the log's data file is missing or not a regular file", path: data)
            }
            let lock = try damaged.lockIfWritable()
            defer { withExtendedLifetime(lock) {} }
            let found = try LogSalvage(
                directory: damaged.logPath, storeID: identity?.idBytes, key: keys?.log, progress: progress)
            let known = keys?.account ?? found.account ?? identity.map { UserID($0.account) }
            let owner = try Self.owner(known, expected: account, path: damaged.path)
            return try new.create(account: owner, key: key) { log, storeID in
                try found.write(to: log, account: owner, storeID: storeID)
            }
        }
    }

    /// Reads the readable part of a damaged store's log and writes it to a new store, without blocking the caller's
    /// executor. Ends early, and leaves nothing, when the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: The damaged store's directory.
    ///   - newPath: The new store's directory; nothing may exist there, and its parent must exist.
    ///   - account: The account; nil for the one that the damaged store says it belongs to.
    ///   - key: Gives the key of a sealed store, and is asked again for the new one; nil for a store that is not sealed.
    ///   - progress: Called periodically with the number of pages that were read, and of all.
    /// - Throws: As the synchronous form, or `CancellationError`.
    public static func salvage(
        _ path: String, to newPath: String, account: UserID? = nil, key: KeySource? = nil,
        progress: @escaping @Sendable (_ page: Int, _ pages: Int) -> Void = { _, _ in }
    ) async throws -> SalvageReport {
        try await runCancellable(on: .global(qos: .userInitiated)) { check, _ in
            try salvage(path, to: newPath, account: account, key: key) { page, pages in
                progress(page, pages)
                try check()
            }
        }
    }

    /// The identity of a damaged store; nil if it is lost, and nothing says that the store is sealed.
    ///
    /// The keys of a sealed store open by its id alone, which frames of a journal have in clear, too.
    private static func identity(of directory: StoreDirectory, _ key: KeySource?) throws -> StoreIdentity? {
        if let identity = try? StoreIdentity.read(from: directory.path) { return identity }
        guard try key != nil || LogSeal.file(in: directory.logPath) != nil else { return nil }
        var identity = StoreIdentity(account: nil)
        if let storeID = LogSalvage.storeID(ofJournalIn: directory.logPath) {
            identity.id = storeID.span.bytes.hexadecimal
        } else if key != nil {
            throw StoreError(
                .logDamaged, "the store's id is lost with the identity file, and without it no key opens the store",
                path: directory.path)
        }
        return identity
    }

    /// The account of a damaged store, if it is known or given.
    private static func owner(_ known: UserID?, expected: UserID?, path: String) throws -> UserID {
        if let expected, let known, expected != known {
            throw StoreError(of: known, asked: expected, path: path)
        }
        guard let owner = expected ?? known else {
            throw StoreError(
                .invalidArgument, "the account is lost with the identity file: it must be given", path: path)
        }
        return owner
    }
}

extension StoreDirectory {
    /// The writer's lock of a store that may be on a medium where nothing can be written.
    fileprivate func lockIfWritable() throws -> FileLock? {
        guard try FileSystem.status(of: lockPath)?.kind == .file else { return nil }
        do {
            return try lock()
        } catch is FileError {
            return nil
        }
    }
}
