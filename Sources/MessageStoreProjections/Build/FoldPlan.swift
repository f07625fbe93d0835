@_spi(Storage) internal import MessageStoreLog

/// Which projections fold which events.
final class FoldPlan: Sendable {
    let catalog: ProjectionCatalog
    /// The projections that fold; the others are rebuilt elsewhere or not kept.
    let folded: ProjectionSet
    /// The projections of the host.
    let hosts: ProjectionSet
    /// A bit for each projection whose rows are about the account as a whole, or about users.
    let ofAccount: UInt64
    /// A bit for each projection that follows what others make of a message, and has no row of one that is plain.
    let unchangedByPlain: UInt64
    /// The first of these, all of which come after the timeline.
    let firstUnchanged: Int
    /// A bit for each projection of the library that folds messages that arrive; 0 where those do not all fold that
    /// ``PlainMessages`` are about.
    let arrivals: UInt64
    /// A bit for each projection that folds what others changed of the conversation index.
    let indexing: UInt64
    /// A bit for each table of a projection that does not fold.
    let unavailable: UInt64
    /// For each type of the library, by its number.
    private let routes: [Route]
    private let hostRoutes: [EventType: UInt64]
    private let unknown: UInt64

    private struct Route: Sendable {
        /// A bit for each projection.
        var projections: UInt64 = 0
        /// The version of the type's payload that this version of the library knows.
        var version: UInt8 = 0
    }

    init(_ catalog: ProjectionCatalog, folded: ProjectionSet) {
        self.catalog = catalog
        self.folded = folded
        hosts = catalog.hosts
        let bits = { (ids: [ProjectionID]) in
            ids.compactMap(catalog.index).reduce(0) { $0 | ProjectionSet($1).rawValue }
        }
        unchangedByPlain = bits([.timelineMarks, .messageDetails, .pendingChanges, .threads]) & folded.rawValue
        firstUnchanged = unchangedByPlain.trailingZeroBitCount
        ofAccount = bits(Array(FoldShard.accountProjections))
        unavailable = catalog.tableBits(of: catalog.all.subtracting(folded))
        let entries = folded.indices.map {
            (bit: ProjectionSet($0).rawValue, events: catalog.entries[$0].declaration.events)
        }
        let known = EventType.known.map(\.type)
        var routes = [Route](repeating: Route(), count: Int(known.map(\.rawValue).max() ?? 0) + 1)
        for type in known { routes[Int(type.rawValue)].version = type.declaration?.version ?? 0 }
        var hostRoutes: [EventType: UInt64] = [:]
        var unknown: UInt64 = 0
        var indexing: UInt64 = 0
        for (bit, events) in entries {
            switch events {
            case .all:
                for type in known { routes[Int(type.rawValue)].projections |= bit }
                unknown |= bit
            case .unknown: unknown |= bit
            case .indexChanges: indexing |= bit
            case .types(let types):
                for type in types {
                    if type.isKnown {
                        routes[Int(type.rawValue)].projections |= bit
                    } else {
                        hostRoutes[type, default: 0] |= bit
                    }
                }
            }
        }
        for number in routes.indices where routes[number].version == 0 {
            routes[number] = Route(projections: unknown, version: .max)
        }
        // A further projection that follows messages makes all of them take the general way.
        let plain = bits([.messages, .timeline, .conversationList, .unreadCounters, .timers])
        let route = routes[Int(EventType.messageReceived.rawValue)].projections & ~hosts.rawValue
        let areKnown = route & ~(plain | unchangedByPlain) == 0
        arrivals = areKnown && plain & ~folded.rawValue == 0 ? route : 0
        self.routes = routes
        self.hostRoutes = hostRoutes
        self.unknown = unknown
        self.indexing = indexing
    }

    /// A bit for each projection that folds the record.
    @inline(__always)
    func route(of record: RecordView) -> UInt64 {
        let number = Int(record.type.rawValue)
        if number < routes.count, record.schemaVersion <= routes[number].version { return routes[number].projections }
        guard let hosts = hostRoutes[record.type] else { return unknown }
        // One of a newer version than the registered one means what this host does not know.
        let isKnown = record.schemaVersion <= catalog.eventVersions[record.type] ?? .max
        return isKnown ? unknown | hosts : unknown
    }
}
