@_spi(Storage) internal import MessageStoreLog

/// A projection at work in one fold.
protocol BatchFold: ~Copyable {
    /// Folds an event into the projection's own tables.
    ///
    /// - Parameter changes: What projections before this one made of the event; this one may add to it.
    mutating func apply(_ event: RecordView, _ rows: inout FoldRows, _ changes: inout FoldChanges) throws
    /// How many conversations' rows are kept decoded.
    var openConversations: Int { get }
    /// Writes what is kept decoded; only then are the rows those of the position.
    mutating func finishBatch(_ rows: inout FoldRows) throws
}

extension BatchFold where Self: ~Copyable {
    var openConversations: Int { 0 }
    mutating func finishBatch(_ rows: inout FoldRows) throws {}
}

/// Any ``BatchFold``.
///
/// It is made of functions instead of being a generic class, because those of a generic class are not specialised, and
/// making its metadata costs milliseconds when a process folds for the first time.
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
