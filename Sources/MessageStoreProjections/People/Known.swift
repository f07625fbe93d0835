@_spi(Storage) internal import MessageStoreLog

/// A row of `profiles` or `teams`: what a provider last reported about a user or a team.
struct KnownRow<Info: KnownInfo>: ViewRow {
    /// The last event that reported it; compared with the last "all invalid" to find out staleness.
    var position: UInt64 = 0
    var flags: KnownFlags = []
    /// Its id is in the key alone.
    var info = Info()

    @_lifetime(parts: copy parts)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("position", &position)
        parts.part("flags", &flags)
        info.describe(&parts)
    }
}

/// What else is known of a user or a team.
struct KnownFlags: RowFlags {
    let rawValue: UInt8
    static let bitNames = ["isKnown", "isStale", "hasFailed"]
    static let isKnown = KnownFlags(rawValue: 1)
    static let isStale = KnownFlags(rawValue: 2)
    static let hasFailed = KnownFlags(rawValue: 4)
}

/// The projection of profiles or of teams. Invalidation marks rows stale and keeps showing them (C7, d25).
struct Known<Info: KnownInfo>: HandlingProjection {
    static var declaration: ProjectionDeclaration {
        ProjectionDeclaration(
            Info.projection, version: Info.version, events: handlers.types, tables: all, Info.table, byID)
    }
    /// The position of the last event that invalidated all.
    static var all: Table<AllKey, NumberRow> { Table(Info.table.name, Info.table.place.rawValue) }
    static var byID: Table<Info.IDKey, NoValue> { Table(Info.table.name, Info.table.place.rawValue) }

    static var handlers: EventHandlers<Self> { Info.handlers }

    /// Takes over the infos in the fields of a number.
    func fetched(_ infos: UInt32, _ event: RecordView, _ rows: inout FoldRows) throws {
        var reader = event.fields
        while let info = reader.next() {
            guard info.id == infos else { continue }
            var row = KnownRow<Info>(position: event.position.rawValue, flags: .isKnown)
            var id: UInt64?
            var fields = EventFields(FieldReader(info.bytes))
            while fields.next() {
                row.info.describe(&fields)
                id = id ?? fields.number(of: Info.idField)
            }
            for number in numbers([UInt32(truncatingIfNeeded: id ?? 0)]) {
                rows.put(Info.table, number, row)
                rows.put(Self.byID, try Info.idKey(number, rows.snapshot.symbols), NoValue())
            }
        }
    }

    func failed(_ ids: [UInt32], _ position: Position, _ rows: inout FoldRows) throws {
        for number in numbers(ids) {
            var row: KnownRow<Info> = try rows.snapshot.knownRow(number) ?? KnownRow()
            row.flags.insert(.hasFailed)
            // The failure is newer than what invalidated all before; what that made stale stays so.
            row.position = position.rawValue
            rows.put(Info.table, number, row)
        }
    }

    /// Marks rows stale; for nil all, at no cost.
    func invalidate(_ ids: [UInt32]?, _ position: Position, _ rows: inout FoldRows) throws {
        guard let ids else { return rows.put(Self.all, .all, NumberRow(number: position.rawValue)) }
        for number in numbers(ids) {
            guard var row: KnownRow<Info> = try rows.snapshot.knownRow(number) else { continue }
            row.flags.insert(.isStale)
            row.flags.remove(.hasFailed)
            rows.put(Info.table, number, row)
        }
    }

    /// Removes rows; for nil all, at the cost of a step for each.
    func purge(_ ids: [UInt32]?, _ rows: inout FoldRows) throws {
        guard let ids else {
            for key in try rows.snapshot.keys(of: Info.table.place) { rows.remove(Info.table.place, key.span.bytes) }
            return
        }
        for number in numbers(ids) {
            rows.remove(Info.table, number)
            rows.remove(Self.byID, try Info.idKey(number, rows.snapshot.symbols))
        }
    }

    private func numbers(_ ids: [UInt32]) -> [Info.Number] {
        ids.map { Info.Number(rawValue: $0) }.filter { $0 != .none }
    }
}
