public import MessageStore

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
    ///   - script: What it answers; may throw ``Refusal``.
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
