internal import MessageStoreLMDB

extension AccountStores {
    private static let removalMark = "removing-"
    /// A file that exists while a store is removed, so that an opening need not look at all names.
    private var notePath: String { path + "/.removing" }

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
            // A full disk need not have room for it, and is what a removal may be for.
            try? FileSystem.append([], to: notePath)
            try FileSystem.rename(store, to: doomed)
            try FileSystem.synchronize(path)
            try withExtendedLifetime(lock) { try FileSystem.remove(doomed) }
            try removeLeftovers()
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
    ///
    /// An opening looks for nothing else than the file that says that there is something: a directory of ten thousand stores
    /// takes longer to list than a store to open.
    func sweep() throws {
        if try FileSystem.status(of: notePath) != nil { try removeLeftovers() }
    }

    private func removeLeftovers() throws {
        // Another removal may be at it; what stays is met again.
        for name in try leftovers() { try? FileSystem.remove(path + "/" + name) }
        if try leftovers().isEmpty { try FileSystem.remove(notePath) }
    }

    private func leftovers() throws -> [String] { try FileSystem.names(in: path, where: Self.isRemoval) }

    private static func isRemoval(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && AccountDirectoryName.isPossible(String(parts[0]))
            && parts[1].hasPrefix(removalMark) && UInt64(parts[1].dropFirst(removalMark.count), radix: 16) != nil
    }
}
