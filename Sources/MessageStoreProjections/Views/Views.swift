/// Every view of a store at one position of its log.
///
/// A store's `read` passes it to its body; all queries of one body see the same position. It holds read transactions,
/// so the compiler keeps it inside the body and on its thread.
///
/// ```swift
/// let (badge, newest) = try await store.read { views in
///     (try views.unreadTotals().badge, try views.timeline(of: .group("friends"), limit: 20).messages)
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
