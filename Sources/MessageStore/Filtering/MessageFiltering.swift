internal import Logging
internal import MessageStoreLMDB

/// Asks the host's filter, and outlives whatever it does.
final class MessageFiltering: Sendable {
    /// The filter's verdicts, by the index of the event.
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
        filter != nil && events.contains { $0.message(notBy: account) != nil || $0.edit != nil }
    }

    /// The filter's verdicts on messages, by the index of their event.
    ///
    /// - Parameter keeps: Whether verdicts that change nothing are returned as well.
    func verdicts(on judged: [JudgedMessage], of account: UserID, keeps: Bool = false) async -> Answer {
        // So that the filter is not called too late for the next conversation if the caller's threads are busy.
        await withTaskExecutorPreference(scheduler.executor) { await judge(judged, account, keeps: keeps) }
    }

    private func judge(_ judged: [JudgedMessage], _ account: UserID, keeps: Bool) async -> Answer {
        var answer = Answer()
        guard let filter else {
            answer.failures = judged.count
            return answer
        }
        let groups = Dictionary(grouping: judged) { $0.conversation }
        let deadline = scheduler.now + timeout
        for (conversation, group) in groups.ordered(by: { $0.value[0].index < $1.value[0].index }) {
            let messages = group.map(\.message)
            guard scheduler.now < deadline,
                let (version, verdicts) = await ask(filter, messages, conversation, until: deadline)
            else {
                answer.failures += messages.count
                continue
            }
            // Those that would be hidden or replaced but for another verdict.
            var filtered = Set(group.filter(\.isFiltered).map(\.message.serverID))
            for (judged, verdict) in zip(group, verdicts) {
                let message = judged.message
                let isPlain = judged.isEdit || !message.isDirected(past: account, in: conversation.kind)
                if !keeps, isPlain, verdict == .keep, !filtered.contains(message.serverID) { continue }
                if verdict != .keep { filtered.insert(message.serverID) }
                answer.verdicts[judged.index] = MessageFiltered(
                    .server(message.serverID), verdict: verdict, filterVersion: version)
            }
        }
        return answer
    }

    /// The same for a caller that cannot suspend.
    func waitForVerdicts(on messages: [JudgedMessage], of account: UserID) -> Answer {
        let answer = Locked(Answer())
        scheduler.wait { [self] in
            let judged = await verdicts(on: messages, of: account)
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
    func message(notBy account: UserID) -> MessageReceived? {
        guard let message = payload as? MessageReceived, message.sender != account else { return nil }
        return message
    }
}
