internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A part of a table's rows.
///
/// A walk over identities puts those that are in no tree yet in order, in memory, and in a session over ten million events
/// that is most of them. So all of them are walked part by part.
struct TablePart {
    /// The first eight bytes of the keys, as a number; nil for all rows.
    let range: ClosedRange<UInt64>?

    /// The parts of a table, in the order of their keys.
    ///
    /// - Parameters:
    ///   - count: How many identities are in no tree; ``ViewSnapshot/unsortedIdentities``.
    ///   - size: About how many of them a part has: their keys are hashes.
    static func all(of table: ViewTable, _ count: Int, of size: Int = 1 << 17) -> [TablePart] {
        guard table == .identities else { return [TablePart(range: nil)] }
        let last = UInt64(count / size)
        let width = UInt64.max / (last + 1)
        return (0...last).map { TablePart(range: $0 * width...($0 == last ? .max : ($0 + 1) * width - 1)) }
    }

    func contains(_ key: RawSpan) -> Bool {
        range.map { range in key.loadBigEndian(at: 0, as: UInt64.self).map(range.contains) ?? false } ?? true
    }
}

extension ViewSnapshot {
    /// How many identities are in no tree, those included that later ones replace.
    borrowing func unsortedIdentities() throws -> Int {
        var count = active.identityCount + (frozen?.identityCount ?? 0)
        if let table = identities?.table {
            count += (try base?.statistics(of: table).entries ?? 0) * StoredIdentities.entriesPerChunk
        }
        return count
    }

    /// A cursor over the merged rows of a part of a table, ascending; it goes on after the part's end.
    @_lifetime(borrow self)
    borrowing func rows(_ table: ViewTable, of part: TablePart) throws -> RowCursor {
        if keepsValues { reads.noteOther() }
        guard let range = part.range else {
            let cursor = try cursor(table, ascending: true, bound: nil)
            return _overrideLifetime(cursor, borrowing: self)
        }
        let start = range.lowerBound.bigEndianBytes
        let cursor = try identityCursor(part, true, start.span.bytes)
        return _overrideLifetime(cursor, borrowing: self)
    }
}
