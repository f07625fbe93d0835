internal import MessageStoreLMDB
internal import MessageStoreSealing
internal import MessageStoreSharing

/// The keys of a sealed store: those of its files follow from one random key, which lies sealed under the host's in a file
/// of the store, together with the account.
///
/// Another key of the host is another wrap of the same random key, so that no other file changes.
struct StoreKeys: Sendable {
    static let fileName = "keys.json"
    private static let maximumBytes = 64 << 10

    let account: UserID
    private let key: SecretKey
    /// Keys that follow from the host's alone: other stores, and processes without the store, read what they seal.
    let (shipping, lens, inbox): (SecretKey, SecretKey, SecretKey)

    var log: SecretKey { key.derived(info: Array("log".utf8)) }
    var views: SecretKey { key.derived(info: Array("views".utf8)) }

    /// The key of a projection that follows the log.
    func lagging(_ name: String) -> SecretKey { key.derived(info: Array("lagging/\(name)".utf8)) }

    private struct File: Codable {
        var format = 1
        /// In hexadecimal.
        var wraps: [String]
    }

    private init(_ key: SecretKey, _ account: UserID, _ host: SecretKey) {
        (self.key, self.account) = (key, account)
        shipping = Self.shipping(of: host)
        (lens, inbox) = (Lens.key(of: host), InboxFile.key(of: host))
    }

    /// Makes the keys of a new store, under the host's.
    static func make(of account: UserID, under host: SecretKey) throws -> StoreKeys {
        StoreKeys(try .random(ledger: host.ledger), account, host)
    }

    /// The file of the keys.
    func json(of storeID: [UInt8], under host: SecretKey) throws -> [UInt8] {
        let payload = key.exposed + Array(account.rawValue.utf8)
        let wrap = Self.wrapping(host).sealed(payload, associated: storeID)
        return try SealedJSON.encode(File(wraps: [wrap.span.bytes.hexadecimal])) + [0x0A]
    }

    /// Reads the keys of a store, before any other file of it is opened.
    ///
    /// - Throws: ``StoreError``: `keyUnavailable` or `keyRefused`; `logDamaged` if the file cannot be read.
    static func read(from directory: String, of storeID: [UInt8], under host: SecretKey) throws -> StoreKeys {
        let path = directory + "/" + fileName
        guard try FileSystem.status(of: path)?.kind == .file else {
            throw StoreError(.logDamaged, "the file of the keys is missing or not a regular file", path: path)
        }
        var bytes = try FileSystem.read(path, limit: maximumBytes + 1)
        guard bytes.count <= maximumBytes, bytes.popLast() == 0x0A,
            let file = try? SealedJSON.decode(File.self, bytes, name: fileName)
        else { throw StoreError(.logDamaged, "the file of the keys is damaged", path: path) }
        let wrapping = wrapping(host)
        for wrap in file.wraps {
            guard let bytes = [UInt8](hexadecimal: wrap) else { continue }
            let opened = bytes.withUnsafeBytes { wrap in
                storeID.withUnsafeBytes { wrapping.opened(wrap, associated: $0) }
            }
            guard let opened, opened.count > SecretKey.byteCount else { continue }
            let account = UserID(String(decoding: opened[SecretKey.byteCount...], as: UTF8.self))
            return StoreKeys(
                try SecretKey(opened[..<SecretKey.byteCount], ledger: host.ledger), account, host)
        }
        throw StoreError(.keyRefused, "the key is not the store's", path: directory)
    }

    static func shipping(of host: SecretKey) -> SecretKey { host.derived(info: Array("shipping".utf8)) }

    private static func wrapping(_ host: SecretKey) -> SecretKey { host.derived(info: Array("wrap".utf8)) }
}
