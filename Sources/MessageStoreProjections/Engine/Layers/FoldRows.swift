@_spi(Storage) internal import MessageStoreLog

/// The rows that a fold changes: it reads them through the snapshot, and its changes are seen there.
package struct FoldRows: ~Copyable {
    /// The views that answer queries of a host's projection.
    private(set) var views: Views
    #if DEBUG
    /// A bit for each table that the projection at work may change.
    var writable = UInt64.max
    #endif
    /// The part of the conversations whose events are folded; nil for all.
    var shard: FoldShard?
    private var value = ByteWriter(capacity: 64)
    /// The identities of the batch that is being folded, as they were found when it was prepared, and which come next.
    private var claims: [ClaimedIdentity] = []
    private var nextClaim = 0
    /// The first and last record whose identities they are.
    private var claiming = (first: Position.origin, last: Position.origin)

    /// - Parameter snapshot: Its filling layer takes the written rows.
    package init(_ snapshot: consuming ViewSnapshot) {
        views = Views(snapshot)
        views.snapshot.scope.keepNoValues()
    }

    /// The rows as they are now.
    package var snapshot: ViewSnapshot {
        @inline(__always) _read { yield views.snapshot }
    }

    /// Collects what is decided against events; nil but in a replay.
    var reports: FoldReports? { views.snapshot.scope.plan.reports }

    /// The position that the rows are the fold of.
    var position: Position {
        @inline(__always) get { views.snapshot.active.position }
        @inline(__always) set { views.snapshot.active.position = newValue }
    }

    /// Sets the row of `key`.
    @inline(__always)
    package mutating func put(_ table: ViewTable, _ key: RawSpan, _ value: RawSpan) {
        checkOwner(of: table)
        let key = key.withUnsafeBytes { $0 }
        let value = value.withUnsafeBytes { $0 }
        change(table, key, value)
    }

    /// Sets the row of `key`.
    mutating func put<Row: ViewRow>(_ table: ViewTable, _ key: RawSpan, _ row: Row) {
        checkOwner(of: table)
        value.removeAll()
        row.write(to: &value)
        change(table, key.withUnsafeBytes { $0 }, value.bytes.withUnsafeBytes { $0 })
    }

    /// Deletes the row of `key`, if there is one.
    mutating func remove(_ table: ViewTable, _ key: RawSpan) {
        checkOwner(of: table)
        change(table, key.withUnsafeBytes { $0 }, nil)
    }

    @inline(never)
    private mutating func noteChange(_ table: ViewTable, _ key: UnsafeRawBufferPointer) {
        views.snapshot.scope.history?.note(table, key)
    }

    @inline(__always)
    private mutating func change(
        _ table: ViewTable, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?
    ) {
        if RowHistory.notes(table) { noteChange(table, key) }
        views.snapshot.active.set(table, key, value)
    }

    /// Takes over what preparation found of a batch whose records are folded next.
    mutating func takeClaims(of prepared: PreparedAppend) {
        guard let claims = prepared.claims else { return claiming = (.origin, .origin) }
        (self.claims, nextClaim) = (claims, 0)
        claiming = (prepared.batch.firstPosition, prepared.batch.lastPosition)
    }

    /// Enters the identities that a record claims.
    mutating func claimIdentities(of record: RecordView) {
        let position = record.position
        guard claiming.first <= position, position <= claiming.last else {
            return record.forEachIdentity { claim($0, for: position) }
        }
        while nextClaim < claims.count, claims[nextClaim].position < position { nextClaim += 1 }
        #if DEBUG
        checkClaims(of: record)
        #endif
        while nextClaim < claims.count, claims[nextClaim].position == position {
            let claim = claims[nextClaim]
            views.snapshot.active.setIdentity(claim.key, position, isNew: claim.isNew)
            nextClaim += 1
        }
    }

    #if DEBUG
    /// Checks that preparation found what the record says.
    private func checkClaims(of record: RecordView) {
        var keys: [IdentityKey] = []
        record.forEachIdentity { keys.append($0.key) }
        let found = claims[nextClaim...].prefix { $0.position == record.position }
        precondition(found.map(\.key) == keys, "preparation found other identities than the record has")
    }
    #endif

    /// Enters `identity`. The appender has seen that it is new, except where an acknowledgement takes it over.
    mutating func claim(_ identity: Identity, for position: Position) {
        views.snapshot.active.setIdentity(identity.key, position)
    }

    /// Checks that a projection changes no tables but its own; costs nothing in release builds.
    @inline(__always)
    private func checkOwner(of table: ViewTable) {
        #if DEBUG
        precondition(writable & table.bit != 0, "a projection changes the table \(table.name) of another")
        #endif
    }

    /// Limits what is seen to the tables of some projections, and to what redaction leaves.
    mutating func lend(tables: UInt64) { views.snapshot.scope.lend(tables: tables) }

    /// Ends what ``lend(tables:)`` began.
    mutating func takeBack() { views.snapshot.scope.takeBack() }

    /// Exchanges the filling layer with another one.
    mutating func swapLayer(_ layer: inout RowLayer) { swap(&views.snapshot.active, &layer) }

    /// Ends the writing.
    package consuming func finish() -> ViewSnapshot { views.snapshot }
}
