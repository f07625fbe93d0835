@_spi(Storage) internal import MessageStoreLog

/// A projection at work in one batch.
protocol BatchFold: ~Copyable {
    /// Folds an event into the projection's own tables.
    ///
    /// - Parameter changes: What projections before this one made of the event; this one may add to it.
    mutating func apply(_ event: RecordView, _ views: inout Views, _ changes: inout FoldChanges) throws
    /// Writes what is kept decoded; only then are the rows those of the position.
    mutating func finishBatch(_ views: inout Views) throws
}

extension BatchFold where Self: ~Copyable {
    mutating func finishBatch(_ views: inout Views) throws {}
}

/// Any ``BatchFold``.
///
/// It is made of functions instead of being a generic class, because those of a generic class are not specialised, and
/// making its metadata costs milliseconds when a process folds for the first time.
final class AnyFold {
    private let storage: UnsafeMutableRawPointer
    private let applyEvent: (UnsafeMutableRawPointer, RecordView, inout Views, inout FoldChanges) throws -> Void
    private let finish: (UnsafeMutableRawPointer, inout Views) throws -> Void
    private let destroy: (UnsafeMutableRawPointer) -> Void

    @inline(__always)
    init<Fold: BatchFold & ~Copyable>(_ fold: consuming Fold) {
        let pointer = UnsafeMutablePointer<Fold>.allocate(capacity: 1)
        pointer.initialize(to: fold)
        storage = UnsafeMutableRawPointer(pointer)
        applyEvent = { storage, event, views, changes in
            try storage.assumingMemoryBound(to: Fold.self).pointee.apply(event, &views, &changes)
        }
        finish = { storage, views in
            try storage.assumingMemoryBound(to: Fold.self).pointee.finishBatch(&views)
        }
        destroy = { storage in
            let pointer = storage.assumingMemoryBound(to: Fold.self)
            pointer.deinitialize(count: 1)
            pointer.deallocate()
        }
    }

    deinit { destroy(storage) }

    @inline(__always)
    func apply(_ event: RecordView, _ views: inout Views, _ changes: inout FoldChanges) throws {
        try applyEvent(storage, event, &views, &changes)
    }

    func finishBatch(_ views: inout Views) throws { try finish(storage, &views) }
}
