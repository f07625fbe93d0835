/// Decides when a live query is run again: a ``RefreshPolicy`` at work.
///
/// A pure state machine. Callers pass moments as durations since a fixed moment, which may not fall.
struct RefreshSchedule: Sendable, Hashable {
    let policy: RefreshPolicy
    /// The end of the window that is open; nil while none is.
    private(set) var deadline: Duration?

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
        case .onCompletion: return hasCompleted || !isSyncing
        case .throttled(let window):
            if hasCompleted {
                deadline = nil
                return true
            }
            if deadline == nil { deadline = now + window }
            return false
        }
    }

    /// A timer fired; answers whether to refresh now. One that fires for a dropped window does nothing.
    mutating func timerFired(at now: Duration) -> Bool {
        guard let deadline, deadline <= now else { return false }
        self.deadline = nil
        return true
    }
}
