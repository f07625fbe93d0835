internal import MessageStoreLMDB

/// The result of reading a whole log.
package struct LogExamination: Sendable {
    /// Records that were read in the order of the table and whose checksum fits.
    package var scannedRecords = 0
    /// Records that were found by their key as well.
    package var recordsByKey = 0
    /// Symbols that are in both tables.
    package var symbols = 0
}

/// Reads every record in the order of the table and by its key, and compares the two tables of symbols.
///
/// The two ways are different: a scan walks from leaf to leaf, a look by key descends through the branches, so damage
/// of a branch is seen by the second alone.
extension EventLog {
    /// Records looked at in one snapshot, which pins pages.
    private static let examinedAtOnce: UInt64 = 16_384

    /// Looks through the committed records and all symbols.
    ///
    /// - Parameters:
    ///   - decodes: Whether records of built-in types are decoded, too, so that every number in them is looked up.
    ///   - progress: Called now and then with the position reached and the last.
    ///   - report: Called with everything that is found; the examination goes on unless it throws.
    package func examine(
        decodes: Bool, progress: (Position, Position) throws -> Void, report: (StoreError) throws -> Void
    ) throws -> LogExamination {
        var examination = LogExamination()
        do {
            examination.symbols = try symbols.compareTables()
        } catch {
            try report(Self.damage(error))
        }
        let (end, problem) = try extent()
        var first: UInt64 = 1
        while first <= end {
            let chunk = Position(first)...Position(min(end, first + Self.examinedAtOnce - 1))
            let snapshot = try durableSnapshot()
            let damaged = try scan(chunk, snapshot, decodes, &examination, report)
            for number in first...chunk.upperBound.rawValue where !damaged.contains(number) {
                do {
                    if try snapshot.record(at: Position(number)) != nil { examination.recordsByKey += 1 }
                } catch {
                    try report(
                        StoreError(
                            .recordDamaged, "the record is there and cannot be found by its key",
                            position: Position(number)))
                }
            }
            first = chunk.upperBound.rawValue + 1
            try progress(chunk.upperBound, Position(end))
        }
        if let problem { try report(problem) }
        return examination
    }

    /// The last position, and what is wrong with it: it is the number of records, with the ones that were cut off.
    private func extent() throws -> (end: UInt64, problem: StoreError?) {
        let snapshot = try durableSnapshot()
        let (last, entries) = (
            try snapshot.lastCommittedPosition(), UInt64(try snapshot.statistics().entries) + snapshot.tables.cut.count
        )
        guard last.rawValue != entries else { return (try snapshot.lastPosition().rawValue, nil) }
        // A damaged key may name any position.
        let isSound = (try? snapshot.record(at: last)?.position) == last
        return (
            isSound ? last.rawValue : entries,
            StoreError(.logDamaged, "the log has \(entries) records, and the last has the key \(last)")
        )
    }

    /// Reads some records in the order of the table and answers the positions of damaged or missing ones.
    private func scan(
        _ range: ClosedRange<Position>, _ snapshot: borrowing LogSnapshot, _ decodes: Bool,
        _ examination: inout LogExamination, _ report: (StoreError) throws -> Void
    ) throws -> Set<UInt64> {
        let decoder = RecordDecoder(symbols: symbols, keepsSymbols: true)
        var damaged: Set<UInt64> = []
        var unreadable: [StoreError] = []
        var next = range.lowerBound.rawValue
        while next <= range.upperBound.rawValue {
            do {
                try snapshot.scan(from: Position(next), to: range.upperBound) { record in
                    next = record.position.rawValue + 1
                    examination.scannedRecords += 1
                    if decodes, let error = decoder.damage(of: record) { unreadable.append(error) }
                    return .proceed
                }
                next = range.upperBound.rawValue + 1
            } catch {
                let found = Self.damage(error)
                next = max(next, found.position?.rawValue ?? next)
                damaged.insert(next)
                try report(found.position == nil ? found.at(Position(next)) : found)
                next += 1
            }
        }
        try unreadable.forEach(report)
        return damaged
    }

    /// The error of any layer as one of the log.
    private static func damage(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: error
        case let error as LMDBError: StoreError(error)
        default: StoreError(.logDamaged, "\(error)")
        }
    }
}

extension StoreError {
    fileprivate func at(_ position: Position) -> StoreError {
        StoreError(code, message, position: position, path: path)
    }
}

extension RecordDecoder {
    /// Why a record whose checksum fits does not make an event; nil if it does. Hosts' own events are looked at only as
    /// far as their envelope goes.
    fileprivate func damage(of record: RecordView) -> StoreError? {
        do {
            guard record.catalogEntry == nil else {
                _ = try event(from: record)
                return nil
            }
            _ = try RecordNames(record, symbols)
            return nil
        } catch {
            let found = error as? StoreError
            return StoreError(.recordDamaged, found?.message ?? "the record cannot be read", position: record.position)
        }
    }
}
