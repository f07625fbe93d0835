@_spi(Storage) internal import MessageStoreLog

extension ViewSnapshot {
    /// The row of `key`, decoded, or nil where there is none.
    borrowing func decoded<Row: ViewRow>(_ table: ViewTable, _ key: RawSpan) throws -> Row? {
        guard let bytes = try row(table, key) else { return nil }
        return try Row(bytes, of: table, at: key)
    }

    /// The record that a row of a table names; what is named is there.
    ///
    /// - Throws: ``StoreError`` with code `recordDamaged` where the log has lost the record, `rebuilding` where it was
    ///   cut off a moment ago, `viewsDamaged` where the row names a place that these views do not reach.
    @_lifetime(borrow self)
    borrowing func record(at named: Position, namedBy table: ViewTable) throws -> RecordView {
        guard named > .origin, named <= position else { throw StoreError.danglingRow(in: table, position: named) }
        guard let record = try log.record(at: named) else {
            if try log.gap(at: named) != nil {
                throw StoreError(.rebuilding, "the views are made from what is left of the log", position: named)
            }
            throw StoreError(.recordDamaged, "the record is missing", position: named)
        }
        if keepsValues { reads.note(bytes: record.bytes.byteCount) }
        return _overrideLifetime(record, borrowing: self)
    }

    /// Calls `body` with the record that a row of a table names; in a replay of other events, which may share a
    /// position, with each of those at that position, in their order.
    ///
    /// - Throws: As ``record(at:namedBy:)``.
    borrowing func forEachRecord(
        at named: Position, namedBy table: ViewTable, _ body: (RecordView) throws -> Void
    ) throws {
        let record = try record(at: named, namedBy: table)
        if try !log.forEachReplacement(at: named, body) { try body(record) }
    }
}
