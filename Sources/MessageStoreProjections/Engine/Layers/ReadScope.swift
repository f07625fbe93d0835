internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A reader's rights on a ``ViewSnapshot``: which tables it sees, at which time, and whether values that it makes of
/// the rows are kept.
package struct ReadScope {
    /// The projections whose rows are read.
    let plan: FoldPlan
    let rebuild: RebuildState
    /// When rows changed; nil if that is not noted, because nothing is kept that was made of them.
    var history: RowHistory?
    /// The moment of the read, by the store's clock; nil for views of the past and in folds.
    package var moment: Timestamp?
    /// Whether a host's projection is at work: it sees no contents, and only its own tables and the ones of projections
    /// that it declares to read.
    package private(set) var isLentToProjection = false
    /// Whether anything is kept that is made of the rows.
    private(set) var keepsValues = false
    /// A bit for each table that has no rows of the position, because its projection is being rebuilt, or that the reader
    /// is not to see.
    private var unavailable: UInt64

    init(_ plan: FoldPlan, _ rebuild: RebuildState, history: RowHistory? = nil) {
        self.plan = plan
        self.rebuild = rebuild
        self.history = history
        unavailable = plan.unavailable
    }

    /// Whether the rows of a table can be read.
    @inline(__always)
    func sees(_ table: ViewTable) -> Bool { unavailable & table.bit == 0 }

    /// - Throws: ``StoreError`` where the rows of a table cannot be read.
    @inline(__always)
    func check(_ table: ViewTable) throws {
        if !sees(table) { throw error(table) }
    }

    /// Why the rows of a table cannot be read.
    @inline(never)
    private func error(_ table: ViewTable) -> StoreError {
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

    /// Lets values be kept that are made of the rows, which nobody changes.
    mutating func keepValues() { keepsValues = true }

    /// Lets no values be kept: the rows are to be changed.
    mutating func keepNoValues() { keepsValues = false }

    /// When rows changed, where values may be kept that are made of them.
    var keepingHistory: RowHistory? { keepsValues ? history : nil }
}
