public import MessageStore
internal import MessageStoreLMDB

/// A value that a test or a fake changes, and tasks that wait until it is as they need it.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isReached: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var nextID = 0
        var waiters: [Int: Waiter] = [:]
    }

    private let state: Locked<State>

    package init(_ value: Value) {
        state = Locked(State(value: value))
    }

    package var value: Value { state.withLock { $0.value } }

    /// Changes the value, and wakes the tasks whose condition holds then.
    @discardableResult
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        let (result, reached) = state.withLock { state in
            let result = body(&state.value)
            let reached = state.waiters.filter { $0.value.isReached(state.value) }
            for id in reached.keys { state.waiters[id] = nil }
            return (result, reached)
        }
        for waiter in reached.values { waiter.continuation.resume() }
        return result
    }

    /// Returns once a condition holds, or when the task is cancelled.
    package func wait(until isReached: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || isReached(state.value) { return true }
                    state.waiters[id] = Waiter(isReached: isReached, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}

/// A message filter that judges by a script and records the messages.
public final class FakeMessageFilter: MessageFilter {
    /// A verdict for each message, in their order.
    public typealias Script = @Sendable ([MessageReceived], ConversationKey) async throws -> [FilterVerdict]

    /// Recorded with each verdict.
    public let version: UInt32
    /// The messages that it was asked about, for tests that wait for them.
    package let seen = Watched<[ServerMessageID]>([])
    private let delay: Delay
    private let script: Script

    /// A filter that judges by a script.
    ///
    /// - Parameters:
    ///   - version: Recorded with each verdict.
    ///   - delay: How long each answer takes.
    ///   - clock: Measures the delay, such as a ``ManualClock``.
    ///   - script: The answers; may throw ``Refusal``.
    public init(
        version: UInt32 = 1, delay: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
        _ script: @escaping Script
    ) {
        self.version = version
        self.delay = Delay(delay, clock)
        self.script = script
    }

    /// A filter that judges each message by its text.
    public convenience init(version: UInt32 = 1, byText judge: @escaping @Sendable (String) -> FilterVerdict) {
        self.init(version: version) { messages, _ in messages.map { judge($0.content.text ?? "") } }
    }

    /// The messages that it was asked about.
    public var asked: [ServerMessageID] { seen.value }

    /// Records the messages and answers by the script.
    public func verdicts(
        on messages: [MessageReceived], in conversation: ConversationKey
    ) async throws -> [FilterVerdict] {
        seen.change { $0 += messages.map(\.serverID) }
        try await delay.wait()
        return try await script(messages, conversation)
    }
}
