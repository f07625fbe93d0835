internal import MessageStoreCLMDB
internal import MessageStoreSealing

/// One process's use of an environment for sealing: its subkey, and how many seals it has made.
final class SealOpening: @unchecked Sendable {  // It belongs to the write transaction, of which there is one at a time.
    /// The key of its row in the table of openings.
    fileprivate(set) var number: UInt32 = 0
    fileprivate let salt: [UInt8]
    fileprivate var isCommitted = false
    let cipher: AuthenticatedCipher
    private var count: UInt64 = 0

    /// No transaction makes as many seals as are left from here on: LMDB's have room for 2¹⁷ changed pages.
    private static let exhausted = AuthenticatedCipher.greatestCount / 2
    fileprivate static let saltSize = 16

    fileprivate init(_ salt: [UInt8], _ cipher: AuthenticatedCipher) { (self.salt, self.cipher) = (salt, cipher) }

    fileprivate var isExhausted: Bool { count >= Self.exhausted }

    /// The number of the next seal.
    func next() -> UInt64 {
        defer { count += 1 }
        return count
    }
}

/// The subkeys by which the values of an environment are sealed.
///
/// A subkey follows from the environment's key, 16 random bytes of the environment's own, and 16 random bytes of the
/// opening. All are rows of the table `openings`: the first under 0 since the environment was made, the others from the
/// first commit with a seal of theirs on. A seal's nonce is a number that counts in memory. If a commit is lost or taken
/// back, the opening's bytes never come again, and so no nonce comes twice under a subkey (SP 800-38D §8.2.1).
final class EnvironmentSealer: Sendable {
    private struct State {
        var current: SealOpening?
        var ciphers: [UInt32: AuthenticatedCipher] = [:]
    }

    static let tableName = "openings"

    /// The key of this environment alone: values of another one that was made with the same key do not open here.
    private let key: SecretKey
    private let table: Table
    private let state = Locked(State())

    /// Reads the environment's own random bytes, or writes them to a new one.
    init(_ key: SecretKey, of environment: Environment, create: Bool) throws {
        let table = try environment.openTables([Self.tableName], create: create)[0]
        let row = withUnsafeBytes(of: UInt32(0)) { [UInt8]($0) }
        var salt = SecretKey.randomBytes(SealOpening.saltSize)
        if create {
            try environment.write { [salt] in try $0.put(salt.span.bytes, for: row.span.bytes, in: table) }
        } else {
            salt = try environment.read { transaction in
                try transaction.value(for: row.span.bytes, in: table)?.withUnsafeBytes { [UInt8]($0) } ?? []
            }
        }
        guard salt.count == SealOpening.saltSize else {
            throw LMDBError(
                .brokenSeal, operation: "open", path: environment.path,
                detail: "the table of openings lacks the environment's row",
                isInCache: environment.configuration.isCache)
        }
        self.key = key.derived(salt: salt, info: Array("environment".utf8))
        self.table = table
    }

    private func cipher(_ salt: [UInt8]) -> AuthenticatedCipher {
        AuthenticatedCipher(key.derived(salt: salt, info: Array("opening".utf8)))
    }

    /// The opening by which a write transaction seals; it has a row, which the transaction may write.
    func opening(in transaction: borrowing WriteTransaction) throws -> SealOpening {
        try state.withLock { state throws in
            let opening: SealOpening
            if let current = state.current, !current.isExhausted {
                opening = current
            } else {
                let salt = SecretKey.randomBytes(SealOpening.saltSize)
                opening = SealOpening(salt, cipher(salt))
                state.current = opening
            }
            guard !opening.isCommitted else { return opening }
            var cursor = try transaction.cursor(in: table)
            var last = UInt32.max
            if try cursor.move(.last), cursor.key.byteCount == 4 {
                last = cursor.key.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
            }
            guard last < .max else {
                throw LMDBError(
                    .corrupted, operation: "begin to seal", path: transaction.environment.path,
                    detail: "the table of openings has a key that is none")
            }
            opening.number = last + 1
            let salt = opening.salt
            try withUnsafeBytes(of: opening.number.bigEndian) { key in
                try transaction.put(salt.span.bytes, for: RawSpan(_unsafeBytes: key), in: table, mode: .append)
            }
            return opening
        }
    }

    /// Notes that a transaction with the row of the current opening was committed.
    func noteCommitted() {
        state.withLock { state in
            guard let current = state.current else { return }
            current.isCommitted = true
            state.ciphers[current.number] = current.cipher
        }
    }

    /// The cipher of an opening that a transaction sees; nil if there is none with the number.
    func cipher(_ number: UInt32, in transaction: OpaquePointer) -> AuthenticatedCipher? {
        state.withLock { state in
            if let known = state.ciphers[number] { return known }
            // The transaction's own, which is not committed.
            if let current = state.current, current.number == number { return current.cipher }
            var salt = MDB_val()
            let code = withUnsafeBytes(of: number.bigEndian) { bytes in
                var key = MDB_val(bytes)
                return mdb_get(transaction, table.handle, &key, &salt)
            }
            guard code == 0, number > 0, salt.mv_size == SealOpening.saltSize else { return nil }
            let cipher = cipher([UInt8](salt.bytes))
            state.ciphers[number] = cipher
            return cipher
        }
    }
}
