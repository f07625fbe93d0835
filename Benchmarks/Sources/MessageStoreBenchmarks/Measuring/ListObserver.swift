internal import MessageStore
internal import Synchronization

/// An observer of the conversation list that counts what it is told.
final class ListObserver: Sendable {
    private let count: Counter
    private let task: Task<Void, any Error>

    /// A number that a task raises while others read it.
    private final class Counter: Sendable {
        let value = Mutex(0)
    }

    init(_ store: MessageStore) {
        let count = Counter()
        self.count = count
        task = Task.detached {
            for try await page in store.observeConversations(limit: 50) where !page.elements.isEmpty {
                count.value.withLock { $0 += 1 }
            }
        }
    }

    /// Ends the observation and answers how many values came.
    func stop() -> Int {
        task.cancel()
        return count.value.withLock { $0 }
    }
}
