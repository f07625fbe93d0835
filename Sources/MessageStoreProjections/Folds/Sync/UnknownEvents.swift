@_spi(Storage) internal import MessageStoreLog

/// The projection of what this version could not fold: how many events of each unknown type there are (I9).
///
/// The policy is to keep and to skip: such events stay in the log byte for byte, and a later version that knows the
/// type rebuilds its projections from them.
struct UnknownEvents: BuiltInProjection {
    static let declaration = ProjectionDeclaration(
        .unknownEvents, version: 1, events: .unknown, traits: .ofAccount, tables: counts)
    static var counts: Table<EventTypeKey, NumberRow> { Table("unknownEvents", 23) }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        let key = EventTypeKey(type: event.type.rawValue)
        let row = try rows.snapshot.row(Self.counts, key)
        let (count, isOutside) = (row?.number ?? 0).addingReportingOverflow(1)
        guard !isOutside else { throw StoreError.impossibleCount(in: Self.counts, at: key) }
        rows.put(Self.counts, key, NumberRow(number: count))
    }
}

/// The key of a row of `unknownEvents`.
struct EventTypeKey: ViewKey {
    var type: UInt16 = 0

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("type", &type)
    }
}

extension ViewDiagnostics {
    /// How many events the log holds of each type that is neither built in nor registered by the host.
    ///
    /// - Throws: `StoreError`.
    public static func unknownEventCounts(in views: borrowing Views) throws -> [EventType: Int] {
        var counts: [EventType: Int] = [:]
        try views.snapshot.forEachRow(UnknownEvents.counts) { key, row in
            guard let count = Int(exactly: row.number) else {
                throw StoreError.impossibleCount(in: UnknownEvents.counts, at: key)
            }
            // The rows do not depend on registered types, so that they are the same for every reader.
            let type = EventType(rawValue: key.type)
            if !views.snapshot.symbols.types.isRegistered(type) { counts[type] = count }
            return true
        }
        return counts
    }
}

extension ProjectionID {
    /// How many events there are of each type that the library does not fold.
    public static let unknownEvents: ProjectionID = "UnknownEvents"
}
