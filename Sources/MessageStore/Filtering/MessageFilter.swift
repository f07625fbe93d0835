/// A host's filter of received messages: shows, hides or replaces them.
///
/// The store asks it once for each new message of others, whether live, offline or from history, before the message is
/// recorded and with no lock held, and again for each edit that changes what such a message shows: with the message as
/// it came, but with the new content. A `MessageSnapshotReceived` with new content is such an edit too. The verdict is
/// recorded with the message, which stays in the log as it came: replay needs no filter, and another filter can look
/// again (``MessageStore/refilter(_:)``). Set it in ``MessageStore/MessageStore/Configuration/messageFilter``. If the
/// filter throws, times out or returns fewer verdicts than messages, the messages are shown unfiltered and the failure
/// is logged.
public protocol MessageFilter: Sendable {
    /// Recorded with each verdict; raise it when the filter changes its mind.
    var version: UInt32 { get }

    /// What to do with messages of one conversation; a verdict for each, in their order.
    ///
    /// - Parameters:
    ///   - messages: As they came, or with their new content, each with the list of those who may see it.
    ///   - conversation: The conversation; its kind distinguishes a chat of two from a group where hosts name it in the
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
    /// - Throws: `StoreError`; `hookMissing` where the configuration has no filter, `hookFailed` where it threw or did
    ///   not answer in time: verdicts recorded before stay.
    @discardableResult
    public func refilter(_ conversation: ConversationKey? = nil) async throws -> Int {
        guard filtering.hasFilter else {
            throw StoreError(.hookMissing, "the configuration has no message filter")
        }
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
