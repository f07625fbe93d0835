internal import MessageStoreLMDB
internal import MessageStoreSealing

/// The places of a store's files, and the making of a new store.
package struct StoreDirectory {
    let path: String

    var logPath: String { path + "/log" }
    var viewsPath: String { path + "/views" }
    var laggingPath: String { path + "/lagging" }
    var lockPath: String { path + "/writer.lock" }
    var keysPath: String { logPath + "/" + LogSeal.fileName }

    package init(path: String) throws {
        let trimmed = FileSystem.withoutTrailingSlashes(path)
        guard !trimmed.isEmpty, !trimmed.utf8.contains(0) else {
            throw StoreError(.invalidArgument, "the path of a store is empty or holds a NUL")
        }
        self.path = trimmed
    }

    /// A place where nothing exists yet, in a directory that does.
    package init(new path: String, for noun: String = "the new store") throws {
        try self.init(path: path)
        guard try FileSystem.status(of: self.path) == nil else {
            throw StoreError(.invalidArgument, "there is something at the path", path: self.path)
        }
        let parent = FileSystem.parent(of: self.path)
        guard try FileSystem.status(of: parent + "/.") != nil else {
            throw StoreError(.invalidArgument, "the directory for \(noun) does not exist", path: parent)
        }
    }

    /// Whether a store is here; throws if something else is.
    func isStore() throws -> Bool {
        guard let status = try FileSystem.status(of: path) else { return false }
        guard status.kind == .directory else {
            throw StoreError(.notAStore, "what is here is not a directory (links are not followed)", path: path)
        }
        let names = try FileSystem.names(in: path)
        if names.contains(StoreIdentity.fileName) { return true }
        guard names.isEmpty else {
            if try FileSystem.status(of: logPath + "/data.mdb") != nil {
                throw StoreError(.logDamaged, "the identity file is missing", path: path + "/" + StoreIdentity.fileName)
            }
            throw StoreError(.notAStore, "the directory holds other files and no store", path: path)
        }
        return false
    }

    /// - Throws: `StoreError` if no store is here.
    func requireStore() throws {
        guard try isStore() else { throw StoreError(.storeMissing, "there is no store", path: path) }
    }

    /// Makes a new store: in a directory next to it, synchronised, then renamed, so that a crash leaves none or a whole
    /// one.
    ///
    /// - Parameters:
    ///   - source: The host's key; nil for a store that is not sealed.
    ///   - segmentKey: Opens segments that `fill` appends.
    ///   - isBulk: Whether commits of `fill` are forced to the medium together when it has ended.
    ///   - fill: Fills the new log; it enters the account and the store's id.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    func create<Result>(
        account: UserID, key source: KeySource?, isBulk: Bool = false, segmentKey: SecretKey? = nil,
        _ fill: (EventLog, _ storeID: [UInt8]?) throws -> Result
    ) throws -> Result {
        guard !account.rawValue.isEmpty, account.rawValue.utf8.count <= EventLimits.identifierBytes else {
            throw StoreError(.invalidArgument, "an account id has 1 to \(EventLimits.identifierBytes) bytes")
        }
        let host = try source.map { try $0.secretKey(for: path) }
        let keys = try host.map { try StoreKeys.make(of: account, under: $0) }
        let identity = StoreIdentity(account: keys == nil ? account : nil)
        return try make(.creating) { temporary in
            try Self.createDirectory(temporary)
            let logPath = temporary + "/log"
            try FileSystem.createDirectory(logPath)
            // The log is closed again before it is moved.
            let result = try {
                let log = try EventLog(
                    path: logPath,
                    configuration: .init(access: .create, durability: isBulk ? .none : .full, key: keys?.log),
                    segmentKey: { segmentKey })
                let result = try fill(log, identity.idBytes)
                if isBulk { try log.environment.makeDurable(.full) }
                return result
            }()
            if let keys, let host {
                let json = try keys.json(of: identity.idBytes ?? [], under: host)
                try FileSystem.create(logPath + "/" + LogSeal.fileName, bytes: json)
            }
            try FileSystem.create(temporary + "/" + StoreIdentity.fileName, bytes: identity.json)
            try FileSystem.synchronize(logPath)
            try FileSystem.synchronize(temporary)
            return result
        }
    }

    /// Makes a store in a directory next to its own, whose name may be as long as names can be, and moves it there.
    package func make<Result>(_ mark: Leftovers.Mark, _ body: (_ temporary: String) throws -> Result) throws -> Result {
        let temporary = Leftovers.newPath(mark, in: FileSystem.parent(of: path))
        do { return try FileSystem.put(at: path, through: temporary, body) } catch let error as FileError
            where error.path == temporary
        {
            guard try isStore() else { throw error }
            throw StoreError(.alreadyOpen, "another process made a store here meanwhile", path: path)
        }
    }

    /// Makes a directory in one that must exist; without it, the path is the caller's mistake and no store is missing.
    static func createDirectory(
        _ path: String, by create: (String) throws(FileError) -> Void = FileSystem.createDirectory
    ) throws {
        do { try create(path) } catch let error where error.isNotFound {
            let parent = FileSystem.parent(of: path)
            throw StoreError(.invalidArgument, "the directory for a new store does not exist", path: parent)
        }
    }

    /// Makes a new, empty store.
    func create(account: UserID, key: KeySource?) throws {
        try create(account: account, key: key) { log, storeID in
            try log.symbols.enter(account: account, storeID: storeID)
        }
    }
}

