@_spi(Storage) internal import MessageStoreLog

/// A projection at work in one fold.
protocol BatchFold: ~Copyable {
    /// Folds an event into the projection's own tables.
    ///
    /// - Parameter changes: The changes that earlier projections made of the event; this one may add to them.
    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws
    /// How many conversations' rows are kept decoded.
    var openConversations: Int { get }
    /// Writes rows that are kept decoded; only then do the rows match the position.
    mutating func finishBatch(_ rows: inout FoldRows) throws
}

extension BatchFold where Self: ~Copyable {
    var openConversations: Int { 0 }
    mutating func finishBatch(_ rows: inout FoldRows) throws {}
}

/// Any ``BatchFold``.
///
/// It is made of functions instead of being a generic class, because a generic class's functions are not specialised,
/// and making its metadata costs milliseconds when a process folds for the first time.
final class AnyFold {
    private let storage: UnsafeMutableRawPointer
    private let applyEvent: (UnsafeMutableRawPointer, RecordView, inout FoldRows, inout FoldChanges) throws -> Void
    private let open: (UnsafeMutableRawPointer) -> Int
    private let finish: (UnsafeMutableRawPointer, inout FoldRows) throws -> Void
    private let destroy: (UnsafeMutableRawPointer) -> Void

    @inline(__always)
    init<Fold: BatchFold & ~Copyable>(_ fold: consuming Fold) {
        let pointer = UnsafeMutablePointer<Fold>.allocate(capacity: 1)
        pointer.initialize(to: fold)
        storage = UnsafeMutableRawPointer(pointer)
        applyEvent = { storage, event, rows, changes in
            try storage.assumingMemoryBound(to: Fold.self).pointee.apply(event, &rows, &changes)
        }
        open = { storage in storage.assumingMemoryBound(to: Fold.self).pointee.openConversations }
        finish = { storage, rows in
            try storage.assumingMemoryBound(to: Fold.self).pointee.finishBatch(&rows)
        }
        destroy = { storage in
            let pointer = storage.assumingMemoryBound(to: Fold.self)
            pointer.deinitialize(count: 1)
            pointer.deallocate()
        }
    }

    deinit { destroy(storage) }

    @inline(__always)
    func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws {
        try applyEvent(storage, event, &rows, &changes)
    }

    /// The fold, which is of the type that the caller names.
    func lent<Fold: BatchFold & ~Copyable>() -> UnsafeMutablePointer<Fold> {
        storage.assumingMemoryBound(to: Fold.self)
    }

    var openConversations: Int { open(storage) }

    func finishBatch(_ rows: inout FoldRows) throws { try finish(storage, &rows) }
}

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
    /// The code of the error; 0 if it has none.
    var code: Int32

    static let fieldList = FieldList(Self.init, FieldOf(1, "code", \Self.code))

    /// The table of a projection's failed events, by position.
    static func table(of projection: ProjectionID) -> ProjectionTable<FailedEvent, Position> {
        ProjectionTable(projection, "failed-events", key: "position")
    }
}
