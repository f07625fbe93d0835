public import MessageStore
internal import MessageStoreLMDB

/// A provider with the history of one conversation, returned for any; it records the questions.
public final class FakeHistoryProvider: HistoryProvider {
    /// A question to the provider.
    public struct Question: Hashable, Sendable {
        /// Only messages before this place; nil for the newest of all.
        public let anchor: MessageOrder?
        /// The maximum number of messages.
        public let limit: Int
    }

    /// Changes the right answer to a question.
    public typealias Script =
        @Sendable (_ question: Question, _ right: RemoteHistoryPage) async throws -> RemoteHistoryPage

    private let messages: [MessageReceived]
    private let asked = Locked<[Question]>([])
    private let delay: Delay
    private let script: Script

    /// Creates a provider with messages.
    ///
    /// - Parameters:
    ///   - messages: The server's messages, oldest first, each with a different time.
    ///   - delay: How long each answer takes.
    ///   - clock: Measures the delay, such as a ``ManualClock``.
    ///   - script: Changes the right answer; may throw ``Refusal``.
    public init(
        _ messages: [MessageReceived], delay: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
        _ script: @escaping Script = { $1 }
    ) {
        self.messages = messages
        self.delay = Delay(delay, clock)
        self.script = script
    }

    /// The questions, in order.
    public var questions: [Question] { asked.withLock { $0 } }

    /// Records the question and answers by the script.
    public func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        let question = Question(anchor: anchor, limit: limit)
        asked.withLock { $0.append(question) }
        let older = messages.filter { message in anchor.map { message.sentTime < $0.time } ?? true }
        let right = RemoteHistoryPage(messages: Array(older.suffix(limit)), reachesBeginning: older.count <= limit)
        try await delay.wait()
        return try await script(question, right)
    }
}
