package import MessageStore

extension StoreModel {
    /// A content of a message as a host sees it.
    package struct ShownVersion: Hashable, Sendable {
        let position: Position
        let time: Timestamp
        let content: MessageContent
        let origin: Origin
    }

    /// What a message said, the original first, then by the times of the changes.
    package func edits(of reference: MessageReference, in key: ConversationKey) -> [ShownVersion] {
        guard let entry = entry(reference, in: key), isVisible(entry), !entry.facts.isRecalled else { return [] }
        if case .replace = entry.facts.verdict?.verdict { return [] }
        let original = ShownVersion(
            position: Position(entry.local), time: entry.serverTime ?? entry.recordedTime, content: entry.content,
            origin: origin(at: entry.local))
        // What was told of a repeat and of its original may have come together in one message.
        var changes: [UInt64: Modification] = [:]
        for change in entry.facts.modifications { changes[change.position] = change }
        return [original]
            + changes.values.sorted { ($0.time, $0.position) < ($1.time, $1.position) }.map { change in
                ShownVersion(
                    position: Position(change.position), time: change.time, content: change.content,
                    origin: origin(at: change.position))
            }
    }

    private func origin(at position: UInt64) -> Origin { log[Int(position) - 1].origin }
}

extension StoreModel.ShownVersion {
    /// Takes over what a store answered.
    package init(_ version: MessageVersion) {
        self.init(position: version.position, time: version.time, content: version.content, origin: version.origin)
    }
}
