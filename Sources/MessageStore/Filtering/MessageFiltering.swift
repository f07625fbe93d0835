internal import Dispatch
internal import Logging
internal import MessageStoreLMDB

/// Asks the host's filter, and outlives whatever it does.
final class MessageFiltering: Sendable {
    /// What the filter said, by the index of the event.
    struct Answer: Sendable {
        var verdicts: [Int: MessageFiltered] = [:]
        /// Messages that it did not judge.
        var failures = 0
    }

    /// Whether the current task runs on behalf of the filter.
    @TaskLocal static var isAsking = false

    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let executor = QueueExecutor()
    private let filter = Locked<(any MessageFilter)?>(nil)

    init(timeout: Duration, clock: any Clock<Duration>, logger: Logger) {
        self.timeout = timeout
        self.clock = clock
        self.logger = logger
    }

    func setFilter(_ filter: (any MessageFilter)?) {
        self.filter.withLock { $0 = filter }
    }

    /// Whether any of these events must be judged.
    func concerns(_ events: [Event], of account: UserID) -> Bool {
        filter.withLock { $0 != nil } && events.contains { $0.message(notBy: account) != nil }
    }

    /// The filter's verdicts on the received messages among `events`.
    ///
    /// - Parameters:
    ///   - keeps: Whether verdicts that change nothing are told as well.
    ///   - isTimed: Whether the filter's time is bounded here; else the caller sees to it.
    func verdicts(
        on events: [Event], of account: UserID, keeps: Bool = false, isTimed: Bool = true
    ) async -> Answer {
        var answer = Answer()
        guard filter.withLock({ $0 != nil }) else {
            answer.failures = events.count
            return answer
        }
        let groups = Dictionary(grouping: events.indices.filter { events[$0].message(notBy: account) != nil }) {
            events[$0].conversation
        }
        for (conversation, indices) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
            guard let conversation else { continue }
            let messages = indices.compactMap { events[$0].message(notBy: account) }
            guard let (version, verdicts) = await ask(messages, conversation, isTimed: isTimed) else {
                answer.failures += messages.count
                continue
            }
            for (index, (message, verdict)) in zip(indices, zip(messages, verdicts)) {
                let isPlain = !message.isDirected(past: account, in: conversation)
                if !keeps, isPlain, verdict == .keep { continue }
                answer.verdicts[index] = MessageFiltered(
                    .server(message.serverID), verdict: verdict, filterVersion: version)
            }
        }
        return answer
    }

    /// The same for a caller that cannot suspend.
    ///
    /// The caller may hold one of the few threads on which tasks run, so the filter gets another.
    func waitForVerdicts(on events: [Event], of account: UserID) -> Answer {
        let answer = Locked(Answer(failures: events.count))
        let isDone = DispatchSemaphore(value: 0)
        let task = Task.detached(executorPreference: executor) {
            let judged = await self.verdicts(on: events, of: account, isTimed: false)
            answer.withLock { $0 = judged }
            isDone.signal()
        }
        let (seconds, attoseconds) = timeout.components
        if isDone.wait(timeout: .now() + Double(seconds) + Double(attoseconds) * 1e-18) == .timedOut {
            task.cancel()
            logger.warning("the message filter did not answer in time", metadata: ["events": "\(events.count)"])
        }
        return answer.withLock { $0 }
    }

    private func ask(
        _ messages: [MessageReceived], _ conversation: ConversationKey, isTimed: Bool
    ) async -> (UInt32, [FilterVerdict])? {
        guard let filter = filter.withLock({ $0 }) else { return nil }
        let verdicts: [FilterVerdict]?
        if isTimed {
            let answer = await FirstAnswer.of(timeout: timeout, clock: clock) {
                try await Self.verdicts(of: filter, on: messages, in: conversation)
            }
            verdicts = try? answer?.get()
        } else {
            verdicts = try? await Self.verdicts(of: filter, on: messages, in: conversation)
        }
        guard let verdicts, verdicts.count == messages.count else {
            logger.warning("the message filter failed", metadata: ["messages": "\(messages.count)"])
            return nil
        }
        return (filter.version, verdicts)
    }

    private static func verdicts(
        of filter: any MessageFilter, on messages: [MessageReceived], in conversation: ConversationKey
    ) async throws -> [FilterVerdict] {
        try await $isAsking.withValue(true) { try await filter.verdicts(on: messages, in: conversation) }
    }
}

/// Runs tasks on threads of their own queue.
private final class QueueExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "MessageStore.filter", qos: .userInitiated, attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension Event {
    /// The received message of somebody else that the event is.
    fileprivate func message(notBy account: UserID) -> MessageReceived? {
        guard let message = payload as? MessageReceived, message.sender != account else { return nil }
        return message
    }
}
