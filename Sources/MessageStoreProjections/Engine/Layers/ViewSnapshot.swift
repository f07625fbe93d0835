internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// The rows of all views at one position of the log: the write buffer's over the views' environment's.
///
/// Folds and queries read rows through it. It holds read transactions, so the compiler keeps it on its thread.
package struct ViewSnapshot: ~Copyable {
    var active: RowLayer
    let frozen: RowLayer?
    private let hasFrozen: Bool
    /// The views' environment at the frozen layer's base; nil while nothing was ever flushed.
    let base: ReadTransaction?
    /// The identities that the environment holds outside their table.
    let identities: StoredIdentities?
    let tables: [MessageStoreLMDB.Table]
    package let log: LogSnapshot
    /// Symbols of the log's snapshot.
    package let symbols: SymbolTable
    /// A bit for each rare table with rows in a layer below the filling one.
    private let rareBelow: UInt64
    /// The reader's rights.
    package var scope: ReadScope
    /// Notes of what is read, and cursors for the next read.
    let reads = RowReads()

    init(
        active: RowLayer, frozen: RowLayer?, base: consuming ReadTransaction?, _ stored: StoredRows,
        tables: [MessageStoreLMDB.Table],
        log: consuming LogSnapshot, _ scope: consuming ReadScope
    ) {
        identities = stored.identities
        var rare = stored.rare
        if let frozen {
            for table in ViewTable.rare where !frozen.isEmpty(table) { rare |= table.bit }
        }
        rareBelow = rare
        self.active = active
        self.frozen = frozen
        hasFrozen = frozen != nil
        self.base = base
        self.tables = tables
        symbols = log.symbols
        self.log = log
        self.scope = scope
    }

    /// The position that every read through this value sees.
    package var position: Position { active.position }

    /// The time that limits are compared with: the read's, else the time at which the last event was recorded.
    package borrowing func time() throws -> Timestamp {
        if let moment = scope.moment { return moment }
        guard position > .origin else { return .unknown }
        guard let time = try log.now(at: position) else {
            throw StoreError(.recordDamaged, "the record is missing", position: position)
        }
        return time
    }

    /// The row of `key`, or nil. Valid until the next change.
    @_lifetime(borrow self)
    package borrowing func row(_ table: ViewTable, _ key: RawSpan) throws -> RawSpan? {
        try scope.check(table)
        let value = try rowBytes(table, key)
        if scope.keepsValues { reads.note(table, key.withUnsafeBytes { $0 }, bytes: value?.count ?? 0) }
        guard let value else { return nil }
        return _overrideLifetime(RawSpan(_unsafeBytes: value), borrowing: self)
    }

    @inline(__always)
    private borrowing func rowBytes(_ table: ViewTable, _ key: RawSpan) throws -> UnsafeRawBufferPointer? {
        switch active.lookup(table, key.withUnsafeBytes { $0 }) {
        case .found(let value): value
        case .deleted: nil
        case .absent: try rowBytesBelowActive(table, key)
        }
    }

    /// The row whose key is a number, or nil; spares the key's bytes an array.
    @_lifetime(borrow self)
    borrowing func row<Number: FixedWidthInteger>(_ table: ViewTable, at number: Number) throws -> RawSpan? {
        let key = number.bigEndian
        let found = try withUnsafeBytes(of: key) { key in
            try row(table, RawSpan(_unsafeBytes: key))?.withUnsafeBytes { $0 }
        }
        guard let found else { return nil }
        return _overrideLifetime(RawSpan(_unsafeBytes: found), borrowing: self)
    }

    /// The row of `key` as it was before the filling layer.
    @_lifetime(borrow self)
    borrowing func rowBelowActive(_ table: ViewTable, _ key: RawSpan) throws -> RawSpan? {
        guard let value = try rowBytesBelowActive(table, key) else { return nil }
        return _overrideLifetime(RawSpan(_unsafeBytes: value), borrowing: self)
    }

    /// Whether anything lies below the filling layer.
    var hasRowsBelow: Bool {
        guard !hasFrozen else { return true }
        return switch base {
        case .some: true
        case .none: false
        }
    }

    /// The row of `key` in the environment alone.
    @_lifetime(borrow self)
    borrowing func rowInBase(_ table: ViewTable, _ key: RawSpan) throws -> RawSpan? {
        guard let value = try rowBytesInBase(table, key) else { return nil }
        return _overrideLifetime(RawSpan(_unsafeBytes: value), borrowing: self)
    }

    private borrowing func rowBytesBelowActive(_ table: ViewTable, _ key: RawSpan) throws -> UnsafeRawBufferPointer? {
        // Mostly so; and looking into an optional layer copies it.
        guard hasFrozen else { return try rowBytesInBase(table, key) }
        return switch frozen?.lookup(table, key.withUnsafeBytes { $0 }) {
        case .found(let value): value
        case .deleted: nil
        case .absent, .none: try rowBytesInBase(table, key)
        }
    }

    private borrowing func rowBytesInBase(_ table: ViewTable, _ key: RawSpan) throws -> UnsafeRawBufferPointer? {
        if table.traits.contains(.inChunks) {
            return try chunkCursor(table)?.value(for: key.withUnsafeBytes { $0 })
        }
        if let value = try base?.value(for: key, in: tables[table.index]) { return value.withUnsafeBytes { $0 } }
        return table == .identities ? try identityBytesInRuns(key) : nil
    }

    /// The position of an identity that is in a run of the environment.
    private borrowing func identityBytesInRuns(_ key: RawSpan) throws -> UnsafeRawBufferPointer? {
        switch base {
        case .some(let base): try identities?.lookup(key, in: base)
        case .none: nil
        }
    }

    /// The identities of the frozen layer, over the identities of the environment's runs; puts them in order. Nil for
    /// none.
    private borrowing func identitiesOverTable(_ range: ClosedRange<UInt64>) throws -> RowTree? {
        var tree = RowTree()
        switch base {
        case .some(let base): for entry in try identities?.entries(range, in: base) ?? [] { tree.set(entry) }
        case .none: break
        }
        frozen?.addIdentities(range, to: &tree)
        return tree.isEmpty ? nil : tree
    }

    /// Whether a rare table has rows.
    @inline(__always)
    func hasRows(_ table: Table<some ViewKey, some ViewRow>) -> Bool {
        rareBelow & table.viewTable.bit != 0 || !active.isEmpty(table.viewTable)
    }

    /// The projections whose rows these are.
    @inline(__always) var plan: FoldPlan { scope.plan }

    /// Notes that the rows of a conversation are read of a table whose keys begin with its number.
    borrowing func noteReading(_ table: ViewTable, of conversation: ConversationNumber) {
        guard scope.keepsValues else { return }
        withUnsafeBytes(of: conversation.rawValue.bigEndian) { reads.note(table, $0, bytes: 0) }
    }

    /// A cursor over the merged rows of `table`, ascending from `start` (inclusive) or the first.
    @_lifetime(borrow self)
    package borrowing func rows(_ table: ViewTable, from start: RawSpan? = nil) throws -> RowCursor {
        if scope.keepsValues { reads.noteOther() }
        let cursor = try cursor(table, ascending: true, bound: start)
        return _overrideLifetime(cursor, borrowing: self)
    }

    /// A cursor over the merged rows of `table`, descending from below `end` (exclusive) or from the last.
    @_lifetime(borrow self)
    package borrowing func rowsBackwards(_ table: ViewTable, before end: RawSpan? = nil) throws -> RowCursor {
        if scope.keepsValues { reads.noteOther() }
        let cursor = try cursor(table, ascending: false, bound: end)
        return _overrideLifetime(cursor, borrowing: self)
    }

    /// How many rows a table has at most: one that several layers have is counted in each. Costs no walk.
    borrowing func greatestRowCount(_ table: ViewTable) throws -> Int {
        let stored = try base?.statistics(of: tables[table.index]).entries ?? 0
        return stored + (frozen?[table].count ?? 0) + active[table].count
    }

    @inline(__always)
    private borrowing func storedCursor(_ table: ViewTable) throws -> StoredCursor {
        if table.traits.contains(.inChunks), let chunks = try chunkCursor(table) { return StoredCursor(chunks) }
        return StoredCursor(table, try base?.unboundCursor(in: tables[table.index]) ?? UnboundCursor())
    }

    /// A cursor over the chunks of a table that nobody walks by; nil if nothing was ever flushed.
    @inline(never)
    borrowing func chunkCursor(_ table: ViewTable) throws -> ChunkCursor? {
        switch base {
        case .some(let base): try reads.chunkCursors.free(table) { try base.unboundCursor(in: tables[table.index]) }
        case .none: nil
        }
    }

    /// The callers bind the cursor to `self`, which holds the transaction.
    @_lifetime(immortal)
    borrowing func cursor(_ table: ViewTable, ascending: Bool, bound: RawSpan?) throws -> RowCursor {
        if table == .identities { return try identityCursor(0 ... .max, ascending: ascending, bound: bound) }
        try scope.check(table)
        return try RowCursor(
            table, active: active[table], frozen: frozen?[table], base: try storedCursor(table), ascending: ascending,
            bound: bound?.withUnsafeBytes { $0 })
    }

    /// A cursor over identities; of identities in no tree it has the ones whose keys begin with a number of a range.
    @_lifetime(immortal)
    borrowing func identityCursor(
        _ range: ClosedRange<UInt64>, ascending: Bool, bound: RawSpan?
    ) throws -> RowCursor {
        try scope.check(.identities)
        return try RowCursor(
            .identities, active: active.identities(range), frozen: try identitiesOverTable(range),
            base: try storedCursor(.identities), ascending: ascending, bound: bound?.withUnsafeBytes { $0 })
    }
}

