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

    private let filter: (any MessageFilter)?
    private let timeout: Duration
    private let scheduler: Scheduler
    private let logger: Logger

    init(_ filter: (any MessageFilter)?, timeout: Duration, _ scheduler: Scheduler, logger: Logger) {
        self.filter = filter
        self.timeout = timeout
        self.scheduler = scheduler
        self.logger = logger
    }

    var hasFilter: Bool { filter != nil }

    /// Whether any of these events must be judged.
    func concerns(_ events: [Event], of account: UserID) -> Bool {
        filter != nil && events.contains { $0.message(notBy: account) != nil }
    }

    /// The filter's verdicts on the received messages among `events`.
    ///
    /// - Parameter keeps: Whether verdicts that change nothing are returned as well.
    func verdicts(on events: [Event], of account: UserID, keeps: Bool = false) async -> Answer {
        // Where the caller's threads are busy, the next conversation is not asked about too late.
        await withTaskExecutorPreference(scheduler.executor) { await judge(events, account, keeps: keeps) }
    }

    private func judge(_ events: [Event], _ account: UserID, keeps: Bool) async -> Answer {
        var answer = Answer()
        guard let filter else {
            answer.failures = events.count
            return answer
        }
        let groups = Dictionary(grouping: events.indices.filter { events[$0].message(notBy: account) != nil }) {
            events[$0].conversation
        }
        let deadline = scheduler.now + timeout
        for (conversation, indices) in groups.sorted(by: { $0.value[0] < $1.value[0] }) {
            guard let conversation else { continue }
            let messages = indices.compactMap { events[$0].message(notBy: account) }
            guard scheduler.now < deadline,
                let (version, verdicts) = await ask(filter, messages, conversation, until: deadline)
            else {
                answer.failures += messages.count
                continue
            }
            for (index, (message, verdict)) in zip(indices, zip(messages, verdicts)) {
                let isPlain = !message.isDirected(past: account, in: conversation.kind)
                if !keeps, isPlain, verdict == .keep { continue }
                answer.verdicts[index] = MessageFiltered(
                    .server(message.serverID), verdict: verdict, filterVersion: version)
            }
        }
        return answer
    }

    /// The same for a caller that cannot suspend.
    func waitForVerdicts(on events: [Event], of account: UserID) -> Answer {
        let answer = Locked(Answer())
        scheduler.wait { [self] in
            let judged = await verdicts(on: events, of: account)
            answer.withLock { $0 = judged }
        }
        return answer.withLock { $0 }
    }

    private func ask(
        _ filter: any MessageFilter, _ messages: [MessageReceived], _ conversation: ConversationKey,
        until deadline: Duration
    ) async -> (UInt32, [FilterVerdict])? {
        let answer = await scheduler.firstAnswer(until: deadline) {
            try await Self.verdicts(of: filter, on: messages, in: conversation)
        }
        guard let verdicts = try? answer?.get(), verdicts.count == messages.count else {
            let failed: Logger.Message = answer == nil ? "the message filter was late" : "the message filter failed"
            logger.warning(failed, metadata: ["messages": "\(messages.count)"])
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

extension Event {
    /// The received message of somebody else that the event is.
    fileprivate func message(notBy account: UserID) -> MessageReceived? {
        guard let message = payload as? MessageReceived, message.sender != account else { return nil }
        return message
    }
}
