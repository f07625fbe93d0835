import MessageStore
import MessageStoreLMDB

/// A filter that answers by a closure and notes what it was asked.
final class TestFilter: MessageFilter {
    typealias Judge = @Sendable ([MessageReceived], ConversationKey) async throws -> [FilterVerdict]

    let version: UInt32
    private let judge: Judge
    private let seen = Locked<[ServerMessageID]>([])

    init(version: UInt32 = 1, _ judge: @escaping Judge) {
        self.version = version
        self.judge = judge
    }

    /// A filter that judges each message by its text.
    convenience init(version: UInt32 = 1, byText judge: @escaping @Sendable (String) -> FilterVerdict) {
        self.init(version: version) { messages, _ in messages.map { judge($0.content.text ?? "") } }
    }

    var asked: [ServerMessageID] { seen.withLock { $0 } }

    func verdicts(on messages: [MessageReceived], in conversation: ConversationKey) async throws -> [FilterVerdict] {
        seen.withLock { $0 += messages.map(\.serverID) }
        return try await judge(messages, conversation)
    }
}
