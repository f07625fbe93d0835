/// Short ways to make the common events about messages; every other one is made with `Event(_:in:)`.
extension Event {
    /// A message that arrived.
    ///
    /// - Parameters:
    ///   - serverID: The server's id of the message.
    ///   - sender: Who sent it; this account itself where it came from another device.
    ///   - conversation: Where.
    ///   - time: The server's time of it; nil where the server does not tell, which sorts before all others.
    ///   - content: What it says.
    ///   - clientToken: The token that the sender's device gave it.
    ///   - policy: Whether it counts as unread and may be the last message.
    ///   - context: Whom it mentions, answers and may be seen by.
    ///   - needsReceipt: Whether the sender wants a receipt.
    ///   - senderProfile: How the sender called itself then.
    ///   - origin: How it came: `live`, or `offline` in a package, `history` in a page of the past.
    ///   - id: The host's own id of the event.
    public static func received(
        _ serverID: ServerMessageID, from sender: UserID, in conversation: ConversationKey, at time: Timestamp?,
        content: MessageContent, clientToken: ClientToken? = nil, policy: MessagePolicy = .standard,
        context: MessageContext = .none, needsReceipt: Bool = false, senderProfile: SenderProfile? = nil,
        origin: Origin = .live, id: EventID? = nil
    ) -> Event {
        let message = MessageReceived(
            serverID: serverID, sender: sender, sentTime: time ?? .unknown, content: content, clientToken: clientToken,
            policy: policy, context: context, needsReceipt: needsReceipt, senderProfile: senderProfile)
        return Event(message, in: conversation, id: id, origin: origin)
    }

    /// A message that this account asked to send; see also `MessageStore.send`.
    ///
    /// - Parameters:
    ///   - content: What it says.
    ///   - conversation: Where to.
    ///   - clientToken: The token by which the server and other devices recognise the message.
    ///   - context: Whom it mentions, answers and may be seen by.
    ///   - needsReceipt: Whether a receipt is wanted.
    public static func queued(
        _ content: MessageContent, in conversation: ConversationKey, clientToken: ClientToken? = nil,
        context: MessageContext = .none, needsReceipt: Bool = false
    ) -> Event {
        let message = MessageSendQueued(
            content: content, clientToken: clientToken, context: context, needsReceipt: needsReceipt)
        return Event(message, in: conversation)
    }

    /// The server accepted a message of this account.
    ///
    /// - Parameters:
    ///   - message: Its id in this store, as `send` returned it.
    ///   - serverID: The id that the server gave it.
    ///   - conversation: Where.
    ///   - time: The server's time of it.
    public static func sent(
        _ message: LocalMessageID, as serverID: ServerMessageID, in conversation: ConversationKey, at time: Timestamp
    ) -> Event {
        Event(MessageSent(message: message, serverID: serverID, sentTime: time), in: conversation)
    }

    /// The transport gave up sending a message, or a change that waits; a late acknowledgement still wins.
    ///
    /// - Parameters:
    ///   - message: Its id in this store.
    ///   - conversation: Where.
    ///   - code: The transport's error.
    public static func sendFailed(
        _ message: LocalMessageID, in conversation: ConversationKey, code: Int32
    ) -> Event {
        Event(MessageSendFailed(message: message, code: code), in: conversation)
    }

    /// A failed message, or a failed change, is being sent again.
    public static func sendRetried(_ message: LocalMessageID, in conversation: ConversationKey) -> Event {
        Event(MessageSendRetried(message: message), in: conversation)
    }

    /// Messages of this account reached a member's device.
    ///
    /// - Parameters:
    ///   - scope: Which messages.
    ///   - member: Whose device, where the server tells.
    ///   - conversation: Where.
    ///   - time: When, by the server's clock.
    ///   - origin: How the store learnt of it.
    public static func delivered(
        _ scope: ReceiptScope, to member: UserID? = nil, in conversation: ConversationKey, at time: Timestamp,
        origin: Origin = .live
    ) -> Event {
        Event(MessageDelivered(scope, to: member, at: time), in: conversation, origin: origin)
    }

    /// A member read messages of this account. That this account read is ``read(upTo:in:origin:)``.
    ///
    /// - Parameters:
    ///   - scope: Which messages.
    ///   - reader: Who read them, where the server tells.
    ///   - conversation: Where.
    ///   - time: When, by the server's clock.
    ///   - counts: How many members have read them, where the server tells.
    ///   - origin: How the store learnt of it.
    public static func readByPeer(
        _ scope: ReceiptScope, by reader: UserID? = nil, in conversation: ConversationKey, at time: Timestamp,
        counts: ReadCounts? = nil, origin: Origin = .live
    ) -> Event {
        Event(MessageReadByPeer(scope, by: reader, at: time, counts: counts), in: conversation, origin: origin)
    }

    /// A message's content was replaced.
    ///
    /// - Parameters:
    ///   - message: Which.
    ///   - content: What it says now.
    ///   - conversation: Where.
    ///   - time: When, by the server's clock.
    ///   - origin: `local` for a change made here, which waits until the server tells of it; else how the store learnt
    ///     of it.
    public static func modified(
        _ message: MessageReference, content: MessageContent, in conversation: ConversationKey, at time: Timestamp,
        origin: Origin
    ) -> Event {
        Event(MessageModified(message, content: content, at: time), in: conversation, origin: origin)
    }

    /// A message was taken back.
    ///
    /// - Parameters:
    ///   - message: Which.
    ///   - conversation: Where.
    ///   - actor: Who took it back, where that is known.
    ///   - reason: Why, for people.
    ///   - origin: `local` for a change made here, which waits until the server tells of it; else how the store learnt
    ///     of it.
    public static func recalled(
        _ message: MessageReference, in conversation: ConversationKey, by actor: UserID? = nil, reason: String? = nil,
        origin: Origin
    ) -> Event {
        Event(MessageRecalled(message, by: actor, reason: reason), in: conversation, origin: origin)
    }

    /// Messages were deleted for this account.
    ///
    /// - Parameters:
    ///   - messages: Which.
    ///   - conversation: Where.
    ///   - isRemote: Whether the server is to forget them as well; intent for the transport.
    ///   - origin: How the store learnt of it.
    public static func deleted(
        _ messages: [MessageReference], in conversation: ConversationKey, isRemote: Bool = false,
        origin: Origin = .local
    ) -> Event {
        Event(MessagesDeleted(messages, isRemote: isRemote), in: conversation, origin: origin)
    }

    /// A user reacted to a message.
    ///
    /// - Parameters:
    ///   - key: The reaction, such as an emoji.
    ///   - message: To which.
    ///   - user: Who.
    ///   - conversation: Where.
    ///   - time: When, by the server's clock.
    ///   - origin: How the store learnt of it.
    public static func reactionAdded(
        _ key: String, to message: MessageReference, by user: UserID, in conversation: ConversationKey,
        at time: Timestamp, origin: Origin = .live
    ) -> Event {
        Event(ReactionAdded(message, key: key, by: user, at: time), in: conversation, origin: origin)
    }

    /// A user took a reaction back.
    ///
    /// - Parameters:
    ///   - key: The reaction.
    ///   - message: From which.
    ///   - user: Who.
    ///   - conversation: Where.
    ///   - time: When, by the server's clock.
    ///   - origin: How the store learnt of it.
    public static func reactionRemoved(
        _ key: String, from message: MessageReference, by user: UserID, in conversation: ConversationKey,
        at time: Timestamp, origin: Origin = .live
    ) -> Event {
        Event(ReactionRemoved(message, key: key, by: user, at: time), in: conversation, origin: origin)
    }
}
