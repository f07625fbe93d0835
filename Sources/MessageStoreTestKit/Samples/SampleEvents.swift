package import MessageStore

/// Events of every type, with every optional part set and unset.
package enum SampleEvents {
    static let group = ConversationKey.group("家庭群")
    static let channel = ConversationKey(
        .group, String(repeating: "i", count: 255), channel: String(repeating: "c", count: 200))
    static let longest = String(repeating: "ü", count: 127) + "x"
    package static let time = Timestamp(milliseconds: 1_700_000_000_123)
    static let text = "今天晚上一起吃饭吗？👨‍👩‍👧"

    static let fullContent = MessageContent(
        type: ContentType(longest), text: text, data: [0, 255, 1], attributes: Array("{\"a\":1}".utf8))
    static let emptyContent = MessageContent(type: .image, text: "", data: [], attributes: [])
    static let fullContext = MessageContext(
        mentions: ["me", "张三", UserID(longest)], mentionsEveryone: true, visibleTo: ["me"], replyTo: "r1",
        forwardOf: ServerMessageID(longest), pushText: text,
        timer: MessageTimer(seconds: .max, runsFromReading: true))
    static let emptyLists = MessageContext(mentions: [], visibleTo: [], pushText: "", timer: .off)

    /// A message at position 1, which others name.
    package static let first = Event(
        MessageReceived(serverID: "s1", sender: "张三", sentTime: time, content: .text(text)),
        in: group,
        origin: .live)

    package static var all: [Event] { messages + states + conversations + conversationStates + account }

    static var messages: [Event] {
        let full = MessageReceived(
            serverID: ServerMessageID(longest), sender: UserID(longest), sentTime: .latest, content: fullContent,
            clientToken: ClientToken(longest), policy: .silent, context: fullContext, needsReceipt: true,
            flags: [.read, .retrieved])
        let empty = MessageReceived(
            serverID: "s2", sender: "me", sentTime: .unknown, content: emptyContent, policy: .uncounted,
            context: emptyLists, flags: [])
        let order = MessageOrder(time: time, id: "s1")
        let references: [MessageReference] = [.server("s1"), .local(LocalMessageID(7)), .server("s9")]
        return [
            first,
            Event(
                full, in: channel, id: EventID(longest), origin: .history,
                device: DeviceID(longest)),
            Event(
                empty, in: ConversationKey(ConversationKind(rawValue: 200), "x"), origin: .otherDevice
            ),
            queued(
                MessageSendQueued(content: fullContent, clientToken: "t1", context: fullContext, needsReceipt: true)),
            queued(
                MessageSendQueued(
                    content: emptyContent, context: emptyLists, policy: .silent,
                    order: SendOrder(priority: .min, notBefore: .latest, after: LocalMessageID(1)))),
            Event(MessageSent(message: LocalMessageID(4), serverID: "s3", sentTime: time), in: group),
            Event(MessageSent(message: LocalMessageID(6), serverID: "s4"), in: group),
            Event(MessageSendFailed(message: LocalMessageID(5), code: .min), in: group),
            Event(MessageSendFailed(message: LocalMessageID(.max), code: .max), in: group),
            Event(MessageSendRetried(message: LocalMessageID(5)), in: group),
            Event(MessageDelivered(.upTo(time), at: .unknown), in: group),
            Event(MessageDelivered(.messages(references), to: "张三", at: time), in: group),
            Event(MessageReadByPeer(.upTo(.unknown), by: "张三", at: .latest), in: group),
            Event(MessageReadByPeer(.messages(references), at: time), in: group),
            Event(
                MessageModified(
                    .server("s1"), content: fullContent, at: time, mentions: ["me", "张三"], mentionsEveryone: true,
                    by: "张三"), in: group),
            Event(
                MessageModified(.local(LocalMessageID(1)), content: emptyContent, at: time), in: group
            ),
            Event(MessageRecalled(.server("s1"), by: "李四", reason: text), in: group, serverTime: time),
            Event(MessageRecalled(.local(LocalMessageID(1)), reason: ""), in: group),
            Event(MessagesDeleted(references, isRemote: true), in: group),
            Event(MessagesDeleted([.server("s1")], erases: true, isExpiry: true), in: group),
            Event(MessagesDeleted([.local(LocalMessageID(1))]), in: group, device: "手机"),
            Event(HistoryCleared(), in: group),
            Event(HistoryCleared(upTo: order, isRemote: true), in: group),
            Event(HistoryCleared(upTo: order, erases: true, isRetention: true, kept: references), in: group),
            Event(HistoryCleared(upTo: MessageOrder(time: .unknown)), in: group),
            Event(HistoryPageLoaded(newest: order, oldest: MessageOrder(time: .unknown)), in: group),
            Event(
                HistoryPageLoaded(newest: order, oldest: order, reachesBeginning: true, reachesEnd: true),
                in: group),
        ]
    }

    private static func queued(_ body: MessageSendQueued) -> Event {
        Event(body, in: group, id: nil, origin: .local, serverTime: time, device: "手机")
    }
}
