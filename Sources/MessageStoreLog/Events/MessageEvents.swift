/// This account asked to send a message; it is durable before any network is touched.
public struct MessageSendQueued: Hashable, Sendable {
    /// What the message says.
    public var content: MessageContent
    /// The token by which the server and other devices recognise the message.
    public var clientToken: ClientToken?
    /// Whom it mentions, answers and may be seen by.
    public var context: MessageContext
    /// Whether a delivery or read receipt is wanted.
    public var needsReceipt: Bool
    /// Whether it may be the last message of its conversation; own messages never count as unread. A message that is not
    /// kept is refused: the transport sends it, and the store has nothing to do (B39).
    public var policy: MessagePolicy

    /// Puts the event together.
    public init(
        content: MessageContent,
        clientToken: ClientToken? = nil,
        context: MessageContext = .none,
        needsReceipt: Bool = false,
        policy: MessagePolicy = .standard
    ) {
        self.content = content
        self.clientToken = clientToken
        self.context = context
        self.needsReceipt = needsReceipt
        self.policy = policy
    }
}

/// The server accepted a queued message and gave it its id and time.
public struct MessageSent: Hashable, Sendable {
    /// The queued message.
    public var message: LocalMessageID
    /// The id that the server gave.
    public var serverID: ServerMessageID
    /// The time that the server gave; it decides the message's place from now on.
    public var sentTime: Timestamp

    /// Puts the event together.
    public init(message: LocalMessageID, serverID: ServerMessageID, sentTime: Timestamp) {
        self.message = message
        self.serverID = serverID
        self.sentTime = sentTime
    }
}

/// Sending failed; a later ``MessageSent`` still wins (d18).
///
/// Naming the position of a ``MessageModified`` or ``MessageRecalled`` that waits for the server, it is that change
/// that failed.
public struct MessageSendFailed: Hashable, Sendable {
    /// The queued message, or the position of the change that waits.
    public var message: LocalMessageID
    /// The transport's error code.
    public var code: Int32

    /// Puts the event together.
    public init(message: LocalMessageID, code: Int32) {
        self.message = message
        self.code = code
    }
}

/// The host tries to send a failed message, or a failed change of one, again.
public struct MessageSendRetried: Hashable, Sendable {
    /// The failed message, or the position of the change that failed.
    public var message: LocalMessageID

    /// Puts the event together.
    public init(message: LocalMessageID) {
        self.message = message
    }
}

/// A message arrived: live, after having been offline, from history or from this account's other device.
public struct MessageReceived: Hashable, Sendable {
    /// The server's id of the message.
    public var serverID: ServerMessageID
    /// Who sent it; this account itself where it came from another device.
    public var sender: UserID
    /// The server's time of it; decides its place. ``Timestamp/unknown`` sorts first.
    public var sentTime: Timestamp
    /// What it says.
    public var content: MessageContent
    /// The token that the sender's device gave it.
    public var clientToken: ClientToken?
    /// Whether it counts as unread and may be the last message.
    public var policy: MessagePolicy
    /// Whom it mentions, answers and may be seen by.
    public var context: MessageContext
    /// Whether the sender wants a receipt.
    public var needsReceipt: Bool
    /// How the sender called itself then, where the service sends that with the message (C10).
    public var senderProfile: SenderProfile?

    /// Puts the event together.
    public init(
        serverID: ServerMessageID,
        sender: UserID,
        sentTime: Timestamp,
        content: MessageContent,
        clientToken: ClientToken? = nil,
        policy: MessagePolicy = .standard,
        context: MessageContext = .none,
        needsReceipt: Bool = false,
        senderProfile: SenderProfile? = nil
    ) {
        self.serverID = serverID
        self.sender = sender
        self.sentTime = sentTime
        self.content = content
        self.clientToken = clientToken
        self.policy = policy
        self.context = context
        self.needsReceipt = needsReceipt
        self.senderProfile = senderProfile
    }
}

extension MessageReceived {
    /// Whether its list of those who may see it leaves an account out; between two people the list does not count (A30).
    package func isDirected(past account: UserID, in conversation: ConversationKey) -> Bool {
        guard conversation.kind != .single, sender != account, let users = context.visibleTo else { return false }
        return !users.contains(account)
    }
}

/// A sender's name and picture as they came with a message.
public struct SenderProfile: Hashable, Sendable {
    /// The name.
    public var name: String?
    /// The picture.
    public var avatarURL: String?

    /// Puts it together.
    public init(name: String? = nil, avatarURL: String? = nil) {
        self.name = name
        self.avatarURL = avatarURL
    }
}

/// Which messages a receipt is about.
public enum ReceiptScope: Hashable, Sendable {
    /// These messages.
    case messages([MessageReference])
    /// Every message of this account up to this server time, that time included.
    case upTo(Timestamp)
}

