internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

/// A table of the views, owned by one projection: its number among the tables of the catalogue, and its traits.
///
/// The library's tables have fixed numbers, which their ``Table`` gives; hosts' tables follow.
package struct ViewTable: Hashable, Sendable, CustomStringConvertible {
    /// The traits above the number.
    private let bits: UInt32

    @inline(__always) init(_ number: UInt8, _ traits: TableTraits = []) {
        bits = UInt32(traits.rawValue) &<< 8 | UInt32(number)
    }

    @inline(__always) package var number: UInt8 { UInt8(truncatingIfNeeded: bits) }
    @inline(__always) var index: Int { Int(number) }
    @inline(__always) var traits: TableTraits { TableTraits(rawValue: UInt16(truncatingIfNeeded: bits &>> 8)) }

    /// The table's bit in a set of tables.
    @inline(__always) var bit: UInt64 { 1 &<< UInt64(bits) }

    /// The most tables that the views of one store can have.
    static let maximumCount = 64
}

extension ViewTable {
    /// The tables of the library's projections.
    package static let builtIn: [ViewTable] = BuiltInProjections.tables.map(\.place)

    /// Tables that mostly have no rows.
    static let rare = builtIn.filter { $0.traits.contains(.rare) }

    /// Tables by which admission decides what is recorded.
    static let ofKnownEvents = builtIn.filter { $0.traits.contains(.ofKnownEvents) }

    /// The table of the library of this name; there must be one.
    package static func named(_ name: String) -> ViewTable {
        guard let table = builtIn.first(where: { $0.name == name }) else { preconditionFailure("no table \(name)") }
        return table
    }

    /// The name of a table of the library in the views' environment; of a host's, its number.
    package var name: String {
        index < Self.builtIn.count ? BuiltInProjections.tables[index].name : "number \(number)"
    }
    package var description: String { name }

    /// Whether to change the row of a key alone is to have no effect: no query shows it, or it says no more than that
    /// the event is in the log.
    func isUnseen(at key: RawSpan) -> Bool {
        index < Self.builtIn.count && BuiltInProjections.tables[index].kinds.contains { $0.isUnseen(at: key) }
    }

    /// The positions of identities, which layers keep in runs and not in trees.
    @inline(__always) package static var identities: ViewTable { ViewTable(0, .ofKnownEvents) }
}

/// A part of a table's rows.
///
/// A walk over identities puts identities that are in no tree yet in order, in memory, and in a session over ten
/// million events that is most of them. So all of them are walked part by part.
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

    /// The number of identities in memory.
    var bufferedIdentities: Int { active.identityCount + (frozen?.identityCount ?? 0) }

    /// A cursor over the merged rows of a part of a table, ascending; the caller ends the walk where the part ends.
    @_lifetime(borrow self)
    borrowing func rows(_ table: ViewTable, of part: TablePart) throws -> RowCursor {
        if scope.keepsValues { reads.noteOther() }
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
