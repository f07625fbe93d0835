internal import MessageStore

/// A page of one conversation's messages at one position, and what is unread of it.
struct DebugTimeline {
    let unread: UnreadOutput
    let marks: DebugMarks
    let order: [LocalMessageID]
    private(set) var messages: [LocalMessageID: MessageOutput]
    let hasOlder: Bool
    let hasNewer: Bool

    /// - Parameters:
    ///   - key: The conversation.
    ///   - before: The message before which the page ends; the newest messages where it is nil, or not there yet.
    ///   - views: The views at the position.
    init(of key: ConversationKey, before: LocalMessageID? = nil, _ views: borrowing Views) throws {
        unread = UnreadOutput(try views.unread(of: key))
        let anchor = try before.flatMap { id in
            try id.rawValue <= views.position.rawValue && views.message(id)?.conversation == key ? id : nil
        }
        let part = anchor.map { TimelinePart.before(.message(.local($0))) } ?? .latest
        let page = try views.timeline(of: key, part, limit: DebugList.pageSize, onDamage: { _ in })
        var messages: [LocalMessageID: MessageOutput] = [:]
        for message in page.messages { messages[message.id] = try MessageOutput(message, views) }
        marks = try DebugMarks(of: key, page, views)
        (order, self.messages) = (page.messages.map(\.id), messages)
        (hasOlder, hasNewer) = (page.hasOlder, page.hasNewer)
    }

    /// Whether another position's page shows messages that were there at this one, beyond its own page.
    func lacksRows(of other: DebugTimeline, at position: Position) -> Bool {
        other.order.contains { messages[$0] == nil && $0.rawValue <= position.rawValue }
    }

    /// Adds what another position's page shows, as it is here.
    mutating func add(_ other: DebugTimeline, _ views: borrowing Views) throws {
        for id in other.order where messages[id] == nil && id.rawValue <= views.position.rawValue {
            messages[id] = try views.message(id).map { try MessageOutput($0, views) }
        }
    }
}
