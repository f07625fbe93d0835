internal import MessageStoreLMDB
internal import MessageStoreSealing

extension MessageStore {
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
            let keys = try identity.keys(in: directory.path, old)
            let host = try new.secretKey(for: directory.path)
            let lock = try directory.lock()
            defer { lock.release() }
            let file = directory.path + "/" + StoreKeys.fileName
            if let json = try keys?.json(of: identity.idBytes ?? [], under: host) {
                try FileSystem.put(json, at: file, through: file + ".new")
            }
        }
    }
}
