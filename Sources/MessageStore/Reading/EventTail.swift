internal import MessageStoreLMDB

/// The events after a position, past ones and then each new one, in order, without repetition, and all of them but ones
/// that a compaction cut off before they were read.
///
/// It returns only durable events. Use it if every event matters; to follow only the latest state, observe the views.
/// Iteration ends when the store is closed or the task is cancelled, and throws `StoreError` if the log cannot be read.
/// On a store that is open for reading only it continues with the events that the writing process records.
public struct EventTail: AsyncSequence, Sendable {
    /// An event with its position.
    public typealias Element = RecordedEvent

    let store: MessageStore
    let start: Position
    let filter: EventFilter

    /// An iterator that begins after the start position.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Element, any Error> {
        Iterator(store: store, reached: start, filter: filter)
    }

    /// Reads ahead by pages of 256 events.
    struct Iterator: AsyncIteratorProtocol {
        let store: MessageStore
        var reached: Position
        let filter: EventFilter
        private var page: ArraySlice<RecordedEvent> = []

        init(store: MessageStore, reached: Position, filter: EventFilter) {
            self.store = store
            self.reached = reached
            self.filter = filter
        }

        /// The next event; nil when the store is closed or the task cancelled.
        mutating func next() async throws -> RecordedEvent? {
            try await next(whenCaughtUp: { _ in })
        }

        /// The next event; calls `caughtUp` with the position reached before it waits for one.
        mutating func next(whenCaughtUp caughtUp: (Position) async -> Void) async throws -> RecordedEvent? {
            while true {
                if let event = page.popFirst() { return event }
                guard !Task.isCancelled else { return nil }
                let seen = store.signal.generation
                do {
                    try await readPage()
                } catch let error as StoreError where error.code == .closed {
                    return nil
                } catch let error as StoreError where error.code == .suspended {
                    guard await store.signal.wait(after: seen) else { return nil }
                    continue
                } catch is CancellationError {
                    return nil
                }
                guard page.isEmpty else { continue }
                await caughtUp(reached)
                guard await store.signal.wait(after: seen) else { return nil }
            }
        }

        private mutating func readPage() async throws {
            let (store, reached, filter) = (store, reached, filter)
            let (events, last) = try await store.run(on: store.readQueue) {
                // The tail may begin after the last event, or after one that is not durable yet.
                let last = try store.lastDurablePosition()
                guard reached < last else { return ([RecordedEvent](), reached) }
                let first = Position(reached.rawValue + 1)
                return (try store.events(from: first, to: last, where: filter, limit: 256), last)
            }
            page = events[...]
            self.reached = events.count == 256 ? events[255].position : last
        }
    }
}

extension MessageStore {
    /// The events after `position`: those recorded already, then each new one.
    ///
    /// - Parameters:
    ///   - position: `Position.origin` for all; the last one handled to continue.
    ///   - filter: The events to include.
    public func tail(after position: Position, where filter: EventFilter = .all) -> EventTail {
        EventTail(store: self, start: position, filter: filter)
    }
}
