/// Answers a question in the background, for whoever asks again until there is an answer.
///
/// Only the question that came last is answered: who asks another has no use for the one before.
actor DebugJob<Question: Hashable & Sendable, Answer: Sendable> {
    private var question: Question?
    private var task: Task<Void, Never>?
    private var answer: Result<Answer, any Error>?

    /// - Parameter find: Finds the answer; ends early, by throwing, where its task is cancelled.
    /// - Returns: The answer; nil while it is looked for.
    func ask(_ asked: Question, _ find: @escaping @Sendable () throws -> Answer) throws -> Answer? {
        if question != asked {
            task?.cancel()
            (question, answer) = (asked, nil)
            // As urgent as who asks, who would wait for long where others are busy.
            task = Task.detached(priority: Task.currentPriority) { [self] in
                await take(Result { try find() }, for: asked)
            }
        }
        return try answer?.get()
    }

    private func take(_ found: Result<Answer, any Error>, for asked: Question) {
        if question == asked { answer = found }
    }
}
