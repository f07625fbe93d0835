internal import MessageStoreCLMDB
internal import MessageStoreSealing

/// Opens sealed values for one transaction, in whose thread it is used.
package final class ValueOpener {
    private let environment: Environment
    private let sealer: EnvironmentSealer
    private let transaction: OpaquePointer
    /// The opening by which the transaction seals; nil if it only reads.
    private let opening: SealOpening?
    /// The opening that sealed the last value: mostly that of the next one, too.
    @exclusivity(unchecked) private var last: (number: UInt32, cipher: AuthenticatedCipher)?
    /// Memory for the associated bytes of one seal.
    private let associated = ReusedMemory()
    /// Memory for values that live as long as the transaction.
    @exclusivity(unchecked) private var chunks: [UnsafeMutableRawBufferPointer] = []
    @exclusivity(unchecked) private var used = 0

    private static let chunkSize = 16 << 10

    /// - Returns: nil if nothing in the environment is sealed.
    init?(_ environment: Environment, _ transaction: OpaquePointer, _ opening: SealOpening? = nil) {
        guard let sealer = environment.sealer else { return nil }
        (self.environment, self.sealer, self.transaction, self.opening) = (environment, sealer, transaction, opening)
    }

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// The number of the last commit that the transaction sees; nil if it also sees its own writes.
    var commitNumber: Int? { opening == nil ? mdb_txn_id(transaction) : nil }

    /// The open bytes of a stored value; they stay as long as the transaction.
    ///
    /// - Throws: ``LMDBError`` with code `brokenSeal`, or `failedChecksum` if the stored bytes have
    ///   changed.
    func value(
        _ stored: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer, in table: Table, _ seal: TableSeal
    ) throws(LMDBError) -> UnsafeRawBufferPointer {
        try open(stored, of: key, in: table, seal) { allocate($0) }
    }

    /// Opens a stored value into memory that `allocate` answers.
    func open(
        _ stored: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer, in table: Table, _ seal: TableSeal,
        renewsChecksum: Bool = true, to allocate: (Int) -> UnsafeMutableRawPointer
    ) throws(LMDBError) -> UnsafeRawBufferPointer {
        if let size = TableSeal.openedSize(stored) {
            let memory = allocate(size)
            let cipher = cipher(TableSeal.opening(of: stored))
            if seal.open(stored, of: key, to: memory, renewsChecksum: renewsChecksum, by: cipher, associated) {
                return UnsafeRawBufferPointer(start: memory, count: size)
            }
        }
        throw broken(table, isIntact: seal.isIntact(stored, of: key))
    }

    /// The error of a value that cannot be opened.
    ///
    /// - Parameter isIntact: Whether it has the checksum that it was written with.
    func broken(_ table: Table, isIntact: Bool = true) -> LMDBError {
        LMDBError(
            isIntact ? .brokenSeal : .failedChecksum, operation: "read from \(table.name)", path: environment.path,
            detail: isIntact ? "the seal of a value does not fit" : "a sealed value fails its checksum",
            isInCache: environment.configuration.isCache)
    }

    func check(_ code: Int32, _ table: Table) throws(LMDBError) {
        try environment.check(code, "read from \(table.name)")
    }

    private func cipher(_ number: UInt32) -> Unmanaged<AuthenticatedCipher>? {
        if last != nil, last?.number == number { return last.map { Unmanaged.passUnretained($0.cipher) } }
        let own = opening.flatMap { $0.number == number ? $0.cipher : nil }
        guard let cipher = own ?? sealer.cipher(number, in: transaction, isCommitted: opening == nil) else {
            return nil
        }
        last = (number, cipher)
        return Unmanaged.passUnretained(cipher)
    }

    private func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        let size = (count + 15) & ~15
        if let chunk = chunks.last, let start = chunk.baseAddress, used + size <= chunk.count {
            defer { used += size }
            return start + used
        }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, Self.chunkSize), alignment: 16)
        chunks.append(chunk)
        used = size
        guard let start = chunk.baseAddress else { preconditionFailure("memory without an address") }
        return start
    }
}

/// Memory for one value at a time, which grows.
final class ReusedMemory {
    // Each value would pay for the check.
    @exclusivity(unchecked) private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { memory.deallocate() }

    func reserve(_ count: Int) -> UnsafeMutableRawPointer {
        if memory.count < max(count, 1) {
            memory.deallocate()
            memory = .allocate(byteCount: max(2 * count, 512), alignment: 16)
        }
        guard let start = memory.baseAddress else { preconditionFailure("memory without an address") }
        return start
    }
}

/// The open value where a cursor is.
///
/// Cursors keep one object, since each field of theirs that is looked at costs two counts of references.
final class OpenedValue {
    /// The value; nil until somebody looks at it.
    var value: UnsafeRawBufferPointer?
    /// The rows by which a table is walked whose keys are hidden.
    let rows: HiddenRows?
    private let table: Table
    private let seal: TableSeal
    private let opener: ValueOpener
    private let memory = ReusedMemory()

    /// - Parameter handle: A cursor of LMDB's that nobody else moves.
    /// - Returns: nil if the table is not sealed.
    init?(_ handle: OpaquePointer, _ table: Table, _ opener: ValueOpener) {
        guard let seal = table.seal else { return nil }
        (self.table, self.seal, self.opener) = (table, seal, opener)
        rows = HiddenRows(handle, table, opener)
    }

    /// Opens the value where the cursor is, once.
    func open(
        _ stored: UnsafeRawBufferPointer, of key: UnsafeRawBufferPointer, renewsChecksum: Bool
    ) throws(LMDBError) -> UnsafeRawBufferPointer {
        if let value { return value }
        let open =
            if let rows {
                try rows.openValue { memory.reserve($0) }
            } else {
                try opener.open(stored, of: key, in: table, seal, renewsChecksum: renewsChecksum) { memory.reserve($0) }
            }
        value = open
        return open
    }
}
