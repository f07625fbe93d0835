public import MessageStore

extension StoreModel {
    /// Removes what a message, its echoes and its modifications said, here and in the log (I11).
    public mutating func redact(_ message: LocalMessageID) {
        guard let named = messages[message.rawValue] else { return }
        for (local, entry) in messages where entry.isSame(as: named) {
            var entry = entry
            entry.content = MessageContent(type: entry.content.type)
            entry.facts.modifications = entry.facts.modifications.map {
                Modification(time: $0.time, position: $0.position, content: MessageContent(type: $0.content.type))
            }
            messages[local] = entry
            removeWords(at: local)
            for modification in entry.facts.modifications { removeWords(at: modification.position) }
        }
    }

    private mutating func removeWords(at position: UInt64) {
        let index = Int(clamping: position) - 1
        guard log.indices.contains(index) else { return }
        switch log[index].body {
        case .messageReceived(var body):
            body.content = MessageContent(type: body.content.type)
            body.context.pushText = nil
            body.senderProfile = nil
            log[index].body = .messageReceived(body)
        case .messageSendQueued(var body):
            body.content = MessageContent(type: body.content.type)
            body.context.pushText = nil
            log[index].body = .messageSendQueued(body)
        case .messageModified(var body):
            body.content = MessageContent(type: body.content.type)
            log[index].body = .messageModified(body)
        default: break
        }
    }
}

extension StoreModel.MessageEntry {
    /// Whether both are the same message: a message and its echo, which have one server id.
    fileprivate func isSame(as other: Self) -> Bool {
        if local == other.local { return true }
        guard let serverID else { return false }
        return conversation == other.conversation && serverID == other.serverID
    }
}
