/// Short ways to make the common events about messages; `Event(_:in:)` makes every other one.
extension Event {
    /// A message that arrived.
    ///
    /// - Parameters:
    ///   - serverID: The server's id of the message.
    ///   - sender: Who sent it; this account itself if it came from another of its devices.
    ///   - conversation: The conversation.
    ///   - time: The server's time; nil if the server does not report one, which sorts before all other times.
    ///   - content: The content.
    ///   - clientToken: The token that the sender's device gave it.
    ///   - policy: Whether it counts as unread and may be the last message.
    ///   - context: Mentions, the message it replies to, and who may see it.
    ///   - needsReceipt: Whether the sender requested a receipt.
    ///   - senderProfile: The sender's name and picture at that time.
    ///   - flags: The flags that this account set on it before it came; nil if the service does not report them.
    ///   - origin: How it arrived: `live`, `offline` in a package, or `history` in a page of older messages.
    ///   - id: The host's own id of the event.
    public static func received(
        _ serverID: ServerMessageID, from sender: UserID, in conversation: ConversationKey, at time: Timestamp?,
        content: MessageContent, clientToken: ClientToken? = nil, policy: MessagePolicy = .standard,
        context: MessageContext = .none, needsReceipt: Bool = false, senderProfile: SenderProfile? = nil,
        flags: MessageFlags? = nil, origin: Origin = .live, id: EventID? = nil
    ) -> Event {
        let message = MessageReceived(
            serverID: serverID, sender: sender, sentTime: time ?? .unknown, content: content, clientToken: clientToken,
            policy: policy, context: context, needsReceipt: needsReceipt, senderProfile: senderProfile, flags: flags)
        return Event(message, in: conversation, id: id, origin: origin)
    }

    /// A message that this account wants to send; see also `MessageStore.send(_:to:)`.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - conversation: The conversation to send it to.
    ///   - clientToken: The token by which the server and other devices recognise the message.
    ///   - context: Mentions, the message it replies to, and who may see it.
    ///   - needsReceipt: Whether a receipt is requested.
    ///   - order: When it is sent, compared with the others that wait.
    public static func queued(
        _ content: MessageContent, in conversation: ConversationKey, clientToken: ClientToken? = nil,
        context: MessageContext = .none, needsReceipt: Bool = false, order: SendOrder = .standard
    ) -> Event {
        let message = MessageSendQueued(
            content: content, clientToken: clientToken, context: context, needsReceipt: needsReceipt, order: order)
        return Event(message, in: conversation)
    }

    /// The server accepted a message of this account.
    ///
    /// - Parameters:
    ///   - message: Its id in this store, as `MessageStore.send(_:to:)` returned it.
    ///   - serverID: The id that the server gave it.
    ///   - conversation: The conversation.
    ///   - time: The server's time of it; nil if the server does not report it.
    public static func sent(
        _ message: LocalMessageID, as serverID: ServerMessageID, in conversation: ConversationKey,
        at time: Timestamp? = nil
    ) -> Event {
        Event(MessageSent(message: message, serverID: serverID, sentTime: time), in: conversation)
    }

    /// The transport failed to send a message; a late acknowledgement still wins.
    ///
    /// - Parameters:
    ///   - message: Its id in this store.
    ///   - conversation: The conversation.
    ///   - code: The transport's error.
    public static func sendFailed(
        _ message: LocalMessageID, in conversation: ConversationKey, code: Int32
    ) -> Event {
        Event(MessageSendFailed(message: message, code: code), in: conversation)
    }

    /// A failed message is being sent again.
    public static func sendRetried(_ message: LocalMessageID, in conversation: ConversationKey) -> Event {
        Event(MessageSendRetried(message: message), in: conversation)
    }

