import MessageStore
import Testing

/// Queries of one view each, for tests that look at one thing after the other.
extension MessageStore {
    func record(_ first: Event, _ second: Event, _ rest: Event...) throws {
        try record([first, second] + rest)
    }

    func local(_ event: Event) throws -> LocalMessageID {
        LocalMessageID(try #require(try record(event).position).rawValue)
    }

    func page(
        _ part: TimelinePart = .latest, types: Set<ContentType>? = nil, limit: Int = 1000,
        of conversation: ConversationKey = group
    ) throws -> TimelinePage {
        try read { try $0.timeline(of: conversation, part, types: types, limit: limit) }
    }

    /// What a timeline shows, oldest first.
    func texts(
        _ part: TimelinePart = .latest, limit: Int = 1000, of conversation: ConversationKey = group
    ) throws -> [String] {
        try page(part, limit: limit, of: conversation).texts
    }

    func unread(_ conversation: ConversationKey = group) throws -> UnreadCount {
        try read { try $0.unread(of: conversation) }
    }

    func totals(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .included, includesMuted: Bool = false
    ) throws -> UnreadTotals {
        try read { try $0.unreadTotals(kinds: kinds, archived: archived, includesMuted: includesMuted) }
    }

    func conversation(_ key: ConversationKey = group) throws -> Conversation? {
        try read { try $0.conversation(key) }
    }

    func list(
        kinds: Set<ConversationKind>? = nil, archived: ArchivedConversations = .excluded
    ) throws -> [ConversationKey] {
        try read { try $0.conversations(kinds: kinds, archived: archived, limit: 1000).elements.map(\.key) }
    }

    func message(_ id: LocalMessageID) throws -> Message? {
        try read { try $0.message(id) }
    }

    func message(_ id: ServerMessageID, in conversation: ConversationKey = group) throws -> Message? {
        try read { try $0.message(.server(id), in: conversation) }
    }

    func outbox() throws -> [LocalMessageID] {
        try read { try $0.outbox().map(\.id) }
    }

    func members(in conversation: ConversationKey = group) throws -> [Member] {
        try read { try $0.members(in: conversation, limit: 1000).elements }
    }

    /// Whether the views are what a replay of the log gives.
    func isConsistent() throws -> Bool { try verify().isConsistent }
}

extension TimelinePage {
    var texts: [String] { elements.map { $0.content.text ?? "" } }
}

extension Views {
    /// The elements of all pages; a query without an end is left after so many.
    borrowing func all<Element>(
        atMost most: Int, _ page: (borrowing Views, PageCursor?) throws -> Page<Element>
    ) throws -> [Element] {
        var (found, cursor) = ([Element](), PageCursor?.none)
        repeat {
            let page = try page(self, cursor)
            found += page.elements
            cursor = page.next
        } while cursor != nil && found.count <= most
        return found
    }
}
