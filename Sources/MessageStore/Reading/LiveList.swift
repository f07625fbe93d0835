/// The rows of a live query with the changes among them; see ``LiveQuery/updates(of:)``.
///
/// The first update holds all rows as inserted, an empty list included. Later ones come when the rows differ from those
/// delivered last; otherwise it behaves as its ``LiveQuery``.
public struct LiveList<Value: Sendable & Equatable, Row: Identifiable & Equatable & Sendable>: AsyncSequence, Sendable {
    /// Rows and changes.
    public typealias Element = ListUpdate<Row>

    let live: LiveQuery<Value>
    let rows: @Sendable (Value) -> [Row]

    /// An iterator that begins with all rows.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Element, any Error> {
        Iterator(values: live.makeAsyncIterator(), rows: rows)
    }

    /// Compares the rows of each value with those delivered last, in the consumer's task.
    struct Iterator: AsyncIteratorProtocol {
        var values: LiveQuery<Value>.AsyncIterator
        let rows: @Sendable (Value) -> [Row]
        fileprivate var shown: [Row]?

        /// The next update; nil when the store is closed or the task cancelled.
        ///
        /// - Throws: The query's errors, else `StoreError`.
        mutating func next() async throws -> ListUpdate<Row>? {
            while let value = try await values.next() {
                let new = rows(value)
                guard new != shown else { continue }
                defer { shown = new }
                return ListUpdate(from: shown ?? [], to: new)
            }
            return nil
        }
    }
}

extension LiveQuery {
    /// The rows of each value, with the changes among them, for list views that animate.
    ///
    /// - Parameter rows: The rows in a value; each id at most once.
    /// - Returns: See ``LiveList``; an update costs as much as ``ListUpdate/init(from:to:)``.
    public func updates<Row: Identifiable & Equatable & Sendable>(
        of rows: @escaping @Sendable (Value) -> [Row]
    ) -> LiveList<Value, Row> {
        LiveList(live: self, rows: rows)
    }
}

/// The rows of a list, and the changes since the delivery before.
public struct ListUpdate<Row: Identifiable & Equatable & Sendable>: Sendable, Equatable {
    /// The rows now.
    public let rows: [Row]
    /// The changes from the rows delivered before (none at first) to these.
    public let changes: ListChanges

    /// Computes the changes from one state of a list to the next.
    ///
    /// Costs one look-up for each row, and time in proportion to the rows times the rows that were inserted, deleted or
    /// moved.
    ///
    /// - Parameters:
    ///   - old: The rows before; each id at most once.
    ///   - new: The rows now; each id at most once.
    public init(from old: [Row], to new: [Row]) {
        rows = new
        changes = ListChanges(from: old, to: new)
    }
}

/// The changes of a list, in the form that batch updates of list views take.
///
/// **Old** indices are of the rows before any change, **new** ones of the rows after all changes. Every old row is
/// deleted, moved or stays; rows that stay keep their order. The changes can be applied in two ways:
///
/// - `performBatchUpdates` of UIKit and AppKit: ``deleted``, ``inserted`` and ``moved`` in one batch, in any order;
///   after it ``updated`` as reconfigured or reloaded items.
/// - An array, step by step: remove ``deleted`` and the sources of ``moved`` together from the highest index to the
///   lowest; insert ``inserted`` and the destinations of ``moved`` together from the lowest to the highest; replace
///   ``updated``.
public struct ListChanges: Sendable, Hashable {
    /// A row that moved.
    public struct Move: Sendable, Hashable {
        /// Its old index.
        public let source: Int
        /// Its new index.
        public let destination: Int
    }

    /// Old indices of deleted rows, descending.
    public private(set) var deleted: [Int] = []
    /// New indices of inserted rows, ascending.
    public private(set) var inserted: [Int] = []
    /// Moved rows, by ascending destination.
    public private(set) var moved: [Move] = []
    /// New indices of rows that kept their id and changed otherwise, ascending; moved ones included.
    public private(set) var updated: [Int] = []

    /// Whether the rows are the same.
    public var isEmpty: Bool { deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty }

    init<Row: Identifiable & Equatable>(from old: [Row], to new: [Row]) {
        let difference = new.map(\.id).difference(from: old.map(\.id)).inferringMoves()
        for case .remove(let index, _, nil) in difference.removals.reversed() { deleted.append(index) }
        for case .insert(let index, _, let source) in difference.insertions {
            if let source { moved.append(Move(source: source, destination: index)) } else { inserted.append(index) }
        }
        let before = Dictionary(old.map { ($0.id, $0) }) { first, _ in first }
        updated = new.indices.filter { index in
            guard let row = before[new[index].id] else { return false }
            return row != new[index]
        }
    }
}
