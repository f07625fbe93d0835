internal import Dispatch
internal import MessageStoreLMDB

/// The stores of a device's accounts: one directory each, side by side in one directory.
///
/// Accounts share nothing; no transaction spans two of them. Anything else in the directory is left alone. A removal moves
/// its store to the hidden directory `.messagestore-removing` first, which stays there, empty.
///
/// A sealed store names its account to nobody without the key, so that the name of its directory counts: a copy under another
/// name is taken for the store of that account, and a store whose name is a hash, because the id is long, is in no list.
public struct AccountStores: Sendable, Hashable {
    /// The directory that holds the stores' directories.
    public let path: String

    /// A store whose account cannot be determined.
    public struct DamagedStore: Sendable, Hashable {
        /// The store's directory.
        public let path: String
        /// Why: `logDamaged`, `newerFormat`, `permissionDenied` and others.
        public let error: StoreError
    }

    /// Names the directory; the first `open(_:configuration:progress:)` creates it if its parent exists.
    public init(at path: String) {
        self.path = path
    }

    /// The path of an account's store, whether it exists or not; for `MessageStore.openReadOnly` and for backups.
    ///
    /// Every id has a name of its own that is safe on any file system, whatever the id holds.
    ///
    /// - Throws: `StoreError.Code.invalidArgument` if the id does not have 1 to 255 bytes.
    public func path(of account: UserID) throws -> String {
        guard account.isRecordable else {
            throw StoreError(.invalidArgument, "an account id has 1 to \(EventLimits.identifierBytes) bytes")
        }
        return path + "/" + AccountDirectoryName.of(account)
    }

    /// The accounts that have a store here, in byte order; see ``damagedStores()`` for damaged ones.
    ///
    /// Reads each store's identity and opens none. A directory that does not exist holds none.
    ///
    /// - Throws: `StoreError` if the directory cannot be listed.
    public func accounts() throws -> [UserID] {
        try stores().compactMap { try? $0.account.get() }.ordered()
    }

    /// The stores here whose account cannot be determined.
    ///
    /// - Throws: `StoreError` if the directory cannot be listed.
    public func damagedStores() throws -> [DamagedStore] {
        try stores().compactMap { store in
            guard case .failure(let error) = store.account, error.code != .keyUnavailable else { return nil }
            return DamagedStore(path: store.path, error: error)
        }
    }

    private func stores() throws -> [(path: String, account: Result<UserID, StoreError>)] {
        try StoreError.translating {
            guard try FileSystem.status(of: path) != nil else { return [] }
            return try FileSystem.names(in: path).compactMap { name in
                guard AccountDirectoryName.isPossible(name) else { return nil }
                let store = path + "/" + name
                do {
                    let account = try MessageStore.account(ofStoreAt: store)
                    // A copy under another name is the host's affair.
                    return AccountDirectoryName.of(account) == name ? (store, .success(account)) : nil
                } catch let error as StoreError where error.code == .notAStore || error.code == .storeMissing {
                    return nil
                } catch let error as StoreError {
                    // A sealed store names its account to nobody; its directory does.
                    if error.code == .keyUnavailable, let account = AccountDirectoryName.account(of: name) {
                        return (store, .success(account))
                    }
                    return (store, .failure(error))
                }
            }
        }
    }