extension ViewSnapshot {
    /// Checks the structures of the write buffer and that its layers lie on one another and on the checkpoint.
    ///
    /// For tests: costs a step for each buffered row.
    package borrowing func checkInvariants() throws {
        try active.checkInvariants()
        try frozen?.checkInvariants()
        let stored = try storedCheckpoint()?.position ?? .origin
        try BrokenInvariant.check(
            active.base == frozen?.position ?? stored, "the filling layer is based on \(active.base)")
        // A frozen layer is kept for a moment after it was written.
        if let frozen {
            try BrokenInvariant.check(
                stored == frozen.base || stored == frozen.position,
                "the frozen layer of \(frozen.base) to \(frozen.position) lies on a checkpoint at \(stored)")
        }
        try BrokenInvariant.check(try position <= log.lastPosition(), "the views are ahead of the log")
    }
}

extension ViewSnapshot {
    /// The row of `key`, decoded, or nil if there is none.
    borrowing func decoded<Row: ViewRow>(_ table: ViewTable, _ key: RawSpan) throws -> Row? {
        guard let bytes = try row(table, key) else { return nil }
        return try Row(bytes, of: table, at: key)
    }

    /// The record that a row of a table names; a named record is there.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged` where the log has lost the record, `rebuilding` where it was
    ///   cut off a moment ago, `viewsDamaged` where the row names a place that these views do not reach.
    @_lifetime(borrow self)
    borrowing func record(at named: Position, namedBy table: ViewTable) throws -> RecordView {
        guard named > .origin, named <= position else { throw StoreError.danglingRow(in: table, position: named) }
        guard let record = try log.record(at: named) else {
            if try log.gap(at: named) != nil {
                throw StoreError(.rebuilding, "the views are made from what is left of the log", position: named)
            }
            throw StoreError(.recordDamaged, "the record is missing", position: named)
        }
        if scope.keepsValues { reads.note(bytes: record.bytes.byteCount) }
        return _overrideLifetime(record, borrowing: self)
    }

