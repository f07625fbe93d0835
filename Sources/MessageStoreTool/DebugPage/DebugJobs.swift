internal import Dispatch
internal import MessageStoreLMDB

/// Answers questions in the background, one after the other, for whoever asks again until there is an answer.
///
/// The work blocks, so it has a queue of its own: of the threads that answer requests there are only as many as the
/// machine has cores. A question that nobody has asked again for a while is given up: it does not begin, or ends where
/// it next checks. The last answers are kept, so that two pages with a question each do not undo each other's work.
final class DebugJobs<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
    private struct Job {
        /// Which of the searches for an answer it is: one that was given up may still be ending when the next is there.
        let number: Int
        var asked: ContinuousClock.Instant
        var answer: Result<Answer, any Error>?
    }

    private struct State {
        var jobs: [Question: Job] = [:]
        var lastNumber = 0
        var isClosed = false
    }

    /// Answers that are kept.
    static var kept: Int { 8 }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "messagestore.debug", qos: .userInitiated)
    private let patience: Duration

    /// - Parameter patience: How long nobody has asked a question that is given up; a page asks several times a second.
    init(patience: Duration = .seconds(2)) { self.patience = patience }

    /// - Parameter find: Finds the answer; it calls its argument now and then, which throws where it is to end.
    /// - Returns: The answer; nil while it is looked for.
    /// - Throws: The error of `find`, once: who asks again has it looked for again. `CancellationError` after
    ///   ``close()``.
    func ask(
        _ question: Question, _ find: @escaping @Sendable (_ check: () throws -> Void) throws -> Answer
    ) throws -> Answer? {
        let (answer, begun) = try state.withLock { state throws in
            if state.isClosed { throw CancellationError() }
            state.jobs[question]?.asked = .now
            if let job = state.jobs[question] {
                if case .failure = job.answer { state.jobs[question] = nil }
                return (job.answer, Int?.none)
            }
            state.lastNumber += 1
            state.jobs[question] = Job(number: state.lastNumber, asked: .now)
            return (nil, state.lastNumber)
        }
        if let begun { queue.async { self.work(on: question, begun, find) } }
        return try answer?.get()
    }

    /// Ends what is looked for, and waits until it has let go of everything.
    func close() async {
        state.withLock { $0.isClosed = true }
        await settle()
    }

    /// Waits until what was asked by now has its answer or was given up.
    func settle() async { await withCheckedContinuation { done in queue.async { done.resume() } } }

    private func work(on question: Question, _ number: Int, _ find: (() throws -> Void) throws -> Answer) {
        let check = { try self.check(question, number) }
        let answer = Result {
            try check()
            return try find(check)
        }
        state.withLock { state in
            guard state.jobs[question]?.number == number else { return }
            state.jobs[question]?.answer = answer
            let answered = state.jobs.filter { $0.value.answer != nil }.ordered { $0.value.asked > $1.value.asked }
            for job in answered.dropFirst(Self.kept) { state.jobs[job.key] = nil }
        }
    }

    private func check(_ question: Question, _ number: Int) throws {
        try state.withLock { state throws in
            guard let job = state.jobs[question], job.number == number, !state.isClosed else {
                throw CancellationError()
            }
            if job.asked.duration(to: .now) > patience {
                state.jobs[question] = nil
                throw CancellationError()
            }
        }
    }
}