    /// Opens an account's store, creating it if it does not exist.
    ///
    /// - Parameters:
    ///   - account: The account, 1 to 255 bytes.
    ///   - configuration: See `MessageStore.Configuration`.
    ///   - patience: How long to wait if another process has the store open for writing.
    ///   - progress: Called periodically during a long recovery with the position reached and the last position.
    /// - Throws: As `MessageStore.open`.
    public func open(
        _ account: UserID, configuration: MessageStore.Configuration = MessageStore.Configuration(),
        waitingUpTo patience: Duration = .zero, progress: (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) throws -> MessageStore {
        try MessageStore.open(
            prepare(account), account: account, configuration: configuration, waitingUpTo: patience,
            progress: progress)
    }

    /// Opens an account's store, creating it if it does not exist, without blocking the caller's executor. Ends early
    /// when the task is cancelled.
    ///
    /// - Parameters:
    ///   - account: The account, 1 to 255 bytes.
    ///   - configuration: See `MessageStore.Configuration`.
    ///   - patience: How long to wait if another process has the store open for writing.
    ///   - progress: Called periodically during a long recovery with the position reached and the last position.
    /// - Throws: As the synchronous form, or `CancellationError`.
    public func open(
        _ account: UserID, configuration: MessageStore.Configuration = MessageStore.Configuration(),
        waitingUpTo patience: Duration = .zero,
        progress: @escaping @Sendable (_ reached: Position, _ last: Position) -> Void = { _, _ in }
    ) async throws -> MessageStore {
        try await MessageStore.runCancellable(on: .global(qos: .userInitiated), progress: progress) { check, progress in
            try MessageStore.open(prepare(account), account, configuration, waitingUpTo: patience, check, progress)
        }
    }

    /// Makes the directory, and answers with the path of an account's store in it.
    private func prepare(_ account: UserID) throws -> String {
        let store = try path(of: account)
        try StoreError.translating { try createDirectory() }
        sweep()
        return store
    }

    private func createDirectory() throws {
        guard try FileSystem.status(of: path) == nil else { return }
        try StoreDirectory.createDirectory(path, by: FileSystem.createSharedDirectory)
    }
}

extension AccountStores {
    /// The directory of stores while they are removed.
    private var removalPath: String { path + "/.messagestore-removing" }

    /// Removes an account's store with everything in it, damaged or not.
    ///
    /// It goes at once and as a whole; files that a crash leaves over are removed by the next opening or removal here. On a
    /// disk without room for a directory it goes file by file, and a crash leaves a damaged store: repeat the removal then.
    /// Another process that has it open for reading keeps its view until it closes.
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
            } catch let error as StoreError
                where [.logDamaged, .newerFormat, .keyUnavailable, .keyRefused].contains(error.code)
            {
                // Whatever it holds, it is in this account's place.
            }
            let directory = try StoreDirectory(path: store)
            let lock = try directory.lock()
            guard !Self.isOpenHere(directory) else { throw StoreError(.alreadyOpen, "the store is open", path: store) }
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

    /// A path to which a store is moved to be removed; nil if it cannot be.
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

    /// Removes the rests of interrupted removals; the next sweep meets rests that cannot be removed.
    ///
    /// It does not list the stores: of ten thousand that takes longer than opening one.
    func sweep() {
        guard isRemovalDirectory else { return }
        for name in (try? FileSystem.names(in: removalPath)) ?? [] where UInt64(name, radix: 16) != nil {
            _ = try? OwnFiles.remove(removalPath + "/" + name)
        }
    }
}

/// The name of an account's directory: readable, in one case, without a dot or slash, and at most 100 bytes.
///
/// Small letters, digits, `_` and `-` are kept; every other byte becomes `=` and two digits. Ids that would be longer
/// become `==` and 128 bits of hash; should two ids ever share a name, opening compares the store's identity and
/// throws.
enum AccountDirectoryName {
    private static let maximumBytes = 100

    static func of(_ account: UserID) -> String {
        var name = ""
        for byte in account.rawValue.utf8 {
            if isPlain(byte) {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                name += "=" + UInt64(byte).hexadecimal(digits: 2)
            }
        }
        guard name.utf8.count > maximumBytes else { return name }
        return "==" + [0, 1].map { XXH64.hash(account.rawValue, seed: $0).hexadecimal() }.joined()
    }

    /// The account whose directory has the name; nil if the name does not say it.
    static func account(of name: String) -> UserID? {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                bytes.append(byte)
                continue
            }
            guard let decoded = [UInt8](hexadecimal: String(decoding: rest.prefix(2), as: UTF8.self))?.first else {
                return nil
            }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        let account = UserID(String(decoding: bytes, as: UTF8.self))
        return of(account) == name ? account : nil
    }

    /// Whether a name may be one of these; the temporary directories next to them are not possible names.
    static func isPossible(_ name: String) -> Bool {
        name.utf8.count <= maximumBytes && name.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "=") }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isSmallLetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
