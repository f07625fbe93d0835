import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("Short ways to make events", .store)
struct EventFactoryTests {
    private static let time = ms(5)
    private static let place = MessageOrder(time: time, id: "m1")
    private static let content = MessageContent.text("hello")
    private static let fields = ConversationFields(name: "Friends")

    @Test("each is the event that its parts make", arguments: messages + conversations + account)
    func parts(made: Event, spelledOut: Event) {
        #expect(made == spelledOut)
    }

    @Test("a message without a time sorts before all others")
    func noTime() throws {
        try store.record(received("b", at: 1))
        try store.record(.received("a", from: "bob", in: group, at: nil, content: .text("a")))
        #expect(try store.texts() == ["a", "b"])
        #expect(try store.message("a")?.order == MessageOrder(time: ms(0), id: "a"))
    }

    private static let messages: [(Event, Event)] = [
        (
            .received(
                "m1", from: "bob", in: group, at: time, content: content, clientToken: "t", policy: .silent,
                context: MessageContext(mentions: ["me"]), needsReceipt: true,
                senderProfile: SenderProfile(name: "Bob"),
                origin: .offline, id: "e"),
            Event(
                MessageReceived(
                    serverID: "m1", sender: "bob", sentTime: time, content: content, clientToken: "t", policy: .silent,
                    context: MessageContext(mentions: ["me"]), needsReceipt: true,
                    senderProfile: SenderProfile(name: "Bob")),
                in: group, id: "e", origin: .offline)
        ),
        (
            .queued(content, in: group, clientToken: "t", context: MessageContext(replyTo: "m0"), needsReceipt: true),
            Event(
                MessageSendQueued(
                    content: content, clientToken: "t", context: MessageContext(replyTo: "m0"), needsReceipt: true),
                in: group)
        ),
        (
            .sent(LocalMessageID(1), as: "m1", in: group, at: time),
            Event(MessageSent(message: LocalMessageID(1), serverID: "m1", sentTime: time), in: group)
        ),
        (
            .sendFailed(LocalMessageID(1), in: group, code: 7),
            Event(MessageSendFailed(message: LocalMessageID(1), code: 7), in: group)
        ),
        (.sendRetried(LocalMessageID(1), in: group), Event(MessageSendRetried(message: LocalMessageID(1)), in: group)),
        (
            .delivered(.upTo(time), to: "bob", in: group, at: time),
            Event(MessageDelivered(.upTo(time), to: "bob", at: time), in: group, origin: .live)
        ),
        (
            .readByPeer(.upTo(time), by: "bob", in: group, at: time, counts: ReadCounts(read: 1, unread: 2)),
            Event(
                MessageReadByPeer(.upTo(time), by: "bob", at: time, counts: ReadCounts(read: 1, unread: 2)), in: group,
                origin: .live)
        ),
        (
            .modified(.server("m1"), content: content, in: group, at: time, origin: .live),
            Event(MessageModified(.server("m1"), content: content, at: time), in: group, origin: .live)
        ),
        (
            .recalled(.server("m1"), in: group, by: "bob", reason: "typo", origin: .local),
            Event(MessageRecalled(.server("m1"), by: "bob", reason: "typo"), in: group)
        ),
        (
            .deleted([.server("m1")], in: group, isRemote: true),
            Event(MessagesDeleted([.server("m1")], isRemote: true), in: group)
        ),
        (
            .reactionAdded("👍", to: .server("m1"), by: "bob", in: group, at: time),
            Event(ReactionAdded(.server("m1"), key: "👍", by: "bob", at: time), in: group, origin: .live)
        ),
        (
            .reactionRemoved("👍", from: .server("m1"), by: "bob", in: group, at: time),
            Event(ReactionRemoved(.server("m1"), key: "👍", by: "bob", at: time), in: group, origin: .live)
        ),
    ]

    private static let conversations: [(Event, Event)] = [
        (.read(upTo: place, in: group), Event(ConversationRead(upTo: place), in: group)),
        (
            .markedUnread(false, in: group, origin: .otherDevice),
            Event(ConversationMarkedUnread(false), in: group, origin: .otherDevice)
        ),
        (
            .unreadCountReported(3, mentions: 1, upTo: place, in: group, at: time),
            Event(UnreadCountReported(3, mentions: 1, upTo: place, at: time), in: group, origin: .live)
        ),
        (.pinned(in: group), Event(ConversationPinned(true), in: group)),
        (.archived(in: group), Event(ConversationArchived(true), in: group)),
        (.muted(false, in: group), Event(ConversationMuted(false), in: group)),
        (.draftChanged("hel", in: group), Event(ConversationDraftChanged("hel"), in: group)),
        (
            .membersAdded(["bob"], to: group, by: "alice", at: time, id: "e1"),
            Event(
                MembersAdded(["bob"], kind: .joined, by: "alice"), in: group, id: "e1", origin: .live, serverTime: time)
        ),
        (
            .membersRemoved(["bob"], from: group, kind: .kicked, by: "alice", origin: .offline),
            Event(MembersRemoved(["bob"], kind: .kicked, by: "alice"), in: group, origin: .offline)
        ),
        (
            .conversationCreated(fields, members: ["bob"], in: group),
            Event(ConversationCreated(fields, members: ["bob"]), in: group, origin: .live)
        ),
        (
            .conversationSnapshot(fields, members: ["bob"], in: group, origin: .history),
            Event(ConversationSnapshotReceived(fields, members: ["bob"]), in: group, origin: .history)
        ),
        (
            .conversationDeleted(group, alsoMessages: true, isRemote: true),
            Event(ConversationDeleted(alsoMessages: true, isRemote: true), in: group)
        ),
        (
            .historyCleared(upTo: place, in: group, isRemote: true),
            Event(HistoryCleared(upTo: place, isRemote: true), in: group)
        ),
        (
            .timerChanged(MessageTimer(seconds: 5), in: group, at: time),
            Event(ConversationTimerChanged(MessageTimer(seconds: 5), at: time), in: group)
        ),
    ]

    private static let account: [(Event, Event)] = [
        (.profilesFetched([Profile(id: "bob")]), Event(ProfilesFetched([Profile(id: "bob")]))),
        (.sessionStateChanged(.disconnected, code: 3), Event(SessionStateChanged(.disconnected, code: 3))),
        (.syncCursorAdvanced("inbox", to: [1]), Event(SyncCursorAdvanced(name: "inbox", value: [1]))),
        (
            .pendingChangeUpdated(Position(4), .failed, code: 5),
            Event(PendingChangeUpdated(Position(4), .failed, code: 5))
        ),
    ]
}
