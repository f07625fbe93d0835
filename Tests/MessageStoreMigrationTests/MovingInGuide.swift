import MessageStore
import MessageStoreMigration
import MessageStoreTestKit
import Testing

// Docs/MovingIn.md shows the code of this file; a test compares them.

/// A chat, as the app's own code reads it from its old database.
struct OldChat {
    var id: String
    var name: String
    var unread: Int
    var draft: String?
}

/// A message, as the app's own code reads it.
struct OldChatMessage {
    /// What the app gave the server with a message that it sent.
    var token: String?
    var id: String?
    var chat: String
    var sender: String
    var sentAt: Int64
    var text: String
    var state: Int
}

extension OldConversation {
    init(_ chat: OldChat) {
        self.init(.id(chat.id))
        fields.name = chat.name
        unreadCount = UInt32(clamping: chat.unread)
        draft = chat.draft
    }
}

extension OldMessage {
    init(_ message: OldChatMessage) {
        self.init(
            in: .id(message.chat), from: UserID(message.sender), at: Timestamp(milliseconds: message.sentAt),
            content: .text(message.text), serverID: message.id.map { ServerMessageID($0) }, localID: message.token)
        status = message.state == 0 ? .sending : message.state == 1 ? .failed : .sent
    }
}

extension MessageStore {
    /// Moves an old database in; true if it is no longer needed.
    func moveIn(_ chats: [OldChat], nextMessage: () throws -> OldChatMessage?) throws -> Bool {
        var chats = chats.makeIterator()
        let report = try migrate(progress: { print("\($0) rows") }) {
            if let chat = chats.next() { return .conversation(OldConversation(chat)) }
            return try nextMessage().map { .message(OldMessage($0)) }
        }
        for other in report.differences { print(other.key, other.messages, other.shownMessages, other.shownUnread) }
        return report.isComplete
    }
}

@Suite("Docs/MovingIn.md: the code that it shows", .timeLimit(.minutes(30)))
struct MovingInGuide {
    @Test("a database of two messages moves in")
    func moveIn() async throws {
        let place = try TemporaryStore()
        let store = try place.open()
        let chats = [OldChat(id: "c1", name: "Friends", unread: 1)]
        var messages = [
            OldChatMessage(
                token: nil, id: "m1", chat: "c1", sender: "bob", sentAt: 1_600_000_000_000, text: "a", state: 2),
            OldChatMessage(
                token: "t2", id: nil, chat: "c1", sender: "me", sentAt: 1_600_000_001_000, text: "b", state: 1),
        ].makeIterator()
        let isDone = try store.moveIn(chats) { messages.next() }
        #expect(isDone)
        #expect(try store.badge == 1)

        let rows = [OldRow.conversation(OldConversation(chats[0]))]
        let report = try await store.migrate(rows)
        #expect(report.events == 0)
    }
}
