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
    /// Costs a pass over the file, and about 32 bytes of memory for each event.
    ///
    /// - Parameters:
    ///   - path: The damaged store's directory.
    ///   - newPath: The new store's directory; nothing may exist there, and its parent must exist.
    ///   - account: The account; nil for the one that the damaged store says it belongs to.
    ///   - progress: See ``SalvageProgress``.
    /// - Throws: `StoreError`: `storeMissing`, `alreadyOpen` while the damaged store is open for writing, `logDamaged`
    ///   if nothing of a log is found, `accountMismatch` if the store belongs to another account, `invalidArgument` if
    ///   no account is given or known, or if something exists at the new path; or what `progress` throws.
    public static func salvage(
        _ path: String, to newPath: String, account: UserID? = nil, progress: SalvageProgress = { _, _ in }
    ) throws -> SalvageReport {
        try StoreError.translating {
            let damaged = try StoreDirectory(path: path)
            guard try FileSystem.status(of: damaged.path)?.kind == .directory else {
                throw StoreError(.storeMissing, "there is no store", path: damaged.path)
            }
            let new = try StoreDirectory(new: newPath)
            if try FileSystem.status(of: damaged.keysPath) != nil {
                throw StoreError(.keyRefused, "a sealed store cannot be salvaged yet", path: damaged.path)
            }
            let data = damaged.logPath + "/data.mdb"
            guard try FileSystem.status(of: data)?.kind == .file else {
                throw StoreError(.logDamaged, "the log's data file is missing or not a regular file", path: data)
            }
            let lock = try damaged.lockIfWritable()
            defer { withExtendedLifetime(lock) {} }
            let found = try LogSalvage(
                directory: damaged.logPath, storeID: try? StoreIdentity.read(from: damaged.path).idBytes,
                progress: progress)
            let owner = try Self.owner(of: damaged, found, expected: account)
            return try new.create(account: owner, key: nil) { log, storeID in
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
    ///   - progress: Called periodically with the number of pages that were read, and of all.
    /// - Throws: As the synchronous form, or `CancellationError`.
    public static func salvage(
        _ path: String, to newPath: String, account: UserID? = nil,
        progress: @escaping @Sendable (_ page: Int, _ pages: Int) -> Void = { _, _ in }
    ) async throws -> SalvageReport {
        try await runCancellable(on: .global(qos: .userInitiated)) { check, _ in
            try salvage(path, to: newPath, account: account) { page, pages in
                progress(page, pages)
                try check()
            }
        }
    }

    /// The account of a damaged store: as its log or its identity file says, if one can be read.
    private static func owner(
        of directory: StoreDirectory, _ found: LogSalvage, expected: UserID?
    ) throws -> UserID {
        let known = found.account ?? (try? StoreIdentity.read(from: directory.path)).map { UserID($0.account) }
        if let expected, let known, expected != known {
            throw StoreError(of: known, asked: expected, path: directory.path)
        }
        guard let owner = expected ?? known else {
            throw StoreError(
                .invalidArgument, "the account is lost with the identity file: it must be given", path: directory.path)
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
