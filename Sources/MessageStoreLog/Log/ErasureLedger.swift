/// A store's erasures, for restoring an older backup without the erased values.
///
/// It holds positions, numbers and ids of stores alone, no word of what was erased. As JSON it can be kept apart from the store.
public struct ErasureLedger: Codable, Hashable, Sendable {
    package let lineage: LogLineage
    /// The positions of the events that lost their content, ascending.
    public let positions: [ClosedRange<Position>]
    /// Whose values were erased.
    let values: ErasedSubjects

    /// The events up to here erased what they erase.
    let last: Position

    /// Creates a ledger from its JSON.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument`.
    public init(json: String) throws {
        struct Seal: Decodable { let checksum: String }
        guard let ledger = try? JSONBytes.decode(Self.self, from: json.utf8),
            let seal = try? JSONBytes.decode(Seal.self, from: json.utf8)
        else { throw StoreError(.invalidArgument, "this is no ledger of erasures") }
        guard try seal.checksum == ledger.unsealed().checksum else {
            throw StoreError(.invalidArgument, "the ledger of erasures fails its checksum")
        }
        self = ledger
    }

    /// The JSON without the checksum, and this, whose key comes before all others.
    private func unsealed() throws -> (json: [UInt8], checksum: String) {
        let json = try JSONBytes.encode(self, escapesSlashes: true)
        return (json, String(XXH64.hash(json.span.bytes), radix: 16))
    }

    /// Reads a ledger.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lineage = try container.decode(LogLineage.self, forKey: .lineage)
        positions = try container.decode([ClosedRange<Position>].self, forKey: .positions)
        values = try container.decode(ErasedSubjects.self, forKey: .values)
        last = try container.decode(Position.self, forKey: .last)
        guard !lineage.parts.isEmpty, positions.first?.lowerBound != .origin, values.endOfIDs != .origin,
            zip(positions, positions.dropFirst()).allSatisfy({ $0.upperBound < $1.lowerBound })
        else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no ledger of erasures"))
        }
    }

    fileprivate init(
        lineage: LogLineage, positions: [ClosedRange<Position>], values: ErasedSubjects, last: Position
    ) {
        (self.lineage, self.positions, self.values, self.last) = (lineage, positions, values, last)
    }

    /// The ledger as JSON.
    public var json: String {
        get throws {
            let (json, checksum) = try unsealed()
            return "{\"checksum\":\"\(checksum)\"," + String(decoding: json.dropFirst(), as: UTF8.self)
        }
    }

    /// The part of it that is about the events of another log.
    ///
    /// - Throws: ``StoreError`` with code `lineageMismatch` where both have no event in common.
    package func limited(to other: LogLineage) throws -> ErasureLedger {
        guard let shared = lineage.sharedPosition(with: other) else {
            throw StoreError(.lineageMismatch, "the ledger of erasures is not of the backup's store or its backups")
        }
        return limited(upTo: shared)
    }

    /// The part of it that is about the events up to a position.
    package func limited(upTo end: Position) -> ErasureLedger {
        ErasureLedger(
            lineage: lineage,
            positions: positions.compactMap { range in
                range.lowerBound > end ? nil : range.lowerBound...min(range.upperBound, end)
            },
            values: values.limited(to: Position(end.rawValue == .max ? .max : end.rawValue + 1)),
            last: min(last, end))
    }

    /// Whether nobody's values were erased.
    var hasNoValues: Bool { values.isEmpty }

    /// Erasures that a ledger names and an earlier one of the same log does not.
    package struct Difference: Sendable {
        /// Positions of events that lost their content.
        package let positions: [ClosedRange<Position>]
        /// Whether values were erased, which any earlier event may have.
        package let hasValues: Bool

        package var isSomething: Bool { hasValues || !positions.isEmpty }
    }

    /// Erasures that the ledger names and an earlier one does not.
    package func difference(from earlier: ErasureLedger?) -> Difference {
        guard let earlier else { return Difference(positions: positions, hasValues: !values.isEmpty) }
        return Difference(positions: positions.subtracting(earlier.positions), hasValues: values != earlier.values)
    }

    fileprivate func contains(_ position: Position) -> Bool {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle].upperBound < position { low = middle + 1 } else { high = middle }
        }
        return low < positions.count && positions[low].contains(position)
    }
}

/// A ledger's erasure from the records of a copy.
struct LedgerErasure {
    fileprivate let ledger: ErasureLedger
    private let values: ErasedValues?
    private let types: EventTypes

