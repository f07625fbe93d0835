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
    .received(
        id, from: sender, in: conversation, at: ms(time),
        content: MessageContent(type: type, text: text ?? id.rawValue),
        clientToken: token, policy: policy, context: MessageContext(mentions: mentions), origin: origin, id: eventID)
}

func queued(_ text: String, token: ClientToken? = nil, in conversation: ConversationKey = group) -> Event {
    .queued(.text(text), in: conversation, clientToken: token)
}

func sent(
    _ message: LocalMessageID, _ id: ServerMessageID, at time: Int64, in conversation: ConversationKey = group
) -> Event {
    .sent(message, as: id, in: conversation, at: ms(time))
}

func failed(_ message: LocalMessageID, code: Int32 = 7, in conversation: ConversationKey = group) -> Event {
    .sendFailed(message, in: conversation, code: code)
}

func retried(_ message: LocalMessageID, in conversation: ConversationKey = group) -> Event {
    .sendRetried(message, in: conversation)
}

func delivered(_ scope: ReceiptScope, at time: Int64, in conversation: ConversationKey = group) -> Event {
    .delivered(scope, to: "bob", in: conversation, at: ms(time))
}

func readByPeer(_ scope: ReceiptScope, at time: Int64, in conversation: ConversationKey = group) -> Event {
    .readByPeer(scope, by: "bob", in: conversation, at: ms(time))
}

func recalled(_ id: ServerMessageID, in conversation: ConversationKey = group) -> Event {
    .recalled(.server(id), in: conversation, origin: .local)
}

func deleted(_ ids: ServerMessageID..., in conversation: ConversationKey = group) -> Event {
    .deleted(ids.map { .server($0) }, in: conversation)
}

func modified(_ id: ServerMessageID, _ text: String, at time: Int64, in conversation: ConversationKey = group) -> Event
{
    .modified(.server(id), content: .text(text), in: conversation, at: ms(time), origin: .local)
}

func read(_ upTo: MessageOrder? = nil, in conversation: ConversationKey = group) -> Event {
    .read(upTo: upTo, in: conversation)
}

func cleared(_ upTo: MessageOrder? = nil, in conversation: ConversationKey = group) -> Event {
    .historyCleared(upTo: upTo, in: conversation)
}

func conversationDeleted(alsoMessages: Bool = false, in conversation: ConversationKey = group) -> Event {
    .conversationDeleted(conversation, alsoMessages: alsoMessages)
}

func pinned(_ isPinned: Bool = true, in conversation: ConversationKey = group) -> Event {
    .pinned(isPinned, in: conversation)
}

func archived(
    _ isArchived: Bool = true, at time: Timestamp? = nil, in conversation: ConversationKey = group
) -> Event {
    Event(ConversationArchived(isArchived, at: time), in: conversation)
}

func muted(_ isMuted: Bool = true, in conversation: ConversationKey = group) -> Event {
    .muted(isMuted, in: conversation)
}

func markedUnread(_ isMarked: Bool = true, in conversation: ConversationKey = group) -> Event {
    .markedUnread(isMarked, in: conversation)
}

func created(_ name: String? = nil, members: [UserID] = [], in conversation: ConversationKey = group) -> Event {
    .conversationCreated(ConversationFields(name: name), members: members, in: conversation)
}

func snapshot(_ name: String? = nil, members: [UserID]? = nil, in conversation: ConversationKey = group) -> Event {
    .conversationSnapshot(ConversationFields(name: name), members: members, in: conversation)
}

func profiles(_ named: [(UserID, String?)]) -> Event {
    .profilesFetched(named.map { Profile(id: $0.0, name: $0.1) })
}

func historyPage(
    newest: MessageOrder, oldest: MessageOrder, beginning: Bool = false, end: Bool = false,
    in conversation: ConversationKey = group
) -> Event {
    Event(
        HistoryPageLoaded(newest: newest, oldest: oldest, reachesBeginning: beginning, reachesEnd: end),
        in: conversation)
}
