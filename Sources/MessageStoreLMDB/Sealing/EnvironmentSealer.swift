internal import MessageStoreCLMDB
internal import MessageStoreSealing

/// The subkey by which a process seals in an environment, and how many seals it has made.
///
/// Write transactions alone use it, one at a time.
final class SealOpening: @unchecked Sendable {
    /// The key of its row in the table of openings.
    @exclusivity(unchecked) fileprivate(set) var number: UInt32 = 0
    fileprivate let salt: [UInt8]
    let cipher: AuthenticatedCipher
    /// Memory for the associated bytes of one seal.
    let associated = ReusedMemory()
    @exclusivity(unchecked) private var count: UInt64 = 0

    /// A transaction begins with another opening from here on.
    private static let exhausted = AuthenticatedCipher.greatestCount / 2

    fileprivate init(_ salt: [UInt8], _ cipher: AuthenticatedCipher) { (self.salt, self.cipher) = (salt, cipher) }

    fileprivate var isExhausted: Bool { count >= Self.exhausted }

    /// The number of the next seal; nil if a transaction made as many as a key may make.
    func next() -> UInt64? {
        guard count < AuthenticatedCipher.greatestCount else { return nil }
        defer { count += 1 }
        return count
    }
}

/// The subkeys by which the values of an environment are sealed.
///
/// A subkey follows from the environment's key, 16 random bytes of the environment's own, and 16 random bytes of the
/// opening. All are rows of the table `openings`: the first under 0, with a code that only the right key makes, the others
/// from the first commit of an opening on. A seal's nonce is a number that counts in memory. If a commit is lost or taken
/// back, the opening's bytes never come again, and so no nonce comes twice under a subkey (SP 800-38D §8.2.1).
final class EnvironmentSealer: Sendable {
    private struct State {
        var current: SealOpening?
        var ciphers: [UInt32: AuthenticatedCipher] = [:]
    }

    static let tableName = "openings"
    static let saltSize = 16
    /// As many ciphers are kept, of some 4 KB each.
    private static let keptCiphers = 16

    /// The key of this environment alone: values of another one that was made with the same key do not open here.
    let key: SecretKey
    private let table: Table
    private let state = Locked(State())

    /// Reads the environment's own random bytes, or writes them to a new one.
    ///
    /// - Throws: ``LMDBError`` with code `brokenSeal` if the key is not the environment's.
    init(_ key: SecretKey, of environment: Environment, create: Bool) throws {
        do { table = try environment.openTables([Self.tableName], create: create)[0] } catch let error as LMDBError
            where error.code == .notFound
        {
            throw LMDBError(
                .brokenSeal, operation: "open", path: environment.path,
                detail: "the files are not sealed, or lack the table of openings",
                isInCache: environment.configuration.isCache)
        }
        let row = withUnsafeBytes(of: UInt32(0)) { [UInt8]($0) }
        guard create else {
            let found = try environment.read { [table] transaction in
                try transaction.value(for: row.span.bytes, in: table)?.withUnsafeBytes { [UInt8]($0) } ?? []
            }
            guard let own = Self.key(key, checkedBy: found) else {
                throw LMDBError(
                    .brokenSeal, operation: "open", path: environment.path, detail: "the key is not that of the files",
                    isInCache: environment.configuration.isCache)
            }
            self.key = own
            return
        }
        let salt = SecretKey.randomBytes(Self.saltSize)
        self.key = Self.key(key, salt)
        let value = salt + Self.code(self.key)
        try environment.write { [table] in try $0.put(value.span.bytes, for: row.span.bytes, in: table) }
    }

    /// The key of the environment with these bytes in the row under 0; nil if another key made them.
    static func key(_ key: SecretKey, checkedBy row: [UInt8]) -> SecretKey? {
        let own = Self.key(key, Array(row.prefix(saltSize)))
        return row.dropFirst(saltSize).elementsEqual(code(own)) ? own : nil
    }

    private static func key(_ key: SecretKey, _ salt: [UInt8]) -> SecretKey {
        key.derived(salt: salt, info: Array("environment".utf8))
    }

    /// A code from which the key does not follow.
    private static func code(_ key: SecretKey) -> [UInt8] {
        Array("check".utf8).withUnsafeBytes { key.keyedHash($0) }
    }

    /// The opening by which a write transaction seals, whose row is in the environment or in the transaction.
    func opening(in transaction: borrowing WriteTransaction) throws -> SealOpening {
        try state.withLock { state throws in
            var opening = state.current
            if opening?.isExhausted ?? true {
                let salt = SecretKey.randomBytes(Self.saltSize)
                opening = SealOpening(salt, key.cipher(salt))
                state.current = opening
            }
            guard let opening else { preconditionFailure("an opening was just made") }
            // The commit of the row may have been lost.
            if opening.number > 0, salt(opening.number, in: transaction.handle) == opening.salt { return opening }
            var cursor = try transaction.cursor(in: table)
            var last = UInt32.max
            if try cursor.move(.last), cursor.key.byteCount == 4 {
                last = cursor.key.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
            }
            guard last < .max else {
                throw LMDBError(
                    .corrupted, operation: "begin to seal", path: transaction.environment.path,
                    detail: "the table of openings has a key of a wrong length")
            }
            opening.number = last + 1
            let salt = opening.salt
            try withUnsafeBytes(of: opening.number.bigEndian) { key in
                try transaction.put(salt.span.bytes, for: RawSpan(_unsafeBytes: key), in: table, mode: .append)
            }
            return opening
        }
    }

    /// The cipher of an opening that a transaction sees; nil if there is none with the number.
    ///
    /// - Parameter isCommitted: Whether the transaction sees only what is committed.
    func cipher(_ number: UInt32, in transaction: OpaquePointer, isCommitted: Bool) -> AuthenticatedCipher? {
        state.withLock { state in
            if let known = state.ciphers[number] { return known }
            guard let salt = salt(number, in: transaction) else { return nil }
            let cipher = key.cipher(salt)
            guard isCommitted else { return cipher }
            if state.ciphers.count >= Self.keptCiphers { state.ciphers = [:] }
            state.ciphers[number] = cipher
            return cipher
        }
    }

    private func salt(_ number: UInt32, in transaction: OpaquePointer) -> [UInt8]? {
        var salt = MDB_val()
        let code = withUnsafeBytes(of: number.bigEndian) { bytes in
            var key = MDB_val(bytes)
            return mdb_get(transaction, table.handle, &key, &salt)
        }
        guard code == 0, number > 0, salt.mv_size == Self.saltSize else { return nil }
        return [UInt8](salt.bytes)
    }
}
