internal import MessageStoreLMDB
internal import MessageStoreSealing
internal import MessageStoreSharing

/// The keys of a sealed store: those of its files follow from one random key, which lies sealed under the host's in a file
/// next to the log, together with the account.
///
/// Another key of the host is another wrap of the same random key, so that no other file changes.
struct StoreKeys: Sendable {
    let account: UserID
    private let key: SecretKey
    /// Keys that follow from the host's alone: other stores, and processes without the store, read what they seal.
    let (shipping, lens, inbox): (SecretKey, SecretKey, SecretKey)

    var log: SecretKey { key.derived(info: Array("log".utf8)) }
    var views: SecretKey { key.derived(info: Array("views".utf8)) }

    /// The key of a projection that follows the log.
    func lagging(_ name: String) -> SecretKey { key.derived(info: Array("lagging/\(name)".utf8)) }

    private static let format = 1

    private struct File: Codable {
        var format = StoreKeys.format
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

    /// Opens the file of a store's keys.
    ///
    /// - Throws: ``StoreError``: `keyRefused`; `logDamaged` if the file cannot be read.
    fileprivate init(_ bytes: [UInt8], of storeID: [UInt8], under host: SecretKey, in directory: StoreDirectory) throws
    {
        var bytes = bytes
        guard bytes.popLast() == 0x0A, let file = try? SealedJSON.decode(File.self, bytes, name: LogSeal.fileName)
        else {
            throw StoreError(.logDamaged, "the file of the keys is damaged", path: directory.keysPath)
        }
        guard file.format == Self.format else {
            throw StoreError(.newerFormat, "the file of the keys has format \(file.format)", path: directory.keysPath)
        }
        let wrapping = Self.wrapping(host)
        for wrap in file.wraps {
            guard let bytes = [UInt8](hexadecimal: wrap) else { continue }
            let opened = bytes.withUnsafeBytes { wrap in
                storeID.withUnsafeBytes { wrapping.opened(wrap, associated: $0) }
            }
            guard let opened, opened.count > SecretKey.byteCount else { continue }
            let account = UserID(String(decoding: opened[SecretKey.byteCount...], as: UTF8.self))
            self.init(try SecretKey(opened[..<SecretKey.byteCount], ledger: host.ledger), account, host)
            return
        }
        throw StoreError(.keyRefused, "the key is not the store's", path: directory.path)
    }

    static func shipping(of host: SecretKey) -> SecretKey { host.derived(info: Array("shipping".utf8)) }

    private static func wrapping(_ host: SecretKey) -> SecretKey { host.derived(info: Array("wrap".utf8)) }
}

/// The keys of a store, as the file next to its log has them: another process may exchange the log together with its key.
final class StoreKeyring: Sendable {
    private struct State {
        var file: [UInt8]?
        var keys: StoreKeys?
    }

    private let directory: StoreDirectory
    private let source: KeySource?
    private let state = Locked(State())

    /// - Parameter source: Gives the host's key; nil if the store is not sealed.
    init(in directory: StoreDirectory, _ source: KeySource?) { (self.directory, self.source) = (directory, source) }

    /// Reads the keys, at each opening and before any other file of the store is opened.
    ///
    /// - Throws: ``StoreError``: `keyUnavailable` or `keyRefused`, also if a store has no use for a key; `logDamaged`.
    func open(_ identity: StoreIdentity) throws -> StoreKeys? {
        let file = try LogSeal.file(in: directory.logPath)
        let keys = try keys(in: file, of: identity)
        guard source == nil || keys != nil else {
            throw StoreError(.keyRefused, "a key is given, and the store is not sealed", path: directory.path)
        }
        state.withLock { $0 = State(file: file, keys: keys) }
        return keys
    }

    private func keys(in file: [UInt8]?, of identity: StoreIdentity) throws -> StoreKeys? {
        guard let file else {
            // The account lies in the file of the keys, or in the identity.
            guard identity.account.isEmpty else { return nil }
            // Another process may have unsealed the store since the identity was read.
            guard try StoreIdentity.read(from: directory.path).account.isEmpty else { return nil }
            throw StoreError(.logDamaged, "the file of the keys is missing", path: directory.keysPath)
        }
        guard let source else {
            throw StoreError(
                .keyUnavailable, "the store is sealed, and the configuration has no key", path: directory.path)
        }
        let host = try source.secretKey(for: directory.path)
        return try StoreKeys(file, of: identity.idBytes ?? [], under: host, in: directory)
    }

    /// The keys that were read last; nil of a store that is not sealed.
    var keys: StoreKeys? { state.withLock { $0.keys } }

    /// Reads the identity and the keys once more by whoever has the writer's lock now: another process may have exchanged
    /// them meanwhile. The host is asked for its key if their file is another one.
    ///
    /// - Throws: As ``open(_:)``.
    func openAgain() throws -> (identity: StoreIdentity, keys: StoreKeys?) {
        let identity = try StoreIdentity.read(from: directory.path)
        let known = state.withLock { $0 }
        return try (identity, LogSeal.file(in: directory.logPath) == known.file ? known.keys : open(identity))
    }

    /// Reads the keys again by whoever follows the log. The host is asked for its key if their file is another one.
    func reread() throws -> StoreKeys? {
        let (file, known) = (try LogSeal.file(in: directory.logPath), state.withLock { $0 })
        guard file != known.file else { return known.keys }
        // The host's code runs without a lock.
        let keys = try keys(in: file, of: StoreIdentity.read(from: directory.path))
        state.withLock { $0 = State(file: file, keys: keys) }
        return keys
    }
}
