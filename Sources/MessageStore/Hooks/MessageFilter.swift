internal import Logging
internal import MessageStoreLMDB

/// A host's filter of received messages: shows, hides or replaces them.
///
/// The store asks it once for each new message of others, whether live, offline or from history, before the message is
/// recorded and with no lock held, and again for each edit that changes the content of such a message: with the message
/// as it came, but with the new content. A `MessageSnapshotReceived` with new content is such an edit too. The verdict
/// is recorded with the message, which stays in the log as it came: replay needs no filter, and another filter can look
/// again (``MessageStore/refilter(_:)``). Set it in `configuration.hooks.messageFilter`. If the
/// filter throws, times out or returns fewer verdicts than messages, the messages are shown unfiltered and the failure
/// is logged.
public protocol MessageFilter: Sendable {
    /// Recorded with each verdict; raise it when the filter changes its mind.
    var version: UInt32 { get }

    /// The verdicts on messages of one conversation, one for each, in their order.
    ///
    /// - Parameters:
    ///   - messages: As they came, or with their new content, each with the list of users who may see it.
    ///   - conversation: The conversation; its kind distinguishes a chat of two from a group if hosts name it in the
    ///     key. For other keys read `Conversation.kind`.
    func verdicts(on messages: [MessageReceived], in conversation: ConversationKey) async throws -> [FilterVerdict]
}

extension MessageStore {
    /// Asks the filter about messages that are already recorded, as they are after their edits, and records the
    /// verdicts that changed.
    ///
    /// Costs a scan of the log, and a commit for each 256 messages of others.
    ///
    /// - Parameter conversation: Only messages of this one; nil for all.
    /// - Returns: How many verdicts changed.
    /// - Throws: `StoreError`; `hookMissing` if the configuration has no filter, `hookFailed` if it threw or did not
    ///   answer in time: verdicts recorded before stay.
    @discardableResult
    public func refilter(_ conversation: ConversationKey? = nil) async throws -> Int {
        guard filtering.hasFilter else { throw StoreError(.hookMissing, "the configuration has no message filter") }
        var changed = 0
        var next = Position(1)
        let wanted = EventFilter(types: [.messageReceived], conversation: conversation)
        while true {
            let first = next
            let page = try await run(on: readQueue) { try self.events(from: first, where: wanted, limit: 256) }
            guard let last = page.last else { return changed }
            next = Position(last.position.rawValue + 1)
            let answer = await filtering.verdicts(on: try judged(page), of: account, keeps: true)
            guard answer.failures == 0 else {
                throw StoreError(
                    .hookFailed, "the filter did not judge \(answer.failures) messages", position: last.position)
            }
            let verdicts = try await differing(answer.verdicts, from: page)
            if !verdicts.isEmpty { try await record(verdicts) }
            changed += verdicts.count
        }
    }

    /// The verdicts on recorded messages that are not in force already, as events.
    private func differing(_ verdicts: [Int: MessageFiltered], from page: [RecordedEvent]) async throws -> [Event] {
        try await read { views in
            try verdicts.ordered { $0.key < $1.key }.compactMap { index, verdict in
                let local = LocalMessageID(page[index].position.rawValue)
                guard try views.verdict(on: local) != verdict.verdict else { return nil }
                var named = verdict
                named.message = .local(local)
                return Event(any: named, in: page[index].event.conversation)
            }
        }
    }
}

/// A message of somebody else that a filter is to judge, with the content that it has once its event is recorded.
struct JudgedMessage: Sendable {
    /// The index of the event that adds the message or edits it.
    let index: Int
    let conversation: ConversationKey
    let message: MessageReceived
    var isEdit = false
    /// Whether a recorded verdict hides or replaces it.
    var isFiltered = false
}

/// A change of a message's content, by its sender or reported by a server.
struct MessageEdit {
    let message: MessageReference
    let content: MessageContent
    let time: Timestamp
}

extension Event {
    /// The change of a message's content that the event reports.
    var edit: MessageEdit? {
        switch type {
        case .messageModified:
            guard let edit = payload as? MessageModified else { return nil }
            return MessageEdit(message: edit.message, content: edit.content, time: edit.time)
        case .messageSnapshotReceived:
            guard let reported = payload as? MessageSnapshotReceived, let content = reported.content,
                let time = reported.modifiedTime
            else { return nil }
            return MessageEdit(message: reported.message, content: content, time: time)
        default: return nil
        }
    }
}

extension MessageStore {
    /// The parts of a batch that a filter judges: messages of others, and edits that change the content of such a
    /// message.
    ///
    /// An edit that comes before its message is judged with it.
    func judged(_ events: [Event]) throws -> [JudgedMessage] {
        struct Name: Hashable {
            let conversation: ConversationKey
            let id: ServerMessageID
        }
        return try read { views throws in
            var judged: [JudgedMessage] = []
            var arrived: [Name: MessageReceived] = [:]
            /// The last edits in the batch, and the edits that its messages found.
            var edits: [Name: (content: MessageContent, time: Timestamp)] = [:]
            for (index, event) in events.enumerated() {
                guard let conversation = event.conversation else { continue }
                if var message = event.message(notBy: account) {
                    let name = Name(conversation: conversation, id: message.serverID)
                    if let ahead = try views.contentAhead(of: message.serverID, in: conversation),
                        edits[name].map({ $0.time < ahead.time }) ?? true
                    {
                        edits[name] = ahead
                    }
                    if let edit = edits[name] { message.content = edit.content }
                    arrived[name] = arrived[name] ?? message
                    judged.append(JudgedMessage(index: index, conversation: conversation, message: message))
                } else if let edit = event.edit {
                    let stored = try views.judged(edit.message, in: conversation)
                    var name: Name?
                    if case .server(let id) = edit.message { name = Name(conversation: conversation, id: id) }
                    if let id = stored?.message.serverID { name = Name(conversation: conversation, id: id) }
                    guard let name, stored?.modifiedTime.map({ $0 <= edit.time }) ?? true,
                        edits[name].map({ $0.time <= edit.time }) ?? true
                    else { continue }
                    edits[name] = (edit.content, edit.time)
                    guard var message = stored?.message ?? arrived[name], message.sender != account else { continue }
                    message.content = edit.content
                    judged.append(
                        JudgedMessage(
                            index: index, conversation: conversation, message: message, isEdit: true,
                            isFiltered: stored?.isFiltered ?? false))
                }
            }
            return judged
        }
    }

    /// The messages of a page of the log that a filter judges: messages of others, as they are now.
    func judged(_ page: [RecordedEvent]) async throws -> [JudgedMessage] {
        try await read { [account] views throws in
            try page.enumerated().compactMap { index, recorded in
                guard let conversation = recorded.event.conversation, recorded.event.message(notBy: account) != nil,
                    let stored = try views.judged(.local(LocalMessageID(recorded.position.rawValue)), in: conversation)
                else { return nil }
                return JudgedMessage(index: index, conversation: conversation, message: stored.message)
            }
        }
    }
}

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
            // Messages that would be hidden or replaced but for another verdict.
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