/// Messages of this account reached a member's device.
public struct MessageDelivered: Hashable, Sendable {
    /// Which messages.
    public var scope: ReceiptScope
    /// To whom; nil where the server does not tell.
    public var member: UserID?
    /// When, by the server's clock.
    public var time: Timestamp

    /// Puts the event together.
    public init(_ scope: ReceiptScope, to member: UserID? = nil, at time: Timestamp) {
        self.scope = scope
        self.member = member
        self.time = time
    }
}

/// A member read messages of this account.
public struct MessageReadByPeer: Hashable, Sendable {
    /// Which messages.
    public var scope: ReceiptScope
    /// Who read; nil where the server does not tell.
    public var reader: UserID?
    /// When, by the server's clock.
    public var time: Timestamp
    /// How many members have read the messages, where the server tells numbers instead of names.
    public var counts: ReadCounts?

    /// Puts the event together.
    public init(_ scope: ReceiptScope, by reader: UserID? = nil, at time: Timestamp, counts: ReadCounts? = nil) {
        self.scope = scope
        self.reader = reader
        self.time = time
        self.counts = counts
    }
}

/// How many members have read a message and how many have not, as a server counts them.
public struct ReadCounts: Hashable, Sendable {
    /// Members who have read it.
    public var read: UInt32
    /// Members who have not.
    public var unread: UInt32

    /// Puts the counts together.
    public init(read: UInt32, unread: UInt32) {
        self.read = read
        self.unread = unread
    }
}

/// A message's content was replaced by its sender. The latest modification by `time` is shown.
///
/// Recorded with ``Origin/local`` it is shown at once and waits among the views' pending changes for the server to be
/// told. Where its message is not yet acknowledged, the change is not ready; the host sends it when it is. It waits
/// until a modification of the message comes with another origin: the server's echo, or this one recorded again as
/// ``Origin/live`` when the server accepts it. Each of those confirms the oldest that waits, so give them event ids
/// where they can come twice.
public struct MessageModified: Hashable, Sendable {
    /// Which message.
    public var message: MessageReference
    /// The new content.
    public var content: MessageContent
    /// When, by the server's clock.
    public var time: Timestamp

    /// Puts the event together.
    public init(_ message: MessageReference, content: MessageContent, at time: Timestamp) {
        self.message = message
        self.content = content
        self.time = time
    }
}

/// A message was taken back for everybody; it stays in the timeline as recalled and does not count.
///
/// Recorded with ``Origin/local`` it waits for the server as a ``MessageModified`` does. One of another origin ends
/// every change that waits for its message.
public struct MessageRecalled: Hashable, Sendable {
    /// Which message.
    public var message: MessageReference
    /// Who took it back; nil for its sender.
    public var actor: UserID?
    /// The reason, if one was given.
    public var reason: String?

    /// Puts the event together.
    public init(_ message: MessageReference, by actor: UserID? = nil, reason: String? = nil) {
        self.message = message
        self.actor = actor
        self.reason = reason
    }
}

/// Messages were deleted for this account; copies fetched later stay deleted (d21).
public struct MessagesDeleted: Hashable, Sendable {
    /// Which messages.
    public var messages: [MessageReference]
    /// Whether the server is to forget them as well; intent for the transport.
    public var isRemote: Bool

    /// Puts the event together.
    public init(_ messages: [MessageReference], isRemote: Bool = false) {
        self.messages = messages
        self.isRemote = isRemote
    }
}

/// A conversation's messages were cleared for this account; the conversation stays in the list.
public struct HistoryCleared: Hashable, Sendable {
    /// The last message cleared; nil means all that is known at this position.
    public var upTo: MessageOrder?
    /// Whether the server is to forget them as well; intent for the transport.
    public var isRemote: Bool

    /// Puts the event together.
    public init(upTo: MessageOrder? = nil, isRemote: Bool = false) {
        self.upTo = upTo
        self.isRemote = isRemote
    }
}

/// A page of the server's history was loaded without holes between its ends.
public struct HistoryPageLoaded: Hashable, Sendable {
    /// The newest end of what is now known without holes.
    public var newest: MessageOrder
    /// The oldest end of what is now known without holes.
    public var oldest: MessageOrder
    /// Whether nothing older exists on the server.
    public var reachesBeginning: Bool
    /// Whether nothing newer existed on the server when the page was loaded.
    public var reachesEnd: Bool

    /// Puts the event together.
    public init(newest: MessageOrder, oldest: MessageOrder, reachesBeginning: Bool = false, reachesEnd: Bool = false) {
        self.newest = newest
        self.oldest = oldest
        self.reachesBeginning = reachesBeginning
        self.reachesEnd = reachesEnd
    }
}
