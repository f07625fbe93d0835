internal import MessageStoreLMDB

/// The file that says that a directory is a store, of which account and in which format.
///
/// It is kept apart from the data, so that an empty data file next to it is damage and never a new store.
struct StoreIdentity: Codable, Equatable {
    static let fileName = "identity.json"
    /// Raised when a version writes what earlier ones cannot read (I13).
    ///
    /// 2: the log may have a journal, whose events a version that reads format 1 would not see. 3: erased bytes may be
    /// owed, which a version that reads format 2 would never remove.
    static let currentFormat = 3
    private static let maximumBytes = 64 << 10

    var format: Int
    /// 16 random bytes in hexadecimal; names the log that views were folded from.
    var id: String
    var account: String
    /// ``checksumOfContent``; nil in stores of versions that did not write it.
    var checksum: String?

    init(account: UserID) {
        format = Self.currentFormat
        id = (0..<2).map { _ in UInt64.random(in: .min ... .max).hexadecimal() }.joined()
        self.account = account.rawValue
        checksum = checksumOfContent
    }

    /// XXH64 of the other values, in hexadecimal.
    private var checksumOfContent: String {
        XXH64.hash("\(format)\n\(id)\n\(account)").hexadecimal()
    }

    /// The id as bytes; nil where it is not 32 hexadecimal digits.
    var idBytes: [UInt8]? {
        [UInt8](hexadecimal: id).flatMap { $0.count == 16 ? $0 : nil }
    }

    func write(to path: String) throws {
        try FileSystem.create(path, bytes: try JSONBytes.encode(self, escapesSlashes: true) + [0x0A])
    }

    /// Notes the current format in a store of an earlier one, before anything is written that needs it.
    ///
    /// The file is replaced, so that a crash leaves the one or the other.
    func raiseFormat(in directory: String) throws {
        guard format < Self.currentFormat else { return }
        var raised = self
        raised.format = Self.currentFormat
        raised.checksum = raised.checksumOfContent
        let (path, new) = (directory + "/" + Self.fileName, directory + "/" + Self.fileName + ".new")
        try FileSystem.remove(new)
        try raised.write(to: new)
        try FileSystem.rename(new, to: path)
        try FileSystem.synchronize(directory)
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
        guard format.format <= currentFormat else {
            throw StoreError(
                .newerFormat, "the store has format \(format.format); this version reads up to \(currentFormat)",
                path: path)
        }
        guard format.format >= 1, let identity = try? JSONBytes.decode(StoreIdentity.self, from: bytes),
            identity.idBytes != nil, !identity.account.isEmpty,
            identity.checksum == nil || identity.checksum == identity.checksumOfContent
        else { throw StoreError(.logDamaged, "the identity file is damaged", path: path) }
        return identity
    }

    /// Compares the file with what the log says of itself.
    ///
    /// - Parameter notesID: Whether the id is noted in a log that does not have it.
    /// - Throws: `StoreError` with code `logDamaged` where one of the two belongs to another store.
    func check(against log: EventLog, notesID: Bool, path: String) throws {
        let owner = try log.owner()
        guard owner.account == UserID(account), owner.storeID == nil || owner.storeID == idBytes else {
            throw StoreError(
                .logDamaged, "the identity file and the log belong to different stores", path: path)
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
