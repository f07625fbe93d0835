/// The answer to a query, now and after each change.
///
/// ```swift
/// for try await badge in store.observe({ try $0.unreadTotals().badge }) { show(badge) }
/// ```
///
/// - **Delivery:** the current value at once, then the latest one after changes, as the ``RefreshPolicy`` says; never
///   the same value twice in a row. Values are not buffered: a slow consumer gets the newest value next and misses
///   those between, and a window of ``RefreshPolicy/throttled(_:)`` starts when it asks again.
/// - **Order:** values never go back. Each is of one position, and one that is asked for after an append returned is
///   not older than that append.
/// - **Isolation:** the query runs on a queue of the store, under no lock and never on the thread of an appender. A
///   consumer that hangs, throws or is cancelled holds back neither appends nor other consumers; a query that hangs
///   keeps a thread and a read transaction, with the consequences of a long `read`. The consumer may use the store, the
///   query may not.
/// - **End:** iteration ends when the store is closed or the task is cancelled, after a query that is running. It
///   throws the query's error, else `StoreError`, and is over then.
/// - **Time:** if a value may change without an event, because a conversation is muted until some time, the query is
///   run again at that time, whatever the policy says, as far as it was known at the last look; up to an hour late if the clock of the wall is set forward
///   meanwhile.
/// - **Cost:** an append wakes each waiting consumer, unless a policy holds it back: it then waits for the end of
///   the window, or of the sync. A refresh is one run of the query, one point read and one seek among the muted
///   conversations. A value that asks for profiles or teams costs a few point reads more for each that it shows.
///
/// Iterators are independent of each other. The query keeps the store alive. On a store that is open for reading only
/// it continues with the events that the writing process records.
public struct LiveQuery<Value: Sendable & Equatable>: AsyncSequence, Sendable {
    /// An answer of the query.
    public typealias Element = Value

    let store: MessageStore
    let policy: RefreshPolicy
    let query: @Sendable (borrowing Views) throws -> Value
    /// The info that a value shows, so that the providers are asked; nil if nobody is to be asked.
    var shows: (@Sendable (Value) -> ShownInfo)?