    /// Messages of this account reached a member's device.
    ///
    /// - Parameters:
    ///   - scope: The messages.
    ///   - member: Whose device; nil if the server does not report it.
    ///   - conversation: The conversation.
    ///   - time: When, by the server's clock.
    ///   - origin: How the store learned of it.
    public static func delivered(
        _ scope: ReceiptScope, to member: UserID? = nil, in conversation: ConversationKey, at time: Timestamp,
        origin: Origin = .live
    ) -> Event {
        Event(MessageDelivered(scope, to: member, at: time), in: conversation, origin: origin)
    }

    /// A member read messages of this account. If this account read, use ``read(upTo:in:origin:)``.
    ///
    /// - Parameters:
    ///   - scope: The messages.
    ///   - reader: Who read them; nil if the server does not report it.
    ///   - conversation: The conversation.
    ///   - time: When, by the server's clock.
    ///   - counts: How many members have read them; nil if the server does not report it.
    ///   - origin: How the store learned of it.
    public static func readByPeer(
        _ scope: ReceiptScope, by reader: UserID? = nil, in conversation: ConversationKey, at time: Timestamp,
        counts: ReadCounts? = nil, origin: Origin = .live
    ) -> Event {
        Event(MessageReadByPeer(scope, by: reader, at: time, counts: counts), in: conversation, origin: origin)
    }

    /// A message's content was replaced.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - content: The new content.
    ///   - conversation: The conversation.
    ///   - time: When, by the server's clock.
    ///   - origin: `local` for a change made on this device, which waits until the server confirms it; otherwise how
    ///     the store learned of it.
    public static func modified(
        _ message: MessageReference, content: MessageContent, in conversation: ConversationKey, at time: Timestamp,
        origin: Origin
    ) -> Event {
        Event(MessageModified(message, content: content, at: time), in: conversation, origin: origin)
    }

    /// A message was recalled.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - conversation: The conversation.
    ///   - actor: Who recalled it, if known.
    ///   - reason: The reason to show, if any.
    ///   - origin: `local` for a change made on this device, which waits until the server confirms it; otherwise how
    ///     the store learned of it.
    public static func recalled(
        _ message: MessageReference, in conversation: ConversationKey, by actor: UserID? = nil, reason: String? = nil,
        origin: Origin
    ) -> Event {
        Event(MessageRecalled(message, by: actor, reason: reason), in: conversation, origin: origin)
    }

    /// Messages were deleted for this account.
    ///
    /// - Parameters:
    ///   - messages: The messages.
    ///   - conversation: The conversation.
    ///   - isRemote: Whether the transport should delete them on the server as well.
    ///   - erases: Whether everything that they say is removed from the log.
    ///   - origin: How the store learned of it.
    public static func deleted(
        _ messages: [MessageReference], in conversation: ConversationKey, isRemote: Bool = false, erases: Bool = false,
        origin: Origin = .local
    ) -> Event {
        Event(MessagesDeleted(messages, isRemote: isRemote, erases: erases), in: conversation, origin: origin)
    }

    /// A user reacted to a message.
    ///
    /// - Parameters:
    ///   - key: The reaction, such as an emoji.
    ///   - message: The message.
    ///   - user: The user.
    ///   - conversation: The conversation.
    ///   - time: When, by the server's clock.
    ///   - origin: How the store learned of it.
    public static func reactionAdded(
        _ key: String, to message: MessageReference, by user: UserID, in conversation: ConversationKey,
        at time: Timestamp, origin: Origin = .live
    ) -> Event {
        Event(ReactionAdded(message, key: key, by: user, at: time), in: conversation, origin: origin)
    }

    /// A user removed a reaction.
    ///
    /// - Parameters:
    ///   - key: The reaction.
    ///   - message: From which.
    ///   - user: The user.
    ///   - conversation: The conversation.
    ///   - time: When, by the server's clock.
    ///   - origin: How the store learned of it.
    public static func reactionRemoved(
        _ key: String, from message: MessageReference, by user: UserID, in conversation: ConversationKey,
        at time: Timestamp, origin: Origin = .live
    ) -> Event {
        Event(ReactionRemoved(message, key: key, by: user, at: time), in: conversation, origin: origin)
    }
}
