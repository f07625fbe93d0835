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
    private let logger: Logger
    private let filter = Locked<(any MessageFilter)?>(nil)

    init(timeout: Duration, logger: Logger) {
        self.timeout = timeout
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
    /// - Parameter keeps: Whether verdicts that change nothing are told as well.
    func verdicts(on events: [Event], of account: UserID, keeps: Bool = false) async -> Answer {
        var answer = Answer()
        let groups = Dictionary(grouping: events.indices.filter { events[$0].message(notBy: account) != nil }) {
            events[$0].conversation
        }
        for (conversation, indices) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
            guard let conversation else { continue }
            let messages = indices.compactMap { events[$0].message(notBy: account) }
            guard let (version, verdicts) = await ask(messages, conversation) else {
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
    func waitForVerdicts(on events: [Event], of account: UserID) -> Answer {
        let answer = Locked(Answer(failures: events.count))
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            let judged = await self.verdicts(on: events, of: account)
            answer.withLock { $0 = judged }
            isDone.signal()
        }
        // The filter's own time-out needs a thread to run on; this one does not.
        let (seconds, attoseconds) = timeout.components
        _ = isDone.wait(timeout: .now() + Double(seconds) + Double(attoseconds) * 1e-18 + 1)
        return answer.withLock { $0 }
    }

    private func ask(_ messages: [MessageReceived], _ conversation: ConversationKey) async -> (UInt32, [FilterVerdict])?
    {
        guard let filter = filter.withLock({ $0 }) else { return nil }
        let answer = await FirstAnswer.of(timeout: timeout) {
            try await Self.$isAsking.withValue(true) {
                try await filter.verdicts(on: messages, in: conversation)
            }
        }
        guard case .success(let verdicts) = answer, verdicts.count == messages.count else {
            logger.warning("the message filter failed", metadata: ["messages": "\(messages.count)"])
            return nil
        }
        return (filter.version, verdicts)
    }
}

extension Event {
    /// The received message of somebody else that the event is.
    fileprivate func message(notBy account: UserID) -> MessageReceived? {
        guard case .messageReceived(let message) = body, message.sender != account else { return nil }
        return message
    }
}
