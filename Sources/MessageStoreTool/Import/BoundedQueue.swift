internal import MessageStoreLMDB

/// Passes elements from one thread to another; the faster one waits.
final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var isCancelled = false
    }

    private let state = Locked(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds an element once there is room; returns false if the consumer has stopped.
    func push(_ element: Element) -> Bool {
        state.waitUntil({ $0.elements.count < limit || $0.isCancelled }, then: { _ in })
        return state.signal { state in
            guard !state.isCancelled else { return false }
            state.elements.append(element)
            return true
        }
    }

    /// Takes the first element once there is one.
    func pop() -> Element {
        state.waitUntil({ !$0.elements.isEmpty }, then: { _ in })
        return state.signal { $0.elements.removeFirst() }
    }

    /// Lets every ``push(_:)`` answer false from now on.
    func cancel() {
        state.signal { $0.isCancelled = true }
    }
}
