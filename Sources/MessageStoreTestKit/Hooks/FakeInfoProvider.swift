public import MessageStore

/// A provider of profiles or teams that answers by a script and records the requests.
public final class FakeInfoProvider<ID: Sendable, Info: Sendable>: Sendable {
    /// The provider's answers: to the ids asked for, and the number of the call from 1 on.
    public typealias Script = @Sendable (_ ids: [ID], _ call: Int) async throws -> [Info]

    /// The ids of each call, for tests that wait for calls.
    package let asked = Watched<[[ID]]>([])
    private let delay: Delay
    private let script: Script

    /// A provider that answers by a script.
    ///
    /// - Parameters:
    ///   - delay: How long each answer takes.
    ///   - clock: Measures the delay, such as a ``ManualClock``.
    ///   - script: The answers; may throw ``Refusal``.
    public init(
        delay: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(), _ script: @escaping Script
    ) {
        self.delay = Delay(delay, clock)
        self.script = script
    }

    /// The ids of each call.
    public var calls: [[ID]] { asked.value }

    private func answer(_ ids: [ID]) async throws -> [Info] {
        let call = asked.change { calls in
            calls.append(ids)
            return calls.count
        }
        try await delay.wait()
        return try await script(ids, call)
    }
}

/// A provider of profiles for tests.
public typealias FakeProfileProvider = FakeInfoProvider<UserID, Profile>

/// A provider of teams for tests.
public typealias FakeTeamProvider = FakeInfoProvider<ConversationKey, TeamInfo>

extension FakeInfoProvider: ProfileProvider where ID == UserID, Info == Profile {
    /// A provider that knows everybody, by a name made of the id and the number of the call.
    public convenience init() {
        self.init { users, call in users.map { Profile(id: $0, name: "\($0) \(call)") } }
    }

    /// Records the users and answers by the script.
    public func profiles(for users: [UserID]) async throws -> [Profile] { try await answer(users) }
}

extension FakeInfoProvider: TeamProvider where ID == ConversationKey, Info == TeamInfo {
    /// Records the teams and answers by the script.
    public func teams(for ids: [ConversationKey]) async throws -> [TeamInfo] { try await answer(ids) }
}

/// The error of a script that refuses to answer.
public struct Refusal: Error {
    /// A refusal.
    public init() {}
}

/// A time that a fake takes for its answer.
struct Delay: Sendable {
    private let duration: Duration
    private let clock: any Clock<Duration>

    init(_ duration: Duration, _ clock: any Clock<Duration>) {
        self.duration = duration
        self.clock = clock
    }

    func wait() async throws {
        if duration > .zero { try await clock.sleep(for: duration) }
    }
}