    /// An iterator that begins with the current value.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Element, any Error> {
        Iterator(live: self)
    }

    /// Runs the query whenever a value is asked for that may have changed.
    struct Iterator: AsyncIteratorProtocol {
        private enum Signal {
            case start, change, timer
        }

        private let live: LiveQuery
        private var schedule: RefreshSchedule
        /// The last wake-up whose changes were looked at.
        private var generation = 0
        /// The completions that were known then.
        private var completions = 0
        /// The state of the views when they were last read; nil before the first time.
        private var seen: (position: Position, rewrites: Int, completions: Int)?
        /// When the views change by the clock alone; nil if they do not.
        private var limit: Duration?
        private var latest: Value?
        private var isFinished = false
        private let observer: InfoObserver?

        init(live: LiveQuery) {
            self.live = live
            observer = live.shows == nil ? nil : InfoObserver(live.store)
            schedule = RefreshSchedule(live.policy)
        }

        /// The current value at first, then the next one that differs; nil when the store is closed or the task
        /// cancelled.
        ///
        /// - Throws: The query's errors, else `StoreError`.
        mutating func next() async throws -> Value? {
            while !isFinished {
                guard let signal = await nextSignal() else { break }
                do {
                    if let value = try await look(after: signal), value != latest {
                        latest = value
                        return value
                    }
                } catch let error as StoreError where error.code == .closed {
                    break
                } catch let error as StoreError where error.code == .suspended {
                    guard await live.store.signal.wait(after: generation) else { break }
                } catch is CancellationError where Task.isCancelled {
                    break
                } catch {
                    isFinished = true
                    throw error
                }
            }
            isFinished = true
            return nil
        }

        /// Runs the query if the schedule says so; nil if not.
        private mutating func look(after signal: Signal) async throws -> Value? {
            // Taken before the views are: events in between are looked at once more, and nothing is missed.
            generation = live.store.signal.generation
            if live.policy != .perPackage { completions = live.store.signal.completions }
            let now = live.store.scheduler.now
            let rewrites = live.store.signal.rewrites
            let (live, before, seen, limit, latest) = (live, schedule, seen, limit, latest)
            let (value, missing, completions, schedule, position, next) = try await live.store.read { views in
                let position = views.position
                // Events are visible a moment before they wake anybody, so they may have been looked at already.
                if signal == .change, let seen, seen == (position, rewrites, seen.completions) {
                    // Infos that were invalidated while their request was open are requested once it no longer is.
                    var missing: ShownInfo?
                    if let latest, let shows = live.shows {
                        missing = try live.store.missing(of: shows(latest), views)
                    }
                    return (Value?.none, missing, seen.completions, before, position, limit)
                }
                let progress = try views.syncProgress()
                var schedule = before
                let isDue =
                    switch signal {
                    case .start: true
                    case .timer: schedule.timerFired(at: now) || limit.map { $0 <= now } ?? false
                    case .change:
                        schedule.committed(
                            at: now, isSyncing: progress.isSyncing,
                            hasCompleted: progress.completions != seen?.completions)
                    }
                if isDue { schedule.refreshed() }
                let watch = isDue ? live.store.configuration.stopwatch() : nil
                let value = isDue ? try live.query(views) : nil
                watch?(StoreMeasurement.refresh)
                var missing: ShownInfo?
                if let value, let shows = live.shows { missing = try live.store.missing(of: shows(value), views) }
                let next = try Self.wait(views).map { now + $0 }
                // A limit that passed before anything was looked at keeps its turn.
                let isOpen = !isDue && limit.map { $0 <= now } ?? false
                return (value, missing, progress.completions, schedule, position, isOpen ? limit : next)
            }
            self.limit = next
            if let missing { observer?.note(missing) }
            self.seen = (position, rewrites, completions)
            self.schedule = schedule
            return value
        }

        /// The longest time for which the views do not change by the clock alone; nil if they never do.
        private static func wait(_ views: borrowing Views) throws -> Duration? {
            let moment = Swift.max(try views.snapshot.time(), .unknown)
            guard let limit = try views.snapshot.nextMuteLimit(after: moment) else { return nil }
            // The clocks of the wall and of waiting drift apart.
            return Swift.min(.milliseconds(limit.milliseconds - moment.milliseconds), .seconds(3600))
        }

        /// Waits for a change, a time at which the views change, or for the end of the window that is open; nil at the
        /// end of the iteration.
        private func nextSignal() async -> Signal? {
            guard !Task.isCancelled else { return nil }
            guard seen != nil else { return .start }
            guard let deadline = [schedule.deadline, limit].compactMap(\.self).min() else { return await change() }
            // Changes that keep coming do not extend the window.
            let scheduler = live.store.scheduler
            guard scheduler.now < deadline else { return .timer }
            return await withTaskGroup(of: Signal?.self) { [self] group in
                group.addTask { await change() }
                group.addTask {
                    do { try await scheduler.sleep(until: deadline) } catch { return nil }
                    return .timer
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
        }

        /// Waits for a change that may cause a refresh; nil at the end of the iteration.
        private func change() async -> Signal? {
            let isChanged =
                if schedule.awaitsCompletion {
                    await live.store.signal.waitForCompletion(after: completions)
                } else {
                    await live.store.signal.wait(after: generation)
                }
            return isChanged ? .change : nil
        }
    }
}

extension MessageStore {
    /// The answer to a query, now and after each change; see ``LiveQuery`` for its guarantees.
    ///
    /// - Parameters:
    ///   - policy: When to refresh.
    ///   - query: Runs on a queue of the store; it must not use the store. Keep it short, as the body of a `read`.
    /// - Returns: A sequence that runs nothing before it is iterated.
    public func observe<Value: Sendable & Equatable>(
        policy: RefreshPolicy = .perPackage, _ query: @escaping @Sendable (borrowing Views) throws -> Value
    ) -> LiveQuery<Value> {
        LiveQuery(store: self, policy: policy, query: query)
    }

    /// The answer to a query, live; asks the providers for the info that it shows.
    func observe<Value: Sendable & Equatable>(
        policy: RefreshPolicy, showing shows: @escaping @Sendable (Value) -> ShownInfo,
        _ query: @escaping @Sendable (borrowing Views) throws -> Value
    ) -> LiveQuery<Value> {
        LiveQuery(store: self, policy: policy, query: query, shows: hasInfoProvider ? shows : nil)
    }
}

/// When a live query is refreshed after something was recorded.
///
/// | policy | 200 messages in 0.1 s, one package, window 0.1 s | 10,000 in 1 s, 50 packages, window 0.5 s |
/// | --- | --- | --- |
/// | ``perPackage`` | 1 refresh | 50 refreshes |
/// | ``onCompletion`` | 1 | 1 |
/// | ``throttled(_:)`` | 2 | 3 |
///
/// The table shows the refreshes that an offline sync causes. A refresh runs the query once; if the value equals the
/// one delivered last, nothing is delivered.
public enum RefreshPolicy: Sendable, Hashable {
    /// A refresh after each commit: a package, a batch, a single event.
    case perPackage
    /// No refresh during an offline sync and one when it completes; otherwise a refresh after each commit.
    ///
    /// A sync that is dropped counts as going on until the next one completes; until then nothing is delivered.
    case onCompletion
    /// At most one refresh in each window: the first change starts a window, and the refresh follows at its end.
    ///
    /// The completion of an offline sync ends the window and causes a final refresh at once.
    case throttled(Duration)
}

/// Decides when a live query is run again: a ``RefreshPolicy`` at work.
///
/// A pure state machine. Callers pass moments as durations since a fixed moment, which may not fall.
struct RefreshSchedule: Sendable, Hashable {
    let policy: RefreshPolicy
    /// The end of the window that is open; nil while none is.
    private(set) var deadline: Duration?
    /// Whether nothing but its deadline or the completion of a sync causes a refresh.
    private(set) var awaitsCompletion = false

    init(_ policy: RefreshPolicy) {
        self.policy = policy
    }

    /// Something was committed; answers whether to refresh now.
    ///
    /// - Parameters:
    ///   - now: When.
    ///   - isSyncing: Whether an offline sync is going on after the commit.
    ///   - hasCompleted: Whether one has completed since the last refresh.
    mutating func committed(at now: Duration, isSyncing: Bool, hasCompleted: Bool) -> Bool {
        switch policy {
        case .perPackage: return true
        case .onCompletion:
            awaitsCompletion = !hasCompleted && isSyncing
            return !awaitsCompletion
        case .throttled(let window):
            awaitsCompletion = !hasCompleted
            if hasCompleted {
                deadline = nil
                return true
            }
            if deadline == nil { deadline = now + window }
            return false
        }
    }

    /// The query runs, for whatever reason: the next change is looked at.
    mutating func refreshed() { awaitsCompletion = false }

    /// A timer fired; answers whether to refresh now. One that fires for a dropped window does nothing.
    mutating func timerFired(at now: Duration) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }
}