    /// - Parameter log: Has the declarations of hosts' events.
    init(_ ledger: ErasureLedger, in log: EventLog) throws {
        self.ledger = ledger
        types = log.symbols.types
        values = ledger.values.isEmpty ? nil : try ErasedValues(ledger.values, in: log)
    }

    /// The bytes of a record without what was erased; nil if it stays as it is.
    func bytes(of record: RecordView) -> [UInt8]? {
        let changed = values?.bytes(of: record)?.bytes
        guard ledger.contains(record.position) else { return changed }
        guard let changed else {
            // Records that were cut off are not only messages.
            return record.flags.contains(.isRedacted) || !types.hasContent(record) ? nil : record.redactedBytes
        }
        return RecordView(wellFormed: changed.span.bytes).redactedBytes
    }
}

extension PreparedAppend {
    /// The erasures that a log owes which takes the events over, but for those that a ledger's erasure has done.
    ///
    /// - Parameter owesValues: Whether events that erase values owe it all the same: records before the batch have them.
    func owed(after erasure: LedgerErasure?, owesValues: Bool) -> [OwedErasure] {
        guard let erasure else { return erasing }
        return erasing.filter { owed in
            guard let event = owed.event else { return false }
            let bytes = RawSpan(_unsafeBytes: batch.bytes(at: Int(event.rawValue - batch.firstPosition.rawValue)))
            return event > erasure.ledger.last || owesValues && RecordView(wellFormed: bytes).type == .valuesErased
        }
    }
}

extension EventLog {
    /// Erasures from the log's records, as far as they are durable.
    ///
    /// - Parameter storeID: The store that the log belongs to.
    /// - Throws: ``StoreError`` with code `recordDamaged` or `logDamaged`.
    package func erasureLedger(storeID: [UInt8]) throws -> ErasureLedger {
        while true {
            let tables = try durableSnapshot().tables
            // A transaction reads only tables that were opened before it.
            let owed = try tables.owedTable(create: false)
            let snapshot = try durableSnapshot()
            let isCreated = try owed == nil && tables.owedTable(create: false) != nil
            guard snapshot.tables === tables, !isCreated else { continue }
            let unfinished = try snapshot.unfinishedErasures(in: owed).min()
            return try erasureLedger(of: snapshot, before: unfinished, storeID: storeID)
        }
    }

    private func erasureLedger(
        of snapshot: borrowing LogSnapshot, before unfinished: Position?, storeID: [UInt8]
    ) throws -> ErasureLedger {
        var ranges: [ClosedRange<Position>] = []
        var values = ErasedSubjects()
        let symbols = snapshot.symbols
        let last = try snapshot.lastPosition()
        try snapshot.scan(from: Position(1), to: last) { record in
            try values.add(record, symbols)
            if record.flags.contains(.isRedacted) { ranges.add(record.position...record.position) }
            return .proceed
        }
        // An older backup has the words of records that were cut off.
        try snapshot.forEachGap { ranges.append($0.positions) }
        return ErasureLedger(
            lineage: try lineage(storeID: storeID), positions: ranges.joined, values: values,
            last: unfinished.map { Position($0.rawValue - 1) } ?? last)
    }

    /// The events that a ledger names and that still have content here.
    package func unredacted(of ledger: ErasureLedger) throws -> [Position] {
        let snapshot = try snapshot()
        var positions: [Position] = []
        for range in ledger.positions {
            try snapshot.scan(from: range.lowerBound, to: range.upperBound) { record in
                if !record.flags.contains(.isRedacted), symbols.types.hasContent(record) {
                    positions.append(record.position)
                }
                return .proceed
            }
        }
        return positions
    }
}

extension [ClosedRange<Position>] {
    /// Without the positions of other ranges; both are ascending.
    fileprivate func subtracting(_ others: [ClosedRange<Position>]) -> [ClosedRange<Position>] {
        var left: [ClosedRange<Position>] = []
        var next = 0
        for range in self {
            var first = range.lowerBound.rawValue
            while next < others.count, others[next].upperBound.rawValue < first { next += 1 }
            var index = next
            while index < others.count, others[index].lowerBound <= range.upperBound {
                if others[index].lowerBound.rawValue > first {
                    left.append(Position(first)...Position(others[index].lowerBound.rawValue - 1))
                }
                first = others[index].upperBound.rawValue &+ 1
                index += 1
            }
            if first <= range.upperBound.rawValue, first > 0 { left.append(Position(first)...range.upperBound) }
        }
        return left
    }

    /// The same positions, ascending, in as few ranges as there can be.
    fileprivate var joined: [ClosedRange<Position>] {
        sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { $0.add($1) }
    }
}
