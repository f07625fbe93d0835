internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

struct ExpiryState: Sendable {
    /// Whether anything may disappear; nothing is looked for before.
    var hasTimers = false
    /// The time of the clock when it was last known to be right, and when that was, by the scheduler.
    var confirmed: (shown: Timestamp, at: Duration)
    /// Whether a jump was logged.
    var isJumpLogged = false

    init(confirmed shown: Timestamp, at moment: Duration) { confirmed = (shown, moment) }
}

extension MessageStore {
    /// How the clock was set ahead by more than a day since the store was opened, or since ``confirmClock()``; nil if
    /// it was not, or was set back.
    ///
    /// As long as it is, no message disappears, and nothing is erased after a delay. A jump is recognised by ``Configuration/clock``, which measures how
    /// much time has passed by ``Configuration/now``; it has to run on while the device sleeps. The store believes the
    /// clock at an opening, since a store may have been closed for any time: a host that knows the time better, such as
    /// from its server, provides it as ``Configuration/now``.
    public var clockJump: ClockJump? {
        let confirmed = expiry.withLock { $0.confirmed }
        // Before the time that passed is measured: time that passes in between is no jump.
        let shown = configuration.now()
        let passed = Int64((scheduler.now - confirmed.at) / .milliseconds(1))
        let expected = Timestamp(milliseconds: confirmed.shown.milliseconds &+ passed)
        guard shown.milliseconds &- expected.milliseconds > ClockJump.tolerance else { return nil }
        return ClockJump(expected: expected, shown: shown)
    }

    /// Lets messages disappear by the clock, although it jumped ahead; see ``clockJump``.
    public func confirmClock() {
        let moment = scheduler.now
        let confirmed = (configuration.now(), moment)
        expiry.withLock { ($0.confirmed, $0.isJumpLogged) = (confirmed, false) }
        lookForExpired(isNew: false)
    }

    /// Deletes messages whose time came before, if any have one.
    func beginExpiring() {
        if noteTimers() { expirer.lookNow(self) { try $0.expire() } }
    }

    /// Sees to it that the next append looks for messages whose time has come, if any have one; answers whether any do.
    @discardableResult
    func noteTimers() -> Bool {
        // The store that is followed deletes them.
        guard !configuration.processes.follows, (try? read { $0.hasTimers }) == true else { return false }
        expiry.withLock { $0.hasTimers = true }
        return true
    }

    /// Looks for messages whose time has come, since the time of others may have changed.
    ///
    /// - Parameter isNew: Whether there are timers that were not there before.
    func lookForExpired(isNew: Bool) {
        let hasTimers = expiry.withLock { state in
            state.hasTimers = state.hasTimers || isNew
            return state.hasTimers
        }
        if hasTimers { expirer.wake(self) { try $0.expire() } }
    }

    /// How many messages are deleted in one commit; each commit costs an erasure.
    private static let messagesPerCommit = 4096

    /// Deletes the messages whose time has come and erases their words.
    ///
    /// - Returns: When the time of the next one comes, or in an hour, since the clock may be set meanwhile.
    private func expire() throws -> Duration? {
        while true {
            guard !isHeldByJump() else { return scheduler.now + .seconds(3600) }
            // Before the wall clock is read: time that passes in between makes no wait longer.
            let moment = scheduler.now
            let now = configuration.now()
            let (expired, next) = try read { try $0.expired(at: now, limit: Self.messagesPerCommit) }
            guard !expired.isEmpty else {
                return next.map {
                    let rest = Duration.milliseconds($0.milliseconds) - .milliseconds(now.milliseconds)
                    return moment + min(max(rest, .zero), .seconds(3600))
                }
            }
            try record(
                expired.map { conversation, messages in
                    Event(MessagesDeleted(messages.map { .local($0) }, erases: true, isExpiry: true), in: conversation)
                })
        }
    }

    private func isHeldByJump() -> Bool {
        guard let jump = clockJump else { return false }
        let isNew = expiry.withLock { state in
            defer { state.isJumpLogged = true }
            return !state.isJumpLogged
        }
        if isNew {
            configuration.logger.warning(
                "the clock jumped ahead; no message expires until the host confirms it",
                metadata: ["expected": "\(jump.expected)", "shown": "\(jump.shown)"])
        }
        return true
    }
}

/// A clock that was set ahead by more than a day while a store was open.
public struct ClockJump: Sendable, Hashable {
    /// The time that the clock would show without the jump.
    public let expected: Timestamp
    /// The time that it shows.
    public let shown: Timestamp

    /// How far ahead a clock may be set before messages wait for the host's word.
    static let tolerance = Timestamp.greatestLead
}
