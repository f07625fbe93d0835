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
    ///   - place: The middle of the page; nil for a page that ends before a message, or with the newest.
    ///   - views: The views at the position.
    init(
        of key: ConversationKey, before: LocalMessageID? = nil, around place: MessageOrder? = nil,
        limit: Int = DebugList.pageSize, _ views: borrowing Views
    ) throws {
        unread = UnreadOutput(try views.unread(of: key))
        let anchor = try before.flatMap { id in
            try id.rawValue <= views.position.rawValue && views.message(id)?.conversation == key ? id : nil
        }
        let part = place.map { .around(.order($0)) } ?? anchor.map { TimelinePart.before(.message(.local($0))) }
        let page = try views.timeline(of: key, part ?? .latest, limit: limit, onDamage: { _ in })
        var messages: [LocalMessageID: MessageOutput] = [:]
        for message in page.messages { messages[message.id] = try MessageOutput(message, views) }
        marks = try DebugMarks(of: key, page, views)
        (order, self.messages) = (page.messages.map(\.id), messages)
        (hasOlder, hasNewer) = (page.hasOlder, page.hasNewer)
    }

    /// The place of the newest message that changed, where the page shows none of those that did.
    func missedPlace(
        _ changed: [LocalMessageID], in key: ConversationKey, _ views: borrowing Views
    ) throws -> MessageOrder? {
        guard hasOlder, !changed.contains(where: { messages[$0] != nil }) else { return nil }
        let found = changed.compactMap { try? views.message($0) }.filter { $0.conversation == key }
        return found.map { MessageOrder(time: $0.time, id: $0.serverID) }.max()
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
