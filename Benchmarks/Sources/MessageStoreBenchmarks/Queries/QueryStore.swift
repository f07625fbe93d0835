internal import MessageStore
internal import MessageStoreTestKit

/// Stores of the fitted workload, with what its messages lack: pictures, mentions, names, tags, receipts, reactions.
enum QueryStore {
    static let account = WorkloadGenerator(.fitted, eventCount: 1).directory.accountID

    static func build(at path: String, events: Int, conversations: Int) throws {
        var parameters = WorkloadParameters.fitted
        parameters.conversations = conversations
        let workload = WorkloadGenerator(parameters, eventCount: events)
        let directory = workload.directory
        let store = try MessageStore.open(path, account: directory.accountID)
        for first in stride(from: 0, to: conversations, by: 500) {
            try store.record((first..<min(first + 500, conversations)).map { described($0, directory) })
        }
        var batch: [Event] = []
        for (index, event) in workload.enumerated() {
            batch.append(contentsOf: enriched(directory.event(event), index))
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

    /// Every 50th message is a picture, every 40th mentions the account, every 100th has a reaction.
    private static func enriched(_ event: Event, _ index: Int) -> [Event] {
        guard var message = event.payload as? MessageReceived else { return [event] }
        if index % 50 == 0 { message.content.type = .image }
        if index % 40 == 0 { message.context.mentions = [account] }
        var changed = event
        changed.payload = message
        guard index % 100 == 0 else { return [changed] }
        let reaction = ReactionAdded(.server(message.serverID), key: "👍", by: message.sender, at: message.sentTime)
        return [changed, Event(reaction, in: event.conversation)]
    }
}
