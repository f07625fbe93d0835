import MessageStore
import MessageStoreLMDB

/// A server's history of one group: messages `m1`, `m2`, … at 10 ms, 20 ms, …; what it was asked is noted.
final class TestHistory: HistoryProvider {
    struct Refused: Error {}
    struct Question: Equatable {
        let anchor: MessageOrder?
        let limit: Int
    }

    typealias Answer = @Sendable (_ question: Question, _ right: RemoteHistoryPage) async throws -> RemoteHistoryPage

    private let messages: [MessageReceived]
    private let answer: Answer
    private let asked = Locked<[Question]>([])

    /// - Parameters:
    ///   - count: How many messages the server has.
    ///   - answer: What to make of the right answer.
    init(_ count: Int, _ answer: @escaping Answer = { $1 }) {
        messages = (1...count).map { Self.message($0) }
        self.answer = answer
    }

    static func message(_ number: Int) -> MessageReceived {
        MessageReceived(
            serverID: ServerMessageID("m\(number)"), sender: "bob", sentTime: ms(Int64(number * 10)),
            content: .text("m\(number)"))
    }

    static func place(_ number: Int) -> MessageOrder { order(Int64(number * 10), ServerMessageID("m\(number)")) }

    var questions: [Question] { asked.withLock { $0 } }

    func page(
        of conversation: ConversationKey, before anchor: MessageOrder?, limit: Int
    ) async throws -> RemoteHistoryPage {
        let question = Question(anchor: anchor, limit: limit)
        asked.withLock { $0.append(question) }
        let older = messages.filter { message in anchor.map { message.sentTime < $0.time } ?? true }
        let right = RemoteHistoryPage(messages: Array(older.suffix(limit)), reachesBeginning: older.count <= limit)
        return try await answer(question, right)
    }
}
