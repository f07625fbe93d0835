import MessageStore

let group = ConversationKey.group("g")
let peer = ConversationKey.single("bob")

func ms(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

func order(_ time: Int64, _ id: ServerMessageID? = nil) -> MessageOrder { MessageOrder(time: ms(time), id: id) }

/// A message from a server.
func received(
    _ id: ServerMessageID, at time: Int64, from sender: UserID = "bob", in conversation: ConversationKey = group,
    text: String? = nil, type: ContentType = .text, token: ClientToken? = nil, policy: MessagePolicy = .standard,
    mentions: [UserID] = [], origin: Origin = .live, eventID: EventID? = nil
) -> Event {
    let message = MessageReceived(
        serverID: id, sender: sender, sentTime: ms(time),
        content: MessageContent(type: type, text: text ?? id.rawValue), clientToken: token, policy: policy,
        context: MessageContext(mentions: mentions))
    return Event(message, in: conversation, id: eventID, origin: origin)
}

func queued(_ text: String, token: ClientToken? = nil, in conversation: ConversationKey = group) -> Event {
    Event(MessageSendQueued(content: .text(text), clientToken: token), in: conversation)
}

func sent(
    _ message: LocalMessageID, _ id: ServerMessageID, at time: Int64, in conversation: ConversationKey = group
) -> Event {
    Event(MessageSent(message: message, serverID: id, sentTime: ms(time)), in: conversation)
}

func failed(_ message: LocalMessageID, code: Int32 = 7, in conversation: ConversationKey = group) -> Event {
    Event(MessageSendFailed(message: message, code: code), in: conversation)
}

func retried(_ message: LocalMessageID, in conversation: ConversationKey = group) -> Event {
    Event(MessageSendRetried(message: message), in: conversation)
}

func delivered(_ scope: ReceiptScope, at time: Int64, in conversation: ConversationKey = group) -> Event {
    Event(MessageDelivered(scope, to: "bob", at: ms(time)), in: conversation)
}

func readByPeer(_ scope: ReceiptScope, at time: Int64, in conversation: ConversationKey = group) -> Event {
    Event(MessageReadByPeer(scope, by: "bob", at: ms(time)), in: conversation)
}

func recalled(_ id: ServerMessageID, in conversation: ConversationKey = group) -> Event {
    Event(MessageRecalled(.server(id)), in: conversation)
}

func deleted(_ ids: ServerMessageID..., in conversation: ConversationKey = group) -> Event {
    Event(MessagesDeleted(ids.map { .server($0) }), in: conversation)
}

func modified(_ id: ServerMessageID, _ text: String, at time: Int64, in conversation: ConversationKey = group) -> Event
{
    Event(MessageModified(.server(id), content: .text(text), at: ms(time)), in: conversation)
}

func read(_ upTo: MessageOrder? = nil, in conversation: ConversationKey = group) -> Event {
    Event(ConversationRead(upTo: upTo), in: conversation)
}

func cleared(_ upTo: MessageOrder? = nil, in conversation: ConversationKey = group) -> Event {
    Event(HistoryCleared(upTo: upTo), in: conversation)
}

func conversationDeleted(alsoMessages: Bool = false, in conversation: ConversationKey = group) -> Event {
    Event(ConversationDeleted(alsoMessages: alsoMessages), in: conversation)
}

func pinned(_ isPinned: Bool = true, in conversation: ConversationKey = group) -> Event {
    Event(ConversationPinned(isPinned), in: conversation)
}

func muted(_ isMuted: Bool = true, in conversation: ConversationKey = group) -> Event {
    Event(ConversationMuted(isMuted), in: conversation)
}

func markedUnread(_ isMarked: Bool = true, in conversation: ConversationKey = group) -> Event {
    Event(ConversationMarkedUnread(isMarked), in: conversation)
}

func created(_ name: String? = nil, members: [UserID] = [], in conversation: ConversationKey = group) -> Event {
    Event(ConversationCreated(ConversationFields(name: name), members: members), in: conversation)
}

func snapshot(_ name: String? = nil, members: [UserID]? = nil, in conversation: ConversationKey = group) -> Event {
    Event(
        ConversationSnapshotReceived(ConversationFields(name: name), members: members), in: conversation)
}

func profiles(_ named: [(UserID, String?)]) -> Event {
    Event(ProfilesFetched(named.map { Profile(id: $0.0, name: $0.1) }))
}

func historyPage(
    newest: MessageOrder, oldest: MessageOrder, beginning: Bool = false, end: Bool = false,
    in conversation: ConversationKey = group
) -> Event {
    Event(
        HistoryPageLoaded(newest: newest, oldest: oldest, reachesBeginning: beginning, reachesEnd: end),
        in: conversation)
}
