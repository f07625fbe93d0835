public import MessageStore
public import Observation

/// The newest value of a live query as an observable property, for views.
///
/// ```swift
/// let totals = LiveValue(store.observeUnreadTotals())
/// // In a view: Text("\(totals.value?.badge ?? 0)")
/// ```
///
/// - **Isolation:** the query runs on a queue of the store, and values are compared apart from the main actor. The main
///   actor assigns each value and does nothing else; no read of the store runs on it.
/// - **Delivery:** the first value follows one read; later ones follow changes, as the query's ``RefreshPolicy`` says.
///   No value is assigned twice in a row.
/// - **End:** the query ends when this object is released, follows another sequence or stops. A store that is closed
///   ends it as well; the last value stays until another sequence is followed.
/// - **Cost:** one hop to the main actor for each value.
@MainActor @Observable
public final class LiveValue<Value: Sendable & Equatable> {
    /// The values of one source.
    private struct State {
        let source: Int
        var value: Value?
        var error: (any Error)?
        var isLoading = false
    }

    private var state = State(source: 0)
    /// The number of the source that is followed; a state of another one is not shown.
    @ObservationIgnored private var source = 0
    @ObservationIgnored private var task: Task<Void, Never>?
    /// Starts the sequence that is followed once more.
    @ObservationIgnored private var restart: (@MainActor () -> Void)?
    /// Counts the sequences, so that a late value of an earlier one is dropped.
    @ObservationIgnored private var turn = 0
    /// The inputs of the query that a view follows.
    @ObservationIgnored private var id: AnyHashable?
    @ObservationIgnored private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    @ObservationIgnored private var waiterID = 0
    @ObservationIgnored var onValue: (@MainActor (Value) -> Void)?

    /// The newest value; nil before the first one, and from a switch to another sequence until its first one.
    public var value: Value? { current?.value }
    /// The error that ended the query; nil while it runs. The last value before it stays.
    public var error: (any Error)? { current?.error }
    /// Whether the first value of the sequence that is followed has not come yet.
    public var isLoading: Bool { current?.isLoading ?? (task != nil) }

    private var current: State? {
        let state = state
        return state.source == source ? state : nil
    }

    /// Creates a value that follows nothing yet.
    ///
    /// - Parameter onValue: A closure that runs after each assignment, for views that apply every
    ///   ``ListUpdate/changes``.
    public init(onValue: (@MainActor (Value) -> Void)? = nil) {
        self.onValue = onValue
    }

    /// Creates a value that follows a live query or list.
    ///
    /// - Parameters:
    ///   - source: The sequence, as of `store.observeConversations()`.
    ///   - onValue: A closure that runs after each assignment.
    public convenience init(
        _ source: some AsyncSequence<Value, any Error> & Sendable, onValue: (@MainActor (Value) -> Void)? = nil
    ) {
        self.init(onValue: onValue)
        follow(source)
    }

    deinit { task?.cancel() }

    /// Follows a sequence in place of the one before, as after a switch of the account: the former value is gone at
    /// once, and no later value of the former sequence is assigned.
    ///
    /// - Parameter source: The sequence.
    public func follow(_ source: some AsyncSequence<Value, any Error> & Sendable) {
        self.source += 1
        id = nil
        start(source)
    }

    /// Follows a query with other inputs; called while a view is made, when no observer may be notified.
    ///
    /// - Parameters:
    ///   - id: The inputs of the query.
    ///   - query: Makes the query; nil if there is nothing to follow.
    func follow(id: AnyHashable, _ query: () -> LiveQuery<Value>?) {
        guard id != self.id else { return }
        source += 1
        self.id = id
        if let query = query() { start(query, notifies: false) } else { end() }
        // Other observers than the view that is being made.
        Task { [weak self, source] in self?.hideFormer(than: source) }
    }

    /// Follows another query; the value of the same source stays until the first one of the query.
    func start(_ source: some AsyncSequence<Value, any Error> & Sendable, notifies: Bool = true) {
        end()
        restart = { [unowned self] in start(source) }
        if notifies { state = State(source: self.source, value: value, isLoading: true) }
        let (turn, shown) = (turn, value)
        task = Task.detached(priority: .userInitiated) { [weak self] in
            var shown = shown
            do {
                for try await value in source {
                    // The first value of a sequence may be the one that is shown already.
                    let isNew = shown.map { $0 != value } ?? true
                    shown = nil
                    guard await self?.take(isNew ? value : nil, turn) == true else { return }
                }
                await self?.finish(nil, turn)
            } catch {
                await self?.finish(error, turn)
            }
        }
    }

    /// Ends the query; the value stays.
    public func stop() {
        end()
        if isLoading { state = State(source: source, value: value) }
    }

    /// Runs the query again after an error; the value stays until the next one. Without an error it does nothing.
    public func retry() {
        if error != nil { restart?() }
    }

    /// Waits until the first value of the sequence that is followed has come, the query has ended without one, or the
    /// task is cancelled.
    ///
    /// - Returns: The value.
    @discardableResult
    public func loaded() async -> Value? {
        while task != nil, isLoading, !Task.isCancelled {
            waiterID += 1
            let id = waiterID
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiting[id] = $0 }
            } onCancel: {
                Task { @MainActor [weak self] in self?.waiting.removeValue(forKey: id)?.resume() }
            }
        }
        return value
    }

    private func hideFormer(than source: Int) {
        guard source == self.source, state.source != source else { return }
        state = State(source: source, isLoading: task != nil)
    }

    /// Ends the query that is followed, and wakes tasks that wait for its first value.
    private func end() {
        task?.cancel()
        (task, restart) = (nil, nil)
        turn += 1
        resume()
    }

    private func resume() {
        let waiting = waiting
        self.waiting = [:]
        for continuation in waiting.values { continuation.resume() }
    }

    /// Assigns a value, if the sequence that it comes from is still followed; nil is the value that is shown.
    private func take(_ value: Value?, _ turn: Int) -> Bool {
        guard turn == self.turn else { return false }
        if let value { state = State(source: source, value: value) } else { state.isLoading = false }
        resume()
        if let value { onValue?(value) }
        return true
    }

    private func finish(_ error: (any Error)?, _ turn: Int) {
        guard turn == self.turn else { return }
        task = nil
        state = State(source: source, value: value, error: error)
        resume()
    }
}

extension LiveValue where Value == Int {
    /// Creates the number of unread messages for an app's icon, without muted conversations.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - policy: When to refresh.
    public convenience init(badgeOf store: MessageStore, policy: RefreshPolicy = .perPackage) {
        self.init(store.observe(policy: policy) { try $0.unreadTotals().badge })
    }
}
