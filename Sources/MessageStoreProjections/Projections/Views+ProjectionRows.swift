/// In which direction the log, or the rows of a table, are read.
public enum ReadOrder: Sendable, Hashable {
    /// From the oldest event to the newest; from the smallest key to the greatest.
    case ascending
    /// From the newest event to the oldest; from the greatest key to the smallest.
    case descending
}

extension Views {
    /// A row of a host's projection; nil where there is none.
    ///
    /// Costs one look-up.
    ///
    /// - Throws: `StoreError`: `invalidArgument` where the table is not registered or the key does not fit it,
    ///   `rebuilding`, `projectionFailed`.
    public borrowing func row<Row, Key>(of table: ProjectionTable<Row, Key>, at key: Key) throws -> Row? {
        try checkRuns(table.projection)
        return try snapshot.storedRow(of: table, at: key)
    }

    /// Rows of a host's projection, by key.
    ///
    /// Costs a step for each row.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - prefix: The first parts of the key, where rows must have them.
    ///   - order: The direction.
    ///   - key: The key after which to begin, in that direction; nil to begin with the first row.
    ///   - limit: The maximum number of rows, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range, and where the table is not registered or a
    ///   key does not fit it; `rebuilding`, `projectionFailed`.
    public borrowing func rows<Row, Key, each Prefix: FieldValue>(
        of table: ProjectionTable<Row, Key>, where prefix: repeat each Prefix, order: ReadOrder = .ascending,
        after key: Key? = nil, limit: Int = 20
    ) throws -> Page<TableRow<Row, Key>, Key> {
        try checkRuns(table.projection)
        let prefix = try table.bytes(beginning: repeat each prefix)
        return try snapshot.storedRows(of: table, under: prefix, order: order, after: key, limit: limit)
    }

    /// - Throws: `StoreError` with code `projectionFailed` where the projection stopped.
    private borrowing func checkRuns(_ projection: ProjectionID) throws {
        let catalog = snapshot.plan.catalog
        guard let index = catalog.index(of: projection),
            catalog.entries[index].declaration.failurePolicy == .stop,
            catalog.table(named: FailedEvent.table(of: projection).fullName) != nil,
            let failed = try ViewDiagnostics.failedEvents(of: projection, in: self, limit: 1).first
        else { return }
        throw StoreError(
            .projectionFailed, "the projection \(projection) stopped with code \(failed.code)",
            position: failed.position)
    }
}

extension ViewDiagnostics {
    /// The events that a host's projection could not fold, by position.
    ///
    /// - Parameters:
    ///   - projection: The projection.
    ///   - views: What a read was given.
    ///   - limit: The maximum number of events, 1 to 1000.
    /// - Throws: `StoreError`: `invalidArgument` for a limit out of range and where it is not registered, `rebuilding`.
    public static func failedEvents(
        of projection: ProjectionID, in views: borrowing Views, limit: Int = 100
    ) throws -> [(position: Position, code: Int32)] {
        try views.snapshot.storedRows(of: FailedEvent.table(of: projection), limit: limit).elements.map {
            ($0.key, $0.value.code)
        }
    }
}
