@_spi(Storage) internal import MessageStoreLog

/// A decoded row of a view table.
///
/// A row type names its parts once, in the order of their bytes; reading, writing and showing follow from it:
///
/// ```swift
/// struct Mark: ViewRow {
///     var time: Int64 = 0
///     var note = ""
///
///     mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
///         parts.part("time", &time, .time)
///         parts.string("note", &note)
///     }
/// }
/// ```
///
/// A ``Table`` names the type, and `Docs/Format.md` lists the parts, which a test compares. If folds read or write a
/// row for every message, `describe` is marked `@inline(__always)`, so that nothing but loads and stores is left of it.
///
/// Views are a file, so a row may hold anything. There is one policy for bytes that make no row: the error
/// `viewsDamaged` with table and key. Neither folds nor queries pass over such a row or put another value in its place.
protocol ViewRow: Equatable, Sendable {
    /// A row to read into.
    init()

    /// Names the parts, in the order of their bytes.
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable)

    /// Whether the read row can be, beyond what the types of the parts say.
    var isPlausible: Bool { get }
}

extension ViewRow {
    @inline(__always) var isPlausible: Bool { true }

    /// Decodes stored bytes; nil if they are no such row: too short, too long, or with a value that there is not.
    @inline(__always)
    init?(_ bytes: RawSpan) {
        var row = Self()
        var reader = RowReader(bytes)
        row.describe(&reader)
        guard reader.isComplete, row.isPlausible else { return nil }
        self = row
    }

    /// Appends the row's bytes.
    @inline(__always)
    func write(to writer: inout ByteWriter) {
        // Writing changes no part; going through the parts needs a row that can be changed.
        var row = self
        row.describe(&writer)
    }

    /// The row's bytes.
    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: 64)
        write(to: &writer)
        return writer.bytes.copied
    }

    /// Decodes stored bytes.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged` where they are no such row.
    init(_ bytes: RawSpan, of table: ViewTable, at key: RawSpan) throws {
        guard let row = Self(bytes) else { throw StoreError.unreadableRow(of: table, at: key) }
        self = row
    }
}

extension RowCursor {
    /// The current row, decoded.
    borrowing func decoded<Row: ViewRow>() throws -> Row {
        try Row(value, of: table, at: key)
    }
}

/// A row that is one number, big-endian.
struct NumberRow: ViewRow {
    var number: UInt64 = 0

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.bigEndian("number", &number, .plain)
    }
}

/// A row that is a place in a conversation's order.
struct OrderRow: ViewRow {
    var order = OrderKey.belowAll

    init() {}

    init(_ order: OrderKey) { self.order = order }

    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.order("order", &order)
    }

    var isPlausible: Bool { order.isComplete }
}
