public import MessageStore
internal import MessageStoreLMDB

/// A provider of profiles that answers by a script and records the requests.
public final class FakeProfileProvider: ProfileProvider {
    /// What the provider answers: the users asked for, and the number of the call from 1 on.
    public typealias Script = @Sendable (_ users: [UserID], _ call: Int) async throws -> [Profile]

    private let asked = Locked<[[UserID]]>([])
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

    /// A provider that knows everybody, by a name made of the id and the number of the call.
    public convenience init() {
        self.init { users, call in users.map { Profile(id: $0, name: "\($0) \(call)") } }
    }

    /// The users of each call.
    public var calls: [[UserID]] { asked.withLock { $0 } }

    /// Records the users and answers by the script.
    public func profiles(for users: [UserID]) async throws -> [Profile] {
        let call = asked.withLock { calls in
            calls.append(users)
            return calls.count
        }
        try await delay.wait()
        return try await script(users, call)
    }
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
