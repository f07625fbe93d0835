@_spi(Storage) public import MessageStoreLog

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
    /// What the store knows of itself, for support and tests.
    public internal(set) var diagnostics: Diagnostics

    package init(_ snapshot: consuming ViewSnapshot) { diagnostics = Diagnostics(snapshot: snapshot) }

    package internal(set) var snapshot: ViewSnapshot {
        @inline(__always) _read { yield diagnostics.snapshot }
        @inline(__always) _modify { yield &diagnostics.snapshot }
    }

    /// The position that every read through this value sees.
    public var position: Position { snapshot.position }
}

extension Views {
    /// Queries about the projections themselves, which no screen of an app needs.
    public struct Diagnostics: ~Copyable {
        var snapshot: ViewSnapshot
    }
}
