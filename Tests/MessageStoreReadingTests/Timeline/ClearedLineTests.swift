import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// What a whole history is cleared by.
private enum Clearing: String, CaseIterable {
    case history, conversation, room

    var conversation: ConversationKey { self == .room ? .chatRoom("room") : group }

    var event: Event {
        switch self {
        case .history: Event(HistoryCleared(), in: conversation)
        case .conversation: Event(ConversationDeleted(alsoMessages: true), in: conversation)
        case .room: Event(ChatRoomLeft(at: ms(50), purges: true), in: conversation)
        }
    }
}

@Suite("d21, d30: lines of this device, and a history that is cleared", .store)
struct ClearedLineTests {
    /// The clock is at 1,000, so that the line stands above what comes.
    private func line(in conversation: ConversationKey) -> Event {
        Event(MessageInsertedLocally(content: .text("line"), time: ms(1_000)), in: conversation)
    }

    private func shown(_ store: MessageStore, _ conversation: ConversationKey) throws -> [String?] {
        try store.read { try $0.timeline(of: conversation).elements.map { $0.content.text } }
    }

    @Test(
        "d21, d30: what a server reports late is shown and counts, though a line of this device was above it",
        arguments: Clearing.allCases)
    private func late(clearing: Clearing) throws {
        let conversation = clearing.conversation
        try store.record(received("a", at: 10, in: conversation), line(in: conversation))
        #expect(try shown(store, conversation) == ["a", "line"])
        try store.record(clearing.event)
        #expect(try shown(store, conversation).isEmpty)
        try store.record(received("b", at: 20, in: conversation))
        #expect(try shown(store, conversation) == ["b"])
        #expect(try store.read { try $0.unread(of: conversation).messages } == 1)
        try store.record(line(in: conversation))
        #expect(try shown(store, conversation) == ["b", "line"])
    }

    @Test("d21, d30: clearing up to a place leaves the lines above it")
    func upToPlace() throws {
        try store.record([received("a", at: 10), line(in: group), received("b", at: 2_000), line(in: group)])
        try store.record(cleared(order(10, "a")))
        #expect(try shown(store, group) == ["line", "line", "b"])
        try store.record(cleared(order(2_000, "b")))
        #expect(try shown(store, group).isEmpty)
    }
}
