@_spi(Storage) internal import MessageStoreLog

/// The projections that fold each type of event.
final class FoldPlan: Sendable {
    let catalog: ProjectionCatalog
    /// The projections that fold; the others are rebuilt elsewhere or not kept.
    let folded: ProjectionSet
    /// Collects what folds decide against events; nil but in a replay.
    let reports: FoldReports?
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

    init(_ catalog: ProjectionCatalog, folded: ProjectionSet, _ reports: FoldReports? = nil) {
        (self.catalog, self.reports) = (catalog, reports)
        self.folded = folded
        hosts = catalog.hosts
        let having = { (trait: ProjectionTraits) in
            catalog.all.indices.filter { catalog.entries[$0].declaration.traits.contains(trait) }
                .reduce(0) { $0 | ProjectionSet($1).rawValue }
        }
        unchangedByPlain = having(.unchangedByPlainMessages) & folded.rawValue
        firstUnchanged = unchangedByPlain.trailingZeroBitCount
        ofAccount = having(.ofAccount)
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
        let plain = PlainMessages.projections.compactMap(catalog.index).reduce(0) { $0 | ProjectionSet($1).rawValue }
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

/// A part of the conversations, whose events are folded apart from those of the others.
///
/// Rows of a conversation follow from its own events and those of the account. So each part folds these two; the rows
/// of projections of the account are whole in the first one, which folds all events that they follow from.
struct FoldShard: Sendable {
    let index: Int
    let count: Int

    var isFirst: Bool { index == 0 }

    /// Whether an event is of one of the conversations, or of the account.
    @inline(__always)
    func owns(_ record: RecordView) -> Bool {
        let conversation = record.conversationNumber
        return conversation == .none || owns(conversation)
    }

    /// Whether a conversation is one of the part.
    @inline(__always)
    func owns(_ conversation: ConversationNumber) -> Bool { Self.index(of: conversation, count: count) == index }

    /// The part of a conversation, by Knuth's multiplicative hash: conversations that began one after the other are in
    /// different ones.
    @inline(__always)
    private static func index(of conversation: ConversationNumber, count: Int) -> Int {
        Int((UInt64(conversation.rawValue &* 2_654_435_761) &* UInt64(count)) &>> 32)
    }
}

extension FoldShard {
    /// A row that a part has, nil if it deleted it.
    typealias PartRow = (part: Int, row: [UInt8]?)

    /// The row of a key of which several parts have rows, each folded over the same base.
    static func row(
        merging rows: [PartRow], of count: Int, _ table: ViewTable, _ key: RawSpan, over base: borrowing ViewSnapshot
    ) throws -> [UInt8]? {
        if table.traits.contains(.summed) { return sum(rows, over: try base.row(table, key)?.copied) }
        // An event of the account is folded by all parts, with the same result but for a change of a conversation.
        if rows.allSatisfy({ $0.row == rows[0].row }) { return rows[0].row }
        guard table.traits.contains(.changedByAccount), let number = key.loadBigEndian(at: 0, as: UInt32.self),
            let own = rows.first(where: { $0.part == index(of: ConversationNumber(rawValue: number), count: count) })
        else { throw BrokenInvariant(description: "two parts of the conversations have a row of \(table.name)") }
        return own.row
    }

    /// The sums of the base and of each part's change.
    private static func sum(_ rows: [PartRow], over base: [UInt8]?) -> [UInt8]? {
        func numbers(_ row: [UInt8]?) -> [UInt64] {
            let bytes = row ?? []
            return stride(from: 0, to: bytes.count, by: 8).map { bytes.span.bytes.load(at: $0, as: UInt64.self) ?? 0 }
        }
        let (rows, base) = (rows.map { numbers($0.row) }, numbers(base))
        let count = max(rows.map(\.count).max() ?? 0, base.count)
        let sum = (0..<count).map { place in
            let before = place < base.count ? base[place] : 0
            return rows.reduce(before) { $0 &+ (place < $1.count ? $1[place] : 0) &- before }
        }
        return sum.allSatisfy { $0 == 0 }
            ? nil : sum.flatMap { value in withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    }
}
