public import MessageStore
internal import MessageStoreLMDB

/// A provider of teams that answers by a script and records the requests.
public final class FakeTeamProvider: TeamProvider {
    /// What the provider answers: the teams asked for, and the number of the call from 1 on.
    public typealias Script = @Sendable (_ ids: [ConversationKey], _ call: Int) async throws -> [TeamInfo]

    private let asked = Locked<[[ConversationKey]]>([])
    private let delay: Delay
    private let script: Script

    /// A provider that answers by a script.
    ///
    /// - Parameters:
    ///   - delay: How long each answer takes.
    ///   - clock: Measures the delay, such as a ``ManualClock``.
    ///   - script: What it answers; may throw ``Refusal``.
    public init(
        delay: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(), _ script: @escaping Script
    ) {
        self.delay = Delay(delay, clock)
        self.script = script
    }

    /// The teams of each call.
    public var calls: [[ConversationKey]] { asked.withLock { $0 } }

    /// Records the teams and answers by the script.
    public func teams(for ids: [ConversationKey]) async throws -> [TeamInfo] {
        let call = asked.withLock { calls in
            calls.append(ids)
            return calls.count
        }
        try await delay.wait()
        return try await script(ids, call)
    }
}
