internal import MessageStoreLMDB

/// The rows of all views at one position of the log: those of the write buffer over those of the views' environment.
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
    /// Those of the log's snapshot.
    package let symbols: SymbolTable
    /// Whether the layers below the filling one hold facts that came before their message.
    private let hasParkedBelow: Bool
    /// Whether they hold stretches of timelines that end in a gap.
    private let hasGapsBelow: Bool
    /// Whether they hold timers of messages or conversations.
    private let hasTimersBelow: Bool
    /// Whether they hold chat rooms that were left.
    private let hasLeftRoomsBelow: Bool
    /// The projections whose rows these are.
    let plan: FoldPlan
    /// A bit for each table that has no rows of this position, because its projection is being rebuilt.
    private var unavailable: UInt64
    /// Whether a host's projection is at work on these views: it sees no contents, and of tables only its own and those
    /// of projections that it declares to read.
    package private(set) var isLentToProjection = false
    let rebuild: RebuildState
    /// The moment of the read, by the store's clock; nil for views of the past and in folds.
    package var moment: Timestamp?
    /// When rows changed; nil where that is not noted, because nothing is kept that was made of them.
    var history: RowHistory?
    /// What is made of these rows and kept depends on.
    let reads = RowReads()
    /// Whether anything is kept that is made of these rows.
    private(set) var keepsValues = false

    init(
        active: RowLayer, frozen: RowLayer?, base: consuming ReadTransaction?, _ stored: StoredRows,
        tables: [MessageStoreLMDB.Table],
        log: consuming LogSnapshot, plan: FoldPlan, rebuild: RebuildState, history: RowHistory? = nil
    ) {
        identities = stored.identities
        hasParkedBelow = stored.hasParked || frozen?.isEmpty(Messages.parked.place) == false
        hasGapsBelow = stored.hasGaps || frozen?.isEmpty(Timeline.ranges.place) == false
        hasTimersBelow = stored.hasTimers || frozen?.isEmpty(Timers.timers.place) == false
        hasLeftRoomsBelow = stored.hasLeftRooms || frozen?.isEmpty(Timeline.returns.place) == false
        self.active = active
        self.frozen = frozen
        hasFrozen = frozen != nil
        self.base = base
        self.tables = tables
        symbols = log.symbols
        self.log = log
        self.plan = plan
        unavailable = plan.unavailable
        self.rebuild = rebuild
        self.history = history
    }

    /// The position that every read through this value sees.
    package var position: Position { active.position }

    /// The time that limits are compared with: that of the read, else that at which the last event was recorded.
    package borrowing func time() throws -> Timestamp {
        if let moment { return moment }
        guard position > .origin else { return .unknown }
        guard let time = try log.now(at: position) else {
            throw StoreError(.recordDamaged, "the record is missing", position: position)
        }
        return time
    }

    /// The row of `key`, or nil. Valid until the next change.
    @_lifetime(borrow self)
    package borrowing func row(_ table: ViewTable, _ key: RawSpan) throws -> RawSpan? {
        if unavailable & table.bit != 0 { throw rebuildingError(table) }
        let value = try rowBytes(table, key)
        if keepsValues { reads.note(table, key.withUnsafeBytes { $0 }, bytes: value?.count ?? 0) }
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
        if table.isInChunks {
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

    /// The identities of the frozen layer, over those of the environment's runs; puts them in order. Nil for none.
    private borrowing func identitiesOverTable(_ range: ClosedRange<UInt64>) throws -> RowTree? {
        var tree = RowTree()
        switch base {
        case .some(let base): for entry in try identities?.entries(range, in: base) ?? [] { tree.set(entry) }
        case .none: break
        }
        frozen?.addIdentities(range, to: &tree)
        return tree.isEmpty ? nil : tree
    }

    /// Whether facts wait for any message, which is rare.
    var hasParked: Bool { hasParkedBelow || !active.isEmpty(Messages.parked.place) }

    /// Whether any timeline has a stretch that ends in a gap.
    var hasGaps: Bool { hasGapsBelow || !active.isEmpty(Timeline.ranges.place) }

    /// Whether anything has a timer, or had one: mostly nothing.
    var hasTimers: Bool { hasTimersBelow || !active.isEmpty(Timers.timers.place) }

    /// Whether any chat room was left and purged, which is rare.
    var hasLeftRooms: Bool { hasLeftRoomsBelow || !active.isEmpty(Timeline.returns.place) }

    /// Whether the rows of a table can be read.
    func isAvailable(_ table: ViewTable) -> Bool { unavailable & table.bit == 0 }

    /// - Throws: ``StoreError`` where the rows of a table cannot be read.
    borrowing func checkAvailable(_ table: ViewTable) throws {
        if !isAvailable(table) { throw rebuildingError(table) }
    }

    /// Why the rows of a table cannot be read.
    private func rebuildingError(_ table: ViewTable) -> StoreError {
        let id = plan.catalog.owner(of: table)?.declaration.id
        guard plan.unavailable & table.bit == 0, let id else { return rebuild.error(id) }
        return StoreError(.invalidArgument, "the projection at work does not declare to read \(id)")
    }

    /// Limits what is seen to the tables of some projections, since others keep rows decoded.
    mutating func limit(to projections: ProjectionSet) {
        unavailable |= ~plan.catalog.tableBits(of: projections)
    }

    /// Limits what is seen to the tables of some projections, and to what redaction leaves.
    mutating func lend(tables: UInt64) {
        isLentToProjection = true
        unavailable = plan.unavailable | ~tables
    }

    /// Ends what ``lend(tables:)`` began.
    mutating func takeBack() {
        isLentToProjection = false
        unavailable = plan.unavailable
    }

    /// Lets values be kept that are made of these rows, which nobody changes.
    mutating func keepValues() { keepsValues = true }

    /// Lets no values be kept: the rows are to be changed.
    mutating func keepNoValues() { keepsValues = false }

    /// When rows changed, where values may be kept that are made of these rows.
    var keepingHistory: RowHistory? { keepsValues ? history : nil }

    /// Notes that the rows of a conversation are read of a table whose keys begin with its number.
    borrowing func noteReading(_ table: ViewTable, of conversation: ConversationNumber) {
        guard keepsValues else { return }
        withUnsafeBytes(of: conversation.rawValue.bigEndian) { reads.note(table, $0, bytes: 0) }
    }

    /// A cursor over the merged rows of `table`, ascending from `start` (inclusive) or the first.
    @_lifetime(borrow self)
    package borrowing func rows(_ table: ViewTable, from start: RawSpan? = nil) throws -> RowCursor {
        if keepsValues { reads.noteOther() }
        let cursor = try cursor(table, ascending: true, bound: start)
        return _overrideLifetime(cursor, borrowing: self)
    }

    /// A cursor over the merged rows of `table`, descending from below `end` (exclusive) or from the last.
    @_lifetime(borrow self)
    package borrowing func rowsBackwards(_ table: ViewTable, before end: RawSpan? = nil) throws -> RowCursor {
        if keepsValues { reads.noteOther() }
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
        if table.isInChunks, let chunks = try chunkCursor(table) { return StoredCursor(chunks) }
        return StoredCursor(table, try base?.unboundCursor(in: tables[table.index]) ?? UnboundCursor())
    }

    /// A cursor over the chunks of a table that nobody walks by; nil where nothing was ever flushed.
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
        try checkAvailable(table)
        return try RowCursor(
            table, active: active[table], frozen: frozen?[table], base: try storedCursor(table), ascending: ascending,
            bound: bound?.withUnsafeBytes { $0 })
    }

    /// A cursor over identities; of those that are in no tree it has the ones whose keys begin with a number of a range.
    @_lifetime(immortal)
    borrowing func identityCursor(
        _ range: ClosedRange<UInt64>, ascending: Bool, bound: RawSpan?
    ) throws -> RowCursor {
        try checkAvailable(.identities)
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
