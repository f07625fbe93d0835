internal import MessageStoreLMDB

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Which events of a store lost their content, for restoring an older backup without what was erased since.
///
/// It holds positions and ids of stores alone, no word of what was erased. As JSON it can be kept apart from the store.
public struct ErasureLedger: Codable, Hashable, Sendable {
    package let lineage: LogLineage
    /// The positions of the events, ascending.
    public let positions: [ClosedRange<Position>]

    /// Creates a ledger from its JSON.
    ///
    /// - Throws: ``StoreError`` with code `invalidArgument`.
    public init(json: String) throws {
        guard let ledger = try? JSONDecoder().decode(ErasureLedger.self, from: Data(json.utf8)),
            !ledger.lineage.parts.isEmpty,
            zip(ledger.positions, ledger.positions.dropFirst()).allSatisfy({ $0.upperBound < $1.lowerBound })
        else { throw StoreError(.invalidArgument, "this is no ledger of erasures") }
        self = ledger
    }

    init(lineage: LogLineage, positions: [ClosedRange<Position>]) {
        (self.lineage, self.positions) = (lineage, positions)
    }

    /// The ledger as JSON.
    public var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }

    /// The part of it that is about the events of another log.
    ///
    /// - Throws: ``StoreError`` with code `lineageMismatch` where both have no event in common.
    package func limited(to other: LogLineage) throws -> ErasureLedger {
        guard let last = lineage.sharedPosition(with: other) else {
            throw StoreError(.lineageMismatch, "the ledger of erasures is not of the backup's store or its backups")
        }
        return ErasureLedger(
            lineage: lineage,
            positions: positions.compactMap { range in
                range.lowerBound > last ? nil : range.lowerBound...min(range.upperBound, last)
            })
    }

    func contains(_ position: Position) -> Bool {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if positions[middle].upperBound < position { low = middle + 1 } else { high = middle }
        }
        return low < positions.count && positions[low].contains(position)
    }
}

extension ErasureLedger {
    /// The bytes of a record without what the ledger says was erased; nil where it stays as it is.
    func erased(_ record: RecordView) -> [UInt8]? {
        guard contains(record.position), !record.flags.contains(.isRedacted) else { return nil }
        return record.redactedBytes
    }

}

extension PreparedAppend {
    /// The same events without what a ledger says was erased, and with some of the symbols.
    func erased(by ledger: ErasureLedger?, symbols: [PendingSymbols.Entry]) -> PreparedAppend {
        let batch = RawSpan(_unsafeBytes: self.batch.bytes)
        var records = ByteWriter(capacity: batch.byteCount)
        var offset = 0
        while let count = RecordView.byteCount(ofFirstIn: batch.extracting(offset..<batch.byteCount)) {
            let record = RecordView(wellFormed: batch.extracting(offset..<offset + count))
            if let bytes = ledger?.erased(record) { records.append(bytes) } else { records.append(record.bytes) }
            offset += count
        }
        guard let batch = EncodedBatch(records: records.bytes, from: self.batch.firstPosition) else { return self }
        return PreparedAppend(batch, symbols)
    }
}

extension EventLog {
    /// Which records of the log lost their content, as far as it is durable.
    ///
    /// - Parameter storeID: The store that the log belongs to.
    /// - Throws: ``StoreError`` with code `recordDamaged` or `logDamaged`.
    package func erasureLedger(storeID: [UInt8]) throws -> ErasureLedger {
        let lineage = try lineage(storeID: storeID)
        var ranges: [ClosedRange<Position>] = []
        for position in try durableSnapshot().redactedPositions() {
            if let last = ranges.last, last.upperBound.rawValue + 1 == position.rawValue {
                ranges[ranges.count - 1] = last.lowerBound...position
            } else {
                ranges.append(position...position)
            }
        }
        return ErasureLedger(lineage: lineage, positions: ranges)
    }
}
