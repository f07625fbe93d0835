import MessageStore
import MessageStoreMigration
import Testing

/// Rows of a store like an app's, and what a reader of these rows alone would say about each conversation.
struct OldRows: CustomTestStringConvertible {
    struct Fact: Equatable {
        var messages = 0
        var unread = 0
        var last = ""
    }

    let testDescription: String
    private(set) var rows: [OldRow] = []
    private(set) var facts: [ConversationKey: Fact] = [:]

    /// The time of a message, of which two are the same.
    static func time(_ index: Int) -> Timestamp {
        Timestamp(milliseconds: 1_600_000_000_000 + Int64(index / 2) * 1_000)
    }

    /// Rows with read places, oldest first, with edits and redactions; ids sort as the messages do.
    static func withReadPlaces(_ count: Int, conversations: Int = 10) -> OldRows {
        var result = OldRows(testDescription: "read places")
        let messages = (0..<count).map { index in
            var message = Self.message(index, in: .id("room\(index % conversations)"), isOwn: index % 4 == 3)
            if index % 17 == 5 { message.editedTime = Self.time(index + 100) }
            message.isRecalled = index % 19 == 6
            return message
        }
        for number in 0..<conversations {
            var row = OldConversation(.id("room\(number)"))
            let own = messages.filter { $0.conversation == row.key }
            let read = own.count * number / conversations
            row.fields = ConversationFields(name: "Room \(number)", kind: number % 2 == 0 ? .group : .single)
            if read > 0 { row.readUpTo = MessageOrder(time: own[read - 1].time, id: own[read - 1].serverID) }
            if read == 0 { row.unreadCount = 0 }
            row.isPinned = number == 1
            result.rows.append(.conversation(row))
            let unread = own.dropFirst(read > 0 ? read : own.count).filter { $0.sender != "me" && !$0.isRecalled }
            result.facts[row.key] = Fact(
                messages: own.count, unread: unread.count, last: own.last?.serverID?.rawValue ?? "")
        }
        result.rows += messages.map { .message($0) }
        return result
    }

    /// Rows with unread counts and drafts, newest first or in another order that is not theirs.
    static func withUnreadCounts(_ count: Int, conversations: Int = 10, shuffledBy factor: Int = 1) -> OldRows {
        var result = OldRows(testDescription: factor == 1 ? "unread counts" : "another order")
        let messages = (0..<count).map { index in
            var message = Self.message(index, in: .single("peer\(index % conversations)"), isOwn: index % 3 == 2)
            message.localID = "\(index)"
            if index % 3 == 2 { message.status = [.sent, .delivered, .read][index % 5 % 3] }
            return message
        }
        for number in 0..<conversations {
            var row = OldConversation(.single("peer\(number)"))
            let own = messages.filter { $0.conversation == row.key }
            row.unreadCount = UInt32(number % 4)
            row.activity = own.last?.time
            row.messageCount = own.count
            row.isPinned = number == 2
            if number == 3 { (row.draft, row.draftTime) = ("unsent", Self.time(9)) }
            result.rows.append(.conversation(row))
            result.facts[row.key] = Fact(
                messages: own.count, unread: number % 4, last: own.last?.serverID?.rawValue ?? "")
        }
        result.rows += (0..<count).map { .message(messages[(count - 1 - $0) * factor % count]) }
        return result
    }

    private static func message(_ index: Int, in key: ConversationKey, isOwn: Bool) -> OldMessage {
        OldMessage(
            in: key, from: isOwn ? "me" : "u\(index % 7)", at: time(index), content: .text("text \(index)"),
            serverID: ServerMessageID("m" + String(100_000 + index)))
    }
}

extension MessageStore {
    /// What the store shows of conversations, by its views.
    func facts(of keys: some Sequence<ConversationKey>) throws -> [ConversationKey: OldRows.Fact] {
        try read { views in
            var facts: [ConversationKey: OldRows.Fact] = [:]
            for key in keys {
                var (part, count) = (TimelinePart.latest, 0)
                while true {
                    let page = try views.timeline(of: key, part, limit: 1_000)
                    count += page.elements.count
                    guard page.hasOlder, let first = page.elements.first else { break }
                    part = .before(.message(.local(first.id)))
                }
                facts[key] = OldRows.Fact(
                    messages: count, unread: try views.unread(of: key).messages,
                    last: try views.conversation(key)?.lastMessage?.serverID?.rawValue ?? "")
            }
            return facts
        }
    }
}
