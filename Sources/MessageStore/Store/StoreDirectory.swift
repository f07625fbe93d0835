internal import MessageStoreLMDB

/// Where a store's files are, and how a new store comes to be.
struct StoreDirectory {
    let path: String

    var logPath: String { path + "/log" }
    var viewsPath: String { path + "/views" }
    var lockPath: String { path + "/writer.lock" }

    init(path: String) throws {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        guard !trimmed.isEmpty, !trimmed.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "the path of a store is empty or holds a NUL")
        }
        self.path = String(trimmed)
    }

    /// Whether a store is here; throws where something else is.
    func isStore() throws -> Bool {
        guard let status = try FileSystem.status(of: path) else { return false }
        guard status.kind == .directory else {
            throw StoreError(.notAStore, "what stands here is not a directory (links are not followed)", path: path)
        }
        let names = try FileSystem.names(in: path)
        if names.contains(StoreIdentity.fileName) { return true }
        guard names.isEmpty else {
            throw StoreError(.notAStore, "the directory holds other files and no store", path: path)
        }
        return false
    }

    /// Makes a new store: in a directory beside, synchronised, then renamed, so that a crash leaves none or a whole one.
    func create(account: UserID) throws {
        guard !account.rawValue.isEmpty, account.rawValue.utf8.count <= EventLimits.identifierBytes else {
            throw StoreError(.invalidArgument, "an account id has 1 to \(EventLimits.identifierBytes) bytes")
        }
        let suffix = String(UInt64.random(in: .min ... .max), radix: 16)
        let temporary = try StoreDirectory(path: "\(path).creating-\(suffix)")
        let identity = StoreIdentity(account: account)
        do {
            try FileSystem.createDirectory(temporary.path)
            try FileSystem.createDirectory(temporary.logPath)
            do {
                let log = try EventLog(path: temporary.logPath, configuration: .init(access: .create))
                try log.symbols.enter(account: account, storeID: identity.idBytes)
            }
            try identity.write(to: temporary.path)
            try FileSystem.synchronize(temporary.logPath)
            try FileSystem.synchronize(temporary.path)
            try FileSystem.rename(temporary.path, to: path)
            try FileSystem.synchronize(FileSystem.parent(of: path))
        } catch {
            try? FileSystem.remove(temporary.path)
            throw error
        }
    }
}
