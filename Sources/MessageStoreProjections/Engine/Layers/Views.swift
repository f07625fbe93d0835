internal import MessageStoreLMDB

/// Every view of a store at one position of its log.
///
/// A store's `read` passes it to its body; all queries of one body see the same position. It holds read transactions,
/// so the compiler keeps it inside the body and on its thread.
///
/// ```swift
/// let (badge, newest) = try await store.read { views in
///     (try views.unreadTotals().badge, try views.timeline(of: .group("friends"), limit: 20).elements)
/// }
/// ```
public struct Views: ~Copyable {
    package internal(set) var snapshot: ViewSnapshot

    package init(_ snapshot: consuming ViewSnapshot) { self.snapshot = snapshot }

    /// The position that every read through this value sees.
    public var position: Position { snapshot.position }
}

/// Queries about the projections themselves, for support and tests; no screen of an app needs them.
///
/// ```swift
/// let failed = try await store.read { try ViewDiagnostics.failedEvents(of: StarredMessages.id, in: $0) }
/// ```
public enum ViewDiagnostics {}

extension Views {
    /// The limits that pages may have.
    public static var pageLimits: ClosedRange<Int> { 1...1000 }

    /// Checks a page's size.
    package static func check(limit: Int) throws {
        guard pageLimits.contains(limit) else {
            throw StoreError(.invalidArgument, "a limit of \(limit); 1 to 1000 are allowed")
        }
    }
}

extension StoreError {
    /// A row of the views that cannot be read.
    static func unreadableRow(of table: ViewTable, at key: RawSpan) -> StoreError {
        StoreError(.viewsDamaged, "\(Self.name(table, key)) cannot be read; rebuild the views")
    }

    /// A row of the views with a counter that an event would take below zero or past its width.
    static func impossibleCount(in table: ViewTable, at key: RawSpan) -> StoreError {
        StoreError(.viewsDamaged, "\(Self.name(table, key)) has a count that cannot be right; rebuild the views")
    }

    /// A row of the views that names a position of the log at which there is nothing of what it names.
    static func danglingRow(in table: ViewTable, position: Position) -> StoreError {
        StoreError(
            .viewsDamaged, "a row of the view table \(table.name) names a record that is not there; rebuild the views",
            position: position)
    }

    /// A table of the views that does not hold the rows that were written.
    static func changedRows(of table: ViewTable) -> StoreError {
        StoreError(
            .viewsDamaged, "the rows of the view table \(table.name) are not those that were written; rebuild the views"
        )
    }

    /// A checkpoint of the views that is missing, cannot be read, or does not fit the rows to be written on it.
    static func unusableCheckpoint(path: String?) -> StoreError {
        StoreError(.viewsDamaged, "the checkpoint does not fit the views; rebuild the views", path: path)
    }

    /// A log that lacks what the views of the same store were folded from.
    static func rolledBackLog(_ last: Position, _ folded: Position, path: String) -> StoreError {
        StoreError(
            .logRolledBack,
            "the log ends at \(last) or holds other events, and the views were made from it up to \(folded)",
            position: folded, path: path)
    }

    /// Whether the error of this or a lower layer says that the views, which can be made anew, are damaged.
    package static func isViewDamage(_ error: any Error) -> Bool {
        let error = (error as? LMDBError).map { StoreError($0) } ?? error as? StoreError
        return error?.code == .viewsDamaged
    }

    /// Keys are shown as numbers: they may hold words.
    private static func name(_ table: ViewTable, _ key: RawSpan) -> String {
        "the row \(key.hexadecimal) of the view table \(table.name)"
    }
}
