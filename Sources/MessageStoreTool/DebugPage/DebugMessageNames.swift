internal import MessageStore

/// The names of the message that was asked for last.
///
/// To find them the log is read several times, so that goes on while the page waits.
actor DebugMessageNames {
    private struct Question: Hashable {
        let message: String
        let conversation: ConversationKey?
    }

    private var question: Question?
    private var answer: Result<MessageNames, any Error>?

    /// - Returns: The names; nil while they are looked for.
    func find(
        _ message: String, _ conversation: ConversationKey?, in store: MessageStore
    ) throws -> MessageNames? {
        let asked = Question(message: message, conversation: conversation)
        if question != asked {
            (question, answer) = (asked, nil)
            Task.detached(priority: .utility) {
                let found = Result { try MessageNames(message, in: store, conversation: conversation) }
                await self.take(found, for: asked)
            }
        }
        return try answer?.get()
    }

    private func take(_ found: Result<MessageNames, any Error>, for asked: Question) {
        if question == asked { answer = found }
    }
}
