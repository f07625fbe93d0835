package import MessageStore

extension StoreModel {
    /// What a message said, the original first, then by the times of the changes.
    package func edits(of reference: MessageReference, in key: ConversationKey) -> [MessageVersion] {
        guard let entry = entry(reference, in: key), isVisible(entry), !entry.facts.isRecalled else { return [] }
        if case .replace = entry.facts.verdict?.verdict { return [] }
        let original = version(entry.content, at: entry.serverTime ?? entry.recordedTime, entry.local)
        // What was told of a repeat and of its original may have come together in one message.
        var changes: [UInt64: Modification] = [:]
        for change in entry.facts.modifications { changes[change.position] = change }
        return [original]
            + changes.values.sorted { ($0.time, $0.position) < ($1.time, $1.position) }.map { change in
                version(change.content, at: change.time, change.position)
            }
    }

    private func version(_ content: MessageContent, at time: Timestamp, _ position: UInt64) -> MessageVersion {
        MessageVersion(
            content: content, time: time, position: Position(position), origin: log[Int(position) - 1].origin,
            isRedacted: redacted.contains(position))
    }
}