    /// Calls `body` with the record that a row of a table names; in a replay of other events, which may share a
    /// position, with each of those at that position, in their order.
    ///
    /// - Throws: As ``record(at:namedBy:)``.
    borrowing func forEachRecord(
        at named: Position, namedBy table: ViewTable, _ body: (RecordView) throws -> Void
    ) throws {
        let record = try record(at: named, namedBy: table)
        if try !log.forEachReplacement(at: named, body) { try body(record) }
    }
}

/// Values that every read asks of one commit of the views' environment; looked up once for all of them.
struct StoredRows: Sendable {
    /// The commit; nil if there is no environment.
    let commitNumber: UInt64?
    /// A bit for each rare table that has rows.
    private(set) var rare: UInt64 = 0
    /// The identities that it holds outside their table; nil if it holds none there.
    private(set) var identities: StoredIdentities?

    /// - Throws: ``StoreError`` with code `viewsDamaged` where the environment has no checkpoint that can be read.
    init(in base: borrowing ReadTransaction?, of environment: ViewEnvironment?) throws {
        switch base {
        case .none:
            commitNumber = nil
            guard environment == nil else { throw StoreError.unusableCheckpoint(path: nil) }
        case .some(let base):
            commitNumber = base.commitNumber
            guard let environment else { return }
            let (key, tables) = (Checkpoint.key, environment.tables)
            guard let row = try base.value(for: key.span.bytes, in: environment.meta),
                Checkpoint.position(row) != nil
            else { throw StoreError.unusableCheckpoint(path: nil) }
            let identities = try StoredIdentities(in: base, environment.identityRuns)
            if !identities.unmoved.isEmpty { self.identities = identities }
            for table in ViewTable.rare where try base.statistics(of: tables[table.index]).entries > 0 {
                rare |= table.bit
            }
        }
    }

    /// Whether a read sees what another one saw of the same environment.
    func isStill(in base: borrowing ReadTransaction?) -> Bool {
        switch base {
        case .none: commitNumber == nil
        case .some(let base): commitNumber == base.commitNumber
        }
    }
}
