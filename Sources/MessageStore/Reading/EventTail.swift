internal import MessageStoreLMDB

/// The events after a position, those of the past and then each new one, in order, without repetition, and all of them
/// but those that a compaction cut off before they were read.
///
/// It returns only durable events. Use it where every event matters; to follow only the latest state, observe the
/// views. Iteration ends when the store is closed or the task is cancelled, and throws `StoreError` where the log
/// cannot be read. On a store that is open for reading only it continues with what the writing process records.
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
                let seen = store.tailWaiters.generation
                do {
                    try await readPage()
                } catch let error as StoreError where error.code == .closed {
                    return nil
                } catch let error as StoreError where error.code == .suspended {
                    guard await store.tailWaiters.wait(after: seen) else { return nil }
                    continue
                } catch is CancellationError {
                    return nil
                }
                guard page.isEmpty else { continue }
                await caughtUp(reached)
                guard await store.tailWaiters.wait(after: seen) else { return nil }
            }
        }

        private mutating func readPage() async throws {
            let (store, reached, filter) = (store, reached, filter)
            let (events, last) = try await store.run(on: store.readQueue) {
                let last = try store.lastDurablePosition()
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

/// Wakes tails and live queries when something was appended or redacted.
final class TailWaiters: Sendable {
    private struct State {
        var generation = 0
        var rewrites = 0
        var isFinished = false
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state = Locked(State())

    /// Counts the wake-ups; what was appended before it was read is visible to a read that follows.
    var generation: Int { state.withLock { $0.generation } }

    /// Counts the wake-ups by what changed without a new event: a redaction, or rows that were rebuilt.
    var rewrites: Int { state.withLock { $0.rewrites } }

    /// - Parameter isRewrite: Whether something changed without a new event.
    func wake(isRewrite: Bool = false) {
        let waiting = state.withLock { state in
            state.generation += 1
            if isRewrite { state.rewrites += 1 }
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: true) }
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: false) }
    }

    /// Waits for a wake-up after `generation`; false when there will be none, or the task is cancelled.
    func wait(after generation: Int) async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.isFinished || Task.isCancelled { return false }
                    if state.generation != generation { return true }
                    state.waiting[id] = continuation
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
        }
    }
}
