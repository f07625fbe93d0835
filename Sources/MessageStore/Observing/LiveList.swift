/// The rows of a live query with what changed among them; see ``LiveQuery/updates(of:)``.
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
        private var shown: [Row]?

        init(values: LiveQuery<Value>.AsyncIterator, rows: @escaping @Sendable (Value) -> [Row]) {
            self.values = values
            self.rows = rows
        }

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
    /// The rows of each value, with what changed among them, for list views that animate.
    ///
    /// - Parameter rows: The rows in a value; each id at most once.
    /// - Returns: See ``LiveList``; an update costs what ``ListUpdate/init(from:to:)`` does.
    public func updates<Row: Identifiable & Equatable & Sendable>(
        of rows: @escaping @Sendable (Value) -> [Row]
    ) -> LiveList<Value, Row> {
        LiveList(live: self, rows: rows)
    }
}
