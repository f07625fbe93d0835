internal import MessageStoreLMDB

extension AccountStores {
    private static let removalMark = "removing-"

    /// Removes an account's store with everything in it, damaged or not.
    ///
    /// It goes at once and as a whole; files that a crash leaves over are removed by the next opening or removal here.
    /// Another process that has it open for reading keeps what it sees until it closes.
    ///
    /// - Throws: `StoreError`: `alreadyOpen` while it is open in this process, or for writing in another;
    ///   `storeMissing`; `notAStore` and `accountMismatch` if the directory holds something else; nothing is removed
    ///   then.
    public func remove(_ account: UserID) throws {
        let store = try path(of: account)
        try StoreError.translating {
            try sweep()
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
            let suffix = String(UInt64.random(in: .min ... .max), radix: 16)
            let doomed = "\(store).\(Self.removalMark)\(suffix)"
            try FileSystem.rename(store, to: doomed)
            try FileSystem.synchronize(path)
            try withExtendedLifetime(lock) { try FileSystem.remove(doomed) }
        }
    }

    /// Whether this process has the store open, for reading only as well; a log that cannot be opened is not.
    private static func isOpenHere(_ directory: StoreDirectory) -> Bool {
        do {
            _ = try EventLog(path: directory.logPath, configuration: .init(access: .readOnly))
            return false
        } catch {
            return (error as? LMDBError)?.code == .alreadyOpen
        }
    }

    /// Removes what interrupted removals left.
    func sweep() throws {
        guard try FileSystem.status(of: path) != nil else { return }
        for name in try FileSystem.names(in: path) {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, AccountDirectoryName.isPossible(String(parts[0])),
                parts[1].hasPrefix(Self.removalMark),
                UInt64(parts[1].dropFirst(Self.removalMark.count), radix: 16) != nil
            else { continue }
            // Another removal may be at it; what stays is met again.
            try? FileSystem.remove(path + "/" + name)
        }
    }
}
