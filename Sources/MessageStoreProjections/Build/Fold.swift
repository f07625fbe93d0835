@_spi(Storage) internal import MessageStoreLog

/// A batch of events on its way through the projections: a pure function from records to rows.
///
/// The result does not depend on where batches end: what a projection keeps decoded within a batch is a cache of rows.
struct Fold: ~Copyable {
    private let plan: FoldPlan
    private var folds: [AnyFold?]
    private var changes = FoldChanges()

    init(_ plan: FoldPlan) {
        self.plan = plan
        folds = [AnyFold?](repeating: nil, count: plan.catalog.entries.count)
    }

    mutating func apply(_ record: RecordView, _ views: inout Views) throws {
        changes.removeAll()
        var route = plan.route(of: record)
        while route != 0 {
            let index = route.trailingZeroBitCount
            route &= route &- 1
            if plan.hosts.contains(index) { try prepareHost(index, record, &views) }
            #if DEBUG
            views.writable = plan.catalog.tableBits(of: ProjectionSet(index))
            #endif
            try fold(at: index).apply(record, &views, &changes)
        }
        views.active.position = record.position
    }

    /// Makes the rows that a host's projection reads those of the event, whatever is kept decoded of them.
    private func prepareHost(_ index: Int, _ record: RecordView, _ views: inout Views) throws {
        for source in plan.catalog.entries[index].sources.indices where source != index {
            #if DEBUG
            views.writable = plan.catalog.tableBits(of: ProjectionSet(source))
            #endif
            try folds[source]?.finishBatch(&views)
        }
        views.active.position = record.position
    }

    private mutating func fold(at index: Int) -> AnyFold {
        if let fold = folds[index] { return fold }
        let fold = plan.catalog.entries[index].makeFold()
        folds[index] = fold
        return fold
    }

    /// Writes what the projections kept decoded; only then are the views those of the position.
    mutating func finishBatch(_ views: inout Views) throws {
        for (index, fold) in folds.enumerated() {
            #if DEBUG
            views.writable = plan.catalog.tableBits(of: ProjectionSet(index))
            #endif
            try fold?.finishBatch(&views)
        }
    }
}

/// Which projections fold which events.
final class FoldPlan: Sendable {
    let catalog: ProjectionCatalog
    /// The projections that fold; the others are rebuilt elsewhere or not kept.
    let folded: ProjectionSet
    /// The projections of the host.
    let hosts: ProjectionSet
    /// A bit for each table of a projection that does not fold.
    let unavailable: UInt64
    /// For each type of the library, a bit for each projection.
    private let routes: [UInt64]
    private let hostRoutes: [EventType: UInt64]
    private let unknown: UInt64

    init(_ catalog: ProjectionCatalog, folded: ProjectionSet) {
        self.catalog = catalog
        self.folded = folded
        hosts = catalog.all.subtracting(.first(BuiltInProjections.all.count))
        unavailable = catalog.tableBits(of: catalog.all.subtracting(folded))
        let entries = folded.indices.map {
            (bit: ProjectionSet($0).rawValue, events: catalog.entries[$0].declaration.events)
        }
        let known = EventType.known.map(\.type)
        var routes = [UInt64](repeating: 0, count: Int(known.map(\.rawValue).max() ?? 0) + 1)
        var hostRoutes: [EventType: UInt64] = [:]
        var unknown: UInt64 = 0
        for (bit, events) in entries {
            switch events {
            case .all:
                for type in known { routes[Int(type.rawValue)] |= bit }
                unknown |= bit
            case .unknown: unknown |= bit
            case .types(let types):
                for type in types {
                    if type.isKnown { routes[Int(type.rawValue)] |= bit } else { hostRoutes[type, default: 0] |= bit }
                }
            }
        }
        self.routes = routes
        self.hostRoutes = hostRoutes
        self.unknown = unknown
    }

    /// A bit for each projection that folds the record.
    func route(of record: RecordView) -> UInt64 {
        if record.scope != nil { return routes[Int(record.type.rawValue)] }
        return unknown | (hostRoutes[record.type] ?? 0)
    }
}

/// A projection at work in one batch.
class AnyFold {
    func apply(_ event: RecordView, _ views: inout Views, _ changes: inout FoldChanges) throws {}
    func finishBatch(_ views: inout Views) throws {}
}

/// A projection of the library at work.
final class FoldOf<Projection: BuiltInProjection & ~Copyable>: AnyFold {
    private var projection = Projection()

    override func apply(_ event: RecordView, _ views: inout Views, _ changes: inout FoldChanges) throws {
        try projection.apply(event, &views, &changes)
    }

    override func finishBatch(_ views: inout Views) throws {
        try projection.finishBatch(&views)
    }
}
