public import MessageStore
internal import MessageStoreLMDB

/// A server's history of one conversation, whichever is asked for; it notes what it was asked.
public final class FakeHistoryProvider: HistoryProvider {
    /// What the provider was asked.
    public struct Question: Hashable, Sendable {
        /// Only messages before this place; nil for the newest of all.
        public let anchor: MessageOrder?
        /// Messages at the most.
        public let limit: Int
    }

    /// What becomes of the right answer to a question.
    public typealias Script =
        @Sendable (_ question: Question, _ right: RemoteHistoryPage) async throws -> RemoteHistoryPage

    private let messages: [MessageReceived]
    private let asked = Locked<[Question]>([])
    private let delay: Delay
    private let script: Script

    /// A provider that has some messages.
    ///
    /// - Parameters:
    ///   - messages: What the server has, oldest first, each with a time of its own.
    ///   - delay: How long each answer takes.
    ///   - clock: Measures the delay, such as a ``ManualClock``.
    ///   - script: What becomes of the right answer; may throw ``Refusal``.
    public init(
        _ messages: [MessageReceived], delay: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
        _ script: @escaping Script = { $1 }
    ) {
        self.messages = messages
        self.delay = Delay(delay, clock)
        self.script = script
    }

    /// The questions, in their order.
    public var questions: [Question] { asked.withLock { $0 } }

    /// Notes the question and answers by the script.
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
