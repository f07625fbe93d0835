import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Values for previews")
struct PreviewValueTests {
    private let message = Message(
        id: LocalMessageID(7), conversation: group, sender: "bob", time: ms(5), content: .text("hello"))

    @Test("a message and pages of it")
    func messages() {
        #expect(message.text == "hello" && message.status == .received && message.recordedTime == ms(5))
        #expect(message.order == nil)
        let page = TimelinePage([message], reachesBeginning: true)
        #expect(page.texts == ["hello"] && page.isContiguous && !page.hasOlder && page.reachesBeginning)
        #expect(page.entries() == [.time(ms(5)), .message(message)])
        #expect(TimelinePage([message], index: 0).index == 0)
        #expect(MessageAttachment(state: .uploading, localPath: "a.png").localPath == "a.png")
    }

    @Test("a conversation and pages of it")
    func conversations() {
        let digest = MessagePreview(
            id: message.id, conversation: group, sender: "bob", contentType: .text, content: message.content,
            time: ms(5))
        let conversation = Conversation(
            key: group, name: "Friends", isPinned: true, activity: ms(5), lastMessage: digest,
            unread: UnreadCount(messages: 2, readUpTo: order(4)), memberCount: 3)
        #expect(conversation.displayName == "Friends" && conversation.lastMessage?.text == "hello")
        #expect(Conversation(key: group).displayName == "g" && digest.senderName == "bob")
        let page = Page<Conversation>([conversation])
        #expect(page.next == nil && page.elements.map(\.unread.messages) == [2])
        #expect(UnreadTotals(messages: 2, conversations: 1).badge == 2)
    }

    @Test("what a subscriber or listener is handed")
    func arrivals() {
        let event = received("a", at: 1)
        let recorded = RecordedEvent(event, at: Position(3), recordedTime: ms(2))
        #expect(recorded.event == event && recorded.commit == Position(3) && !recorded.isRedacted)
        #expect(Delivery(.message(event, position: nil), in: group).isTransient)
    }

    @Test("people, and what is known of them")
    func people() {
        #expect(Member(id: "bob").joinKind == .joined)
        #expect(Cached(Profile(id: "bob")).displayName == "bob")
        #expect(!Cached(TeamInfo(id: group)).needsFetch)
        #expect(ChatRoomState() == .unknown)
        #expect(Reaction(key: "👍", users: ["bob"]).users == ["bob"])
        let receipts = MessageReceipts(read: [MemberReceipt(member: "bob")])
        #expect(receipts.read.map(\.member) == ["bob"] && receipts.delivered == [])
        #expect(!SyncProgress().isSyncing)
        let change = PendingChange(
            id: Position(9), event: Event(MessageRecalled(.server("s")), in: group), message: message.id)
        #expect(change.status == .waiting && change.failureCode == nil && change.isReady)
    }
}
