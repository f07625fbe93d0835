public import MessageStore

/// A specification of a projection: the rows that it must have after events, however they are folded.
///
/// ```swift
/// try ProjectionSpec(StarredMessages()).check(given: [.received(…), Event(starred, in: group)]) { views in
///     let rows = try views.rows(of: StarredMessages.stars).elements
///     #expect(rows.count == 1)
/// }
/// ```
///
/// The events are folded one by one, in batches of several sizes, at once, and again by a rebuild; each time
/// `expectation` is run, all rows must have the same digest, and a replay must give the served rows. This finds a fold
/// that reads a clock or keeps state between events.
public struct ProjectionSpec: Sendable {
    private let projections: [any Projection]
    private let events: [any EventPayload.Type]
    private let checked: ProjectionID

    /// Describes a projection under test.
    ///
    /// - Parameters:
    ///   - projection: The projection.
    ///   - others: Projections of the host that it reads, in the order of their registration.
    ///   - events: The host's types of events that it folds.
    public init(
        _ projection: any Projection, reading others: [any Projection] = [], events: [any EventPayload.Type] = []
    ) {
        projections = others + [projection]
        self.events = events
        checked = projection.declaration.id
    }

    /// Folds the events in several ways and runs the expectation each time.
    ///
    /// - Parameters:
    ///   - events: The events that happened, each once.
    ///   - expectation: Checks the rows.
    /// - Throws: Errors of recording, folding or `expectation`, or ``ProjectionSpecFailure``.
    public func check(given events: [Event], expect expectation: (borrowing Views) throws -> Void) throws {
        var first: UInt64?
        for size in Set([1, 2, 7, max(events.count, 1)]).sorted() {
            let place = try TemporaryStore()
            let store = try place.open { configuration in
                configuration.projections = projections
                configuration.events = self.events
            }
            for start in stride(from: 0, to: events.count, by: size) {
                try store.record(Array(events[start..<min(start + size, events.count)]))
            }
            try store.read(expectation)
            let live = try digest(of: store)
            guard try store.verify().isConsistent else { throw ProjectionSpecFailure.replayDiffers(batchSize: size) }
            try store.rebuild([checked])
            try store.read(expectation)
            guard try digest(of: store) == live, first ?? live == live else {
                throw ProjectionSpecFailure.batchesDiffer(batchSize: size)
            }
            first = live
            try store.close()
        }
    }

    private func digest(of store: MessageStore) throws -> UInt64 {
        try store.digests()[checked] ?? 0
    }
}

/// A projection is not a function of the events.
public enum ProjectionSpecFailure: Error, Hashable {
    /// A replay of the log gave other rows than folding the events as they came in batches of this size.
    case replayDiffers(batchSize: Int)
    /// Batches of this size, or a rebuild after them, gave other rows than smaller ones.
    case batchesDiffer(batchSize: Int)
}
