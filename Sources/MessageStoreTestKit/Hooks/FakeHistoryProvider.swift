public import MessageStore

/// A provider with the history of one conversation, returned for any; it records the questions.
public final class FakeHistoryProvider: HistoryProvider {
    /// A question to the provider.
    public struct Question: Hashable, Sendable {
        /// Only messages before or after this place; nil for the newest of all.
        public let anchor: MessageOrder?
        /// Whether it asks for messages newer than the place.
        public let isForNewer: Bool
        /// The maximum number of messages.
        public let limit: Int
    }

    /// Changes the right answer to a question.
    public typealias Script =
        @Sendable (_ question: Question, _ right: RemoteHistoryPage) async throws -> RemoteHistoryPage

    private let messages: [MessageReceived]
    /// The questions, for tests that wait for them.
    package let asked = Watched<[Question]>([])
    private let delay: Delay
    private let script: Script
    private let goesForward: Bool

    /// Creates a provider with messages.
    ///
    /// - Parameters:
    ///   - messages: The server's messages, oldest first, each with a different time.
    ///   - delay: How long each answer takes.
    ///   - clock: Measures the delay, such as a ``ManualClock``.
    ///   - goesForward: Whether it answers messages newer than a place.
    ///   - script: Changes the right answer; may throw ``Refusal``.
    public init(
        _ messages: [MessageReceived], delay: Duration = .zero, clock: any Clock<Duration> = ContinuousClock(),
        goesForward: Bool = true, _ script: @escaping Script = { $1 }
    ) {
        self.messages = messages
        self.delay = Delay(delay, clock)
        self.goesForward = goesForward
        self.script = script
    }

    /// The questions, in order.
    public var questions: [Question] { asked.value }

    /// Records the question and answers by the script.
    public func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        let older = messages.filter { message in anchor.map { Self.precedes(message, $0) } ?? true }
        let right = RemoteHistoryPage(messages: Array(older.suffix(limit)), reachesBeginning: older.count <= limit)
        return try await answer(Question(anchor: anchor, isForNewer: false, limit: limit), right)
    }

    /// Records the question and answers by the script; nil if it only goes back.
    public func page(
        of conversation: ConversationKey, after anchor: MessageOrder, limit: Int
    ) async throws -> RemoteHistoryPage? {
        guard goesForward else { return nil }
        let newer = messages.filter { !Self.precedes($0, anchor) && $0.serverID != anchor.id }
        let right = RemoteHistoryPage(messages: Array(newer.prefix(limit)), reachesEnd: newer.count <= limit)
        return try await answer(Question(anchor: anchor, isForNewer: true, limit: limit), right)
    }

    /// A place without an id comes after all messages of its time.
    private static func precedes(_ message: MessageReceived, _ place: MessageOrder) -> Bool {
        guard message.sentTime == place.time, let id = place.id else { return message.sentTime <= place.time }
        return message.serverID < id
    }

    private func answer(_ question: Question, _ right: RemoteHistoryPage) async throws -> RemoteHistoryPage {
        asked.change { $0.append(question) }
        try await delay.wait()
        return try await script(question, right)
    }
}