/// The file that marks a directory as a store, and names its account and format.
///
/// It is kept apart from the data, so that an empty data file next to it is damage and never a new store.
struct StoreIdentity: Codable, Equatable {
    static let fileName = "identity.json"
    /// Raised when a version writes files that earlier ones cannot read (I13).
    ///
    /// 2: the log may have a journal, whose events a version that reads format 1 would not see. 3: erased bytes may be
    /// owed, which a version that reads format 2 would never remove. 4: the store is sealed, or a compaction that seals or
    /// unseals it was killed; the account says so then.
    static let currentFormat = 3
    static let sealedFormat = 4
    private static let maximumBytes = 64 << 10

    var format: Int
    /// 16 random bytes in hexadecimal; names the log that views were folded from.
    var id: String
    /// Empty in a sealed store.
    var account: String
    /// ``checksumOfContent``; nil in stores of versions that did not write it.
    var checksum: String?

    /// - Parameter account: nil in a sealed store.
    init(account: UserID?) {
        format = account == nil ? Self.sealedFormat : Self.currentFormat
        id = (0..<2).map { _ in UInt64.random(in: .min ... .max).hexadecimal() }.joined()
        self.account = account?.rawValue ?? ""
        checksum = checksumOfContent
    }

    /// XXH64 of the other values, in hexadecimal.
    private var checksumOfContent: String {
        SealedJSON.checksum(of: Array("\(format)\n\(id)\n\(account)".utf8))
    }

    /// The id as bytes; nil if it is not 32 hexadecimal digits.
    var idBytes: [UInt8]? {
        [UInt8](hexadecimal: id).flatMap { $0.count == 16 ? $0 : nil }
    }

    fileprivate var json: [UInt8] {
        get throws { try JSONBytes.encode(self, escapesSlashes: true) + [0x0A] }
    }

    /// Notes the format of a store that is sealed or not, and the account of one that is not, before anything is written
    /// that needs it.
    ///
    /// - Parameter owner: The account of a store that may be sealed or not at the next opening.
    func note(isSealed: Bool, owner: UserID? = nil, in directory: String) throws {
        var noted = self
        noted.format = isSealed || owner != nil ? Self.sealedFormat : Self.currentFormat
        noted.account = owner?.rawValue ?? (isSealed ? "" : account)
        let path = directory + "/" + Self.fileName
        // A killed call left it, and it may name the account of a store that is sealed.
        try FileSystem.removeFile(path + ".new")
        guard noted != self else { return }
        noted.checksum = noted.checksumOfContent
        try FileSystem.put(noted.json, at: path, through: path + ".new")
    }

    static func read(from directory: String) throws -> StoreIdentity {
        let path = directory + "/" + fileName
        guard try FileSystem.status(of: path)?.kind == .file else {
            throw StoreError(.logDamaged, "the identity is not a regular file", path: path)
        }
        let bytes = try FileSystem.read(path, limit: maximumBytes + 1)
        guard bytes.count <= maximumBytes else {
            throw StoreError(.logDamaged, "the identity file is larger than \(maximumBytes) bytes", path: path)
        }
        struct Format: Decodable { var format: Int }
        guard let format = try? JSONBytes.decode(Format.self, from: bytes) else {
            throw StoreError(.logDamaged, "the identity file cannot be read", path: path)
        }
        guard format.format <= sealedFormat else {
            throw StoreError(
                .newerFormat, "the store has format \(format.format); this version reads up to \(sealedFormat)",
                path: path)
        }
        guard format.format >= 1, let identity = try? JSONBytes.decode(StoreIdentity.self, from: bytes),
            identity.idBytes != nil, !identity.account.isEmpty || identity.format == sealedFormat,
            identity.checksum == nil || identity.checksum == identity.checksumOfContent
        else { throw StoreError(.logDamaged, "the identity file is damaged", path: path) }
        return identity
    }

    /// The keys of a sealed store; nil of another one.
    ///
    /// - Throws: As ``StoreKeyring/open(_:)``.
    func keys(in directory: StoreDirectory, _ source: KeySource?) throws -> StoreKeys? {
        try StoreKeyring(in: directory, source).open(self)
    }

    /// Compares the file with the log's own facts.
    ///
    /// - Parameters:
    ///   - account: The account of a sealed store, which the file does not name.
    ///   - notesID: Whether the id is noted in a log that does not have it.
    /// - Throws: `StoreError` with code `logDamaged` if one of the two belongs to another store.
    func check(against log: EventLog, of account: UserID? = nil, notesID: Bool, path: String) throws {
        let owner = try log.owner()
        guard owner.account == account ?? UserID(self.account), owner.storeID == nil || owner.storeID == idBytes else {
            throw StoreError(.logDamaged, "the identity file and the log belong to different stores", path: path)
        }
        if notesID, owner.storeID == nil, let idBytes { try log.note(storeID: idBytes) }
    }
}

extension StoreError {
    /// A store is another account's.
    init(of owner: UserID, asked account: UserID, path: String) {
        self.init(.accountMismatch, "the store belongs to \(owner), not to \(account)", path: path)
    }
}
