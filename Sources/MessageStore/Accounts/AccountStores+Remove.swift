internal import MessageStoreLMDB

extension AccountStores {
    /// Where stores lie while they are removed.
    private var removalPath: String { path + "/.messagestore-removing" }

    /// Removes an account's store with everything in it, damaged or not.
    ///
    /// It goes at once and as a whole; files that a crash leaves over are removed by the next opening or removal here. On a
    /// disk without room for a directory it goes file by file, and a crash leaves a damaged store: repeat the removal then.
    /// Another process that has it open for reading keeps what it sees until it closes.
    ///
    /// - Throws: `StoreError`: `alreadyOpen` while it is open in this process, or for writing in another;
    ///   `storeMissing`; `notAStore` and `accountMismatch` if the directory holds something else; nothing is removed
    ///   then.
    public func remove(_ account: UserID) throws {
        let store = try path(of: account)
        sweep()
        try StoreError.translating {
            do {
                let owner = try MessageStore.account(ofStoreAt: store)
                guard owner == account else { throw StoreError(of: owner, asked: account, path: store) }
            } catch let error as StoreError where error.code == .logDamaged || error.code == .newerFormat {
                // Whatever it holds, it is in this account's place.
            }
            let directory = try StoreDirectory(path: store)
            let lock = try directory.lock()
            guard !Self.isOpenHere(directory) else {
                throw StoreError(.alreadyOpen, "the store is open", path: store)
            }
            if let doomed = newRemoval() {
                try FileSystem.rename(store, to: doomed)
                try FileSystem.synchronize(removalPath)
                try FileSystem.synchronize(path)
                try withExtendedLifetime(lock) { try FileSystem.remove(doomed) }
            } else {
                // A full disk may lack room for a directory. An interrupted removal leaves a damaged store then.
                try withExtendedLifetime(lock) { try FileSystem.remove(store) }
            }
        }
    }

    /// A path to which a store is moved to be removed; nil where it cannot be.
    private func newRemoval() -> String? {
        try? FileSystem.createDirectory(removalPath)
        guard isRemovalDirectory else { return nil }
        return removalPath + "/" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// A link is not followed.
    private var isRemovalDirectory: Bool { (try? FileSystem.status(of: removalPath))?.kind == .directory }

    /// Whether this process has the store open, for reading only as well; a log that cannot be opened is not.
    private static func isOpenHere(_ directory: StoreDirectory) -> Bool {
        do {
            _ = try EventLog(path: directory.logPath, configuration: .init(access: .readOnly))
            return false
        } catch {
            return (error as? LMDBError)?.code == .alreadyOpen
        }
    }

    /// Removes what interrupted removals left; what cannot be removed is met again.
    ///
    /// It does not list the stores: of ten thousand that takes longer than opening one.
    func sweep() {
        guard isRemovalDirectory else { return }
        for name in (try? FileSystem.names(in: removalPath)) ?? [] where UInt64(name, radix: 16) != nil {
            _ = try? OwnFiles.remove(removalPath + "/" + name)
        }
    }
}
