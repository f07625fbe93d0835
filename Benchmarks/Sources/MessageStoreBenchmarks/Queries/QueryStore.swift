internal import MessageStore
internal import MessageStoreWorkload

/// Stores of the fitted workload, with what its messages lack: pictures, mentions, names, reactions, replies, edits, marks, files.
enum QueryStore {
    static let account = WorkloadGenerator(.fitted, eventCount: 1).directory.accountID

    static func build(at path: String, events: Int, conversations: Int) throws {
        var parameters = WorkloadParameters.fitted
        parameters.conversations = conversations
        let workload = WorkloadGenerator(parameters, eventCount: events)
        let directory = workload.directory
        let store = try MessageStore.open(path, account: directory.accountID)
        for first in stride(from: 0, to: conversations, by: 500) {
            let indices = first..<min(first + 500, conversations)
            try store.record(indices.map { described($0, directory) })
            // One in 50 is in the archive.
            try store.record(
                indices.filter { $0 % 50 == 49 }.map {
                    Event(any: ConversationArchived(), in: directory.creation(ofConversation: $0).conversation)
                })
        }
        try store.record(
            Event(ConversationFolderChanged("high", name: "High", condition: try Queries.isHigh.json())))
        var (batch, enrichment): ([Event], Enrichment) = ([], Enrichment())
        for (index, event) in workload.enumerated() {
            batch.append(contentsOf: enrichment.enriched(directory.event(event), index))
            if batch.count >= 200 {
                try store.ingest(OfflinePackage(index: 0, events: batch, hasMore: true))
                batch.removeAll(keepingCapacity: true)
            }
        }
        try store.ingest(OfflinePackage(index: 0, events: batch, hasMore: true))
        try store.close()
    }

    /// The conversation's creation, with a name and attributes that a few others share.
    private static func described(_ index: Int, _ directory: WorkloadDirectory) -> Event {
        var event = directory.creation(ofConversation: index)
        if var body = event.payload as? ConversationCreated {
            body.fields.name = "conversation \(index)"
            body.fields.indexed = ["type": "\(index % 2)", "topic": "\(index % 500)"]
            body.fields.attributes = Array(#"{"level": \#(index % 1000)}"#.utf8)
            event.payload = body
        }
        return event
    }
}

/// Adds to a generated backlog what its messages lack, each at a fixed share of them.
private struct Enrichment {
    /// The message of each conversation to which the next ones reply, and how many have.
    private var roots: [ConversationKey: (id: ServerMessageID, replies: Int)] = [:]

    /// Every 50th message is a picture whose file is here, every 40th mentions the account, every 20th is a reply, ten to a
    /// message; every 100th has a reaction, was edited and starts with who joined, every 500th has a star and every 1,000th
    /// a pin.
    mutating func enriched(_ event: Event, _ index: Int) -> [Event] {
        guard var message = event.payload as? MessageReceived, let conversation = event.conversation else {
            return [event]
        }
        if index % 50 == 0 { message.content.type = .image }
        if index % 40 == 0 { message.context.mentions = [QueryStore.account] }
        if index % 20 == 0, let root = roots[conversation], root.replies < 10 {
            message.context.replyTo = root.id
            roots[conversation] = (root.id, root.replies + 1)
        } else if roots[conversation].map({ $0.replies >= 10 }) ?? true {
            roots[conversation] = (message.serverID, 0)
        }
        var changed = event
        changed.payload = message
        return [changed] + facts(of: message, index).map { Event(any: $0, in: conversation, origin: .live) }
    }

    private func facts(of message: MessageReceived, _ index: Int) -> [any EventPayload] {
        let reference = MessageReference.server(message.serverID)
        var facts: [any EventPayload] = []
        if index % 50 == 0 {
            facts.append(
                AttachmentStateChanged(
                    reference, state: .available, localPath: "files/\(index)", byteCount: UInt64(index % 4_096) << 10))
        }
        if index % 100 == 0 {
            facts.append(ReactionAdded(reference, key: "👍", by: message.sender, at: message.sentTime))
            facts.append(MessageModified(reference, content: .text("edited \(index)"), at: message.sentTime))
            facts.append(MembersAdded([message.sender], kind: .invited))
        }
        if index % 500 == 0 { facts.append(MessageStarred(reference, at: message.sentTime)) }
        if index % 1_000 == 0 { facts.append(MessagePinned(reference, at: message.sentTime)) }
        return facts
    }
}
