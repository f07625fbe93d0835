@_spi(Storage) internal import MessageStoreLog

/// A host's projection at work.
struct HostFold: BatchFold {
    private let projection: any Projection
    private let declaration: ProjectionDeclaration
    private let failures: ProjectionTable<FailedEvent, Position>
    /// Whether an earlier event stopped the projection; looked up once a fold.
    private var isStopped: Bool?

    init(_ projection: any Projection, _ declaration: ProjectionDeclaration) {
        self.projection = projection
        self.declaration = declaration
        failures = FailedEvent.table(of: declaration.id)
    }

    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        guard try !findsStopped(rows.snapshot) else { return }
        let failure = StorageFailure()
        let symbols = rows.snapshot.symbols
        try withUnsafeMutablePointer(to: &rows) { lent throws in
            var rows = ProjectionRows(lent, declaration, failure)
            do {
                if let bytes = try lifted(event, symbols, failure), let current = RecordView(bytes.span.bytes) {
                    // The event that is lent points into the bytes.
                    try withExtendedLifetime(bytes) {
                        try projection.apply(ProjectionEvent(current, symbols, failure), to: &rows)
                    }
                } else {
                    try projection.apply(ProjectionEvent(event, symbols, failure), to: &rows)
                }
            } catch {
                if let storage = failure.error { throw storage }
                rows.undoChanges()
                let code = (error as? ProjectionError)?.code ?? 0
                try rows.put(FailedEvent(code: code), in: failures, at: event.position)
                if declaration.failurePolicy == .stop { isStopped = true }
            }
            // A host that caught a failure of the store goes on with rows that do not follow from the log.
            if let storage = failure.error { throw storage }
        }
    }

    /// An event of an earlier version of a host's type as the current one would have recorded it; nil for any other.
    private func lifted(_ event: RecordView, _ symbols: SymbolTable, _ failure: StorageFailure) throws -> [UInt8]? {
        do {
            return try RecordDecoder(symbols: symbols).lifted(event)
        } catch let error as StoreError {
            return try failure.noting(.ofEvent) { throw error }
        }
    }

    private mutating func findsStopped(_ snapshot: borrowing ViewSnapshot) throws -> Bool {
        guard declaration.failurePolicy == .stop else { return false }
        if let isStopped { return isStopped }
        let found = try !snapshot.storedRows(of: failures, limit: 1).elements.isEmpty
        isStopped = found
        return found
    }
}

/// An event that a projection could not fold.
struct FailedEvent: DeclaredFields {
    /// The code of the error; 0 where it has none.
    var code: Int32

    static let fieldList = FieldList(Self.init, FieldOf(1, "code", \Self.code))

    /// The table of a projection's failed events, by position.
    static func table(of projection: ProjectionID) -> ProjectionTable<FailedEvent, Position> {
        ProjectionTable(projection, "failed-events", key: "position")
    }
}
