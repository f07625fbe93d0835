/// A key of a host's table and how it is stored, which any key of more than ``limit`` bytes is not as it is: LMDB's have 511
/// at most.
///
/// Of a longer key the first bytes are stored, and a checksum of the whole. So it is where the order of keys wants it,
/// but for keys whose first bytes are the same: a reader takes these together, see ``ViewSnapshot``. The value is ``LongKeyRows``.
struct StoredKey {
    static let limit = 500
    /// More bytes than any stored key has.
    static let boundCount = limit + MemoryLayout<UInt64>.size + 1

    /// The key.
    let whole: [UInt8]
    /// The bytes in the table.
    let bytes: [UInt8]

    init(_ key: [UInt8]) {
        whole = key
        bytes =
            key.count <= Self.limit
            ? key : key.prefix(Self.limit) + XXH64.hash(key.span.bytes, seed: 0).bigEndianBytes
    }

    /// The rest of a long key after the bytes with which it is stored; nil if the key is stored whole.
    private var rest: [UInt8]? { whole.count > Self.limit ? Array(whole[Self.limit...]) : nil }

    /// The row of the key in what is stored at its bytes; nil if there is none.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged`.
    func row(in stored: RawSpan) throws -> [UInt8]? {
        guard let rest else { return stored.copied }
        return try LongKeyRows(stored, at: bytes.span.bytes).rows.first { $0.rest == rest }?.row
    }

    /// The value that is stored at the bytes once the key has a row, or none; nil if nothing is left.
    ///
    /// - Throws: ``StoreError`` with code `viewsDamaged`.
    func stored(_ row: [UInt8]?, over stored: [UInt8]?) throws -> [UInt8]? {
        guard let rest else { return row }
        var rows = try stored.map { try LongKeyRows($0.span.bytes, at: bytes.span.bytes).rows } ?? []
        rows.removeAll { $0.rest == rest }
        if let row { rows.append((rest, row)) }
        guard !rows.isEmpty else { return nil }
        var writer = FieldWriter()
        for (rest, row) in rows.ordered(by: { $0.rest.lexicographicallyPrecedes($1.rest) }) {
            writer.field(1, rest)
            writer.field(2, row)
        }
        return writer.bytes
    }
}

/// The value that is stored at the bytes of a long key: the rest of the key and the row, of several keys with one checksum in their
/// order.
struct LongKeyRows {
    let rows: [(rest: [UInt8], row: [UInt8])]
    private let beginning: [UInt8]

    /// - Throws: ``StoreError`` with code `viewsDamaged`.
    init(_ stored: RawSpan, at key: RawSpan) throws {
        var (reader, rows) = (FieldReader(stored), [(rest: [UInt8], row: [UInt8])]())
        while let rest = reader.next(), let row = reader.next(), rest.id == 1, row.id == 2 {
            rows.append((rest.bytes.copied, row.bytes.copied))
        }
        guard reader.isAtEnd, !reader.isMalformed, !rows.isEmpty, key.byteCount > StoredKey.limit else {
            throw StoreError(
                .viewsDamaged, "the row \(key.hexadecimal) of a host's table cannot be read; rebuild the views")
        }
        self.rows = rows
        beginning = key.extracting(0..<StoredKey.limit).copied
    }

    // Not inlined, as `DescribedRow.init`.
    @inline(never)
    init(at cursor: borrowing RowCursor) throws { try self.init(cursor.value, at: cursor.key) }

    /// The rows with their whole keys.
    var whole: [(key: [UInt8], row: [UInt8])] { rows.map { (beginning + $0.rest, $0.row) } }
}
