public import MessageStore
internal import MessageStoreLMDB

/// Makes the commits of a store's log slow or fail, and counts them.
///
/// ```swift
/// let faults = CommitFaults(cost: .milliseconds(5))
/// faults.install(in: &configuration)
/// ```
public final class CommitFaults: Sendable {
    private struct State {
        var cost: Duration
        var failures = 0
        var commits = 0
    }

    private let state: Locked<State>

    /// - Parameter cost: The time that each commit takes in addition, as on a slow disk.
    public init(cost: Duration = .zero) {
        state = Locked(State(cost: cost))
    }

    /// Installs the faults in a configuration, for all stores opened with it.
    public func install(in configuration: inout MessageStore.Configuration) {
        configuration.commitFault = { [self] in try commit() }
    }

    /// The number of commits attempted, including failed ones.
    public var commits: Int { state.withLock { $0.commits } }

    /// Makes the next commits fail as on a full disk; 0 makes them succeed again.
    public func fail(next count: Int) {
        state.withLock { $0.failures = count }
    }

    private func commit() throws {
        let (cost, fails) = state.withLock { state in
            state.commits += 1
            let fails = state.failures > 0
            if fails { state.failures -= 1 }
            return (state.cost, fails)
        }
        if cost > .zero { Self.wait(cost) }
        if fails { throw LMDBError(.init(rawValue: ENOSPC), operation: "commit", path: "", detail: "injected fault") }
    }

    private static func wait(_ duration: Duration) {
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end { usleep(100) }
    }
}

/// The ``StoreError`` that `body` throws, or nil.
package func storeError<Result>(_ body: () throws -> Result) -> StoreError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? StoreError
    }
}
