internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A part of a table's rows.
///
/// A walk over identities puts those that are in no tree yet in order, in memory, and in a session over ten million events
/// that is most of them. So all of them are walked part by part.
struct TablePart {
    /// The first eight bytes of the keys, as a number; nil for all rows.
    let range: ClosedRange<UInt64>?

    /// About how many identities that are in no tree a part has: their keys are hashes.
    static let size = 1 << 17

    /// The parts of a table, in the order of their keys.
    ///
    /// - Parameter count: How many identities are in no tree.
    static func all(
        of table: ViewTable, _ count: @autoclosure () throws -> Int, of size: Int = size
    ) rethrows -> [TablePart] {
        guard table == .identities else { return [TablePart(range: nil)] }
        let last = UInt64(try count() / size)
        let width = UInt64.max / (last + 1)
        return (0...last).map { TablePart(range: $0 * width...($0 == last ? .max : ($0 + 1) * width - 1)) }
    }

    /// Whether a key belongs to the part, also one that is too short to be whole.
    func contains(_ key: RawSpan) -> Bool {
        guard let range else { return true }
        if let number = key.loadBigEndian(at: 0, as: UInt64.self) { return range.contains(number) }
        return range.contains(key.copied.reduce(0) { $0 << 8 | UInt64($1) } << (8 * (8 - key.byteCount)))
    }
}

extension ViewSnapshot {
    /// How many identities are in no tree, those included that later ones replace.
    borrowing func unsortedIdentities() throws -> Int {
        var count = bufferedIdentities
        if let table = identities?.table {
            count += (try base?.statistics(of: table).entries ?? 0) * StoredIdentities.entriesPerChunk
        }
        return count
    }

    /// Those of them that are in memory.
    var bufferedIdentities: Int { active.identityCount + (frozen?.identityCount ?? 0) }

    /// A cursor over the merged rows of a part of a table, ascending; the caller ends the walk where the part ends.
    @_lifetime(borrow self)
    borrowing func rows(_ table: ViewTable, of part: TablePart) throws -> RowCursor {
        if keepsValues { reads.noteOther() }
        guard let range = part.range else {
            let cursor = try cursor(table, ascending: true, bound: nil)
            return _overrideLifetime(cursor, borrowing: self)
        }
        // Of a damaged table, keys that are too short come before the least number.
        let start = range.lowerBound == 0 ? [] : range.lowerBound.bigEndianBytes
        let cursor = try identityCursor(range, ascending: true, bound: start.span.bytes)
        return _overrideLifetime(cursor, borrowing: self)
    }
}
