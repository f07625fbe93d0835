@_spi(Storage) public import MessageStoreLog

/// A message as it is shown: its own event, with all later events about it applied.
///
/// ```swift
/// let page = try await store.read { try $0.timeline(of: .group("friends"), limit: 20) }
/// for message in page.elements { print(message.sender, message.text ?? "", message.status) }
/// ```
public struct Message: Sendable, Hashable, Identifiable {
    /// The id in this store, known from the moment of recording.
    public let id: LocalMessageID
    /// The server's id; nil while a sent message is not acknowledged.
    public let serverID: ServerMessageID?
    /// The token that the sender's device gave it.
    public let clientToken: ClientToken?
    /// Its conversation.
    public let conversation: ConversationKey
    /// Who sent it.
    public let sender: UserID
    /// The sender's name and picture that came with the message, if any; nil if it was redacted.
    public let senderProfile: SenderProfile?
    /// Whether this account sent it.
    public let isOutgoing: Bool
    /// The server's time, or the time of the queueing, by this device's clock, while the server's is not known.
    public let time: Timestamp
    /// Whether ``time`` is only this device's: of a message that is not acknowledged, or whose acknowledgement had no
    /// time.
    public let isTimeProvisional: Bool
    /// When this device recorded it.
    public let recordedTime: Timestamp
    /// How far it was sent and read; `received` for messages of others.
    public let status: MessageStatus
    /// The transport's error while the status is `failed`.
    public let failureCode: Int32?
    /// When it first reached a member's device, if the server reports receipts by message.
    public let deliveredTime: Timestamp?
    /// When a member first read it, if the server reports receipts by message.
    public let readTime: Timestamp?
    /// The current content; empty but for its type if it was recalled or redacted.
    public let content: MessageContent
    /// Mentions, the message it replies to, and who may see it.
    public let context: MessageContext
    /// Flags for what this account did with it, on any device.
    public let flags: MessageFlags
    /// Whether this account has read it: it carries the flag `read`, or its place is at or below the read marker.
    ///
    /// nil for this account's own messages, and while the unread counters, which hold the read marker, are being
    /// rebuilt. `Views.readMarker(of:)` returns the read marker itself.
    public let isRead: Bool?
    /// When it disappears; nil if it does not, or its timer does not run yet: it waits for being sent or read.
    public let expires: Timestamp?
    /// The places of its files, as far as known, by ascending index.
    public let attachments: [MessageAttachment]
    /// The place of its file, if known; of several the one with the lowest index.
    public var attachment: MessageAttachment? { attachments.first }
    /// Whether only this device has it: a message that is never sent.
    public let isLocal: Bool
    /// Whether its sender replaced the content.
    public let isModified: Bool
    /// Whether a filter replaced the received content.
    public let isReplaced: Bool
    /// Whether it was recalled.
    public let isRecalled: Bool
    /// Whether its content was removed permanently.
    public let isRedacted: Bool
    /// Whether it counts as unread while above the read marker.
    public let countsUnread: Bool
    /// Whether the sender requested a receipt.
    public let needsReceipt: Bool

    /// Creates a message, for previews and tests.
    public init(
        id: LocalMessageID, serverID: ServerMessageID? = nil, clientToken: ClientToken? = nil,
        conversation: ConversationKey, sender: UserID, senderProfile: SenderProfile? = nil, isOutgoing: Bool = false,
        time: Timestamp, isTimeProvisional: Bool = false, recordedTime: Timestamp? = nil,
        status: MessageStatus = .received, failureCode: Int32? = nil, deliveredTime: Timestamp? = nil,
        readTime: Timestamp? = nil, content: MessageContent, context: MessageContext = .none, flags: MessageFlags = [],
        isRead: Bool? = nil, expires: Timestamp? = nil, attachments: [MessageAttachment] = [], isLocal: Bool = false,
        isModified: Bool = false,
        isReplaced: Bool = false,
        isRecalled: Bool = false, isRedacted: Bool = false, countsUnread: Bool = true, needsReceipt: Bool = false
    ) {
        self.id = id
        self.serverID = serverID
        self.clientToken = clientToken
        self.conversation = conversation
        self.sender = sender
        self.senderProfile = senderProfile
        self.isOutgoing = isOutgoing
        self.time = time
        self.isTimeProvisional = isTimeProvisional
        self.recordedTime = recordedTime ?? time
        self.status = status
        self.failureCode = failureCode
        self.deliveredTime = deliveredTime
        self.readTime = readTime
        self.content = content
        self.context = context
        self.flags = flags
        self.isRead = isRead
        self.expires = expires
        self.attachments = attachments
        self.isLocal = isLocal
        self.isModified = isModified
        self.isReplaced = isReplaced
        self.isRecalled = isRecalled
        self.isRedacted = isRedacted
        self.countsUnread = countsUnread
        self.needsReceipt = needsReceipt
    }
}

/// A file of a message: its place and the progress of its transfer.
public struct MessageAttachment: Sendable, Hashable {
    /// The host's number of the file among the message's files.
    public let index: UInt8
    /// How far the transfer has come.
    public let state: AttachmentState
    /// The file's path on this device.
    public let localPath: String?
    /// The file's URL on the server.
    public let remoteURL: String?

    /// Creates an attachment, for previews and tests.
    public init(index: UInt8 = 0, state: AttachmentState, localPath: String? = nil, remoteURL: String? = nil) {
        self.index = index
        self.state = state
        self.localPath = localPath
        self.remoteURL = remoteURL
    }
}

/// A page of a conversation's timeline, oldest message first.
public struct TimelinePage: Sendable, Hashable {
    /// The messages, oldest first.
    public let elements: [Message]
    /// The index of the anchor around which the page was requested; nil if it is not among the messages.
    public let index: Int?
    /// Whether the store has further messages beyond the page's older end.
    public let hasOlder: Bool
    /// Whether the store has further messages beyond the page's newer end.
    public let hasNewer: Bool
    /// Whether no message is missing within the page: it lies in one stretch that was loaded from history, or received
    /// in one session or in sessions that a sync joined. Messages that another process handed over, or that arrived
    /// after a session's end, belong to it once a sync that began later has completed.
    public let isContiguous: Bool
    /// Whether messages may be missing between the page's older end and what the store has before it; true also where
    /// the store has nothing before it and the server may.
    public let hasGapBefore: Bool
    /// Whether messages may be missing between the page's newer end and the later ones that the store has or will
    /// receive.
    public let hasGapAfter: Bool
    /// Whether nothing older exists on the server.
    public let reachesBeginning: Bool

    /// Creates a page, for previews and tests.
    public init(
        _ elements: [Message], index: Int? = nil, hasOlder: Bool = false, hasNewer: Bool = false,
        isContiguous: Bool = true, hasGapBefore: Bool = false, hasGapAfter: Bool = false,
        reachesBeginning: Bool = false
    ) {
        self.elements = elements
        self.index = index
        self.hasOlder = hasOlder
        self.hasNewer = hasNewer
        self.isContiguous = isContiguous
        self.hasGapBefore = hasGapBefore
        self.hasGapAfter = hasGapAfter
        self.reachesBeginning = reachesBeginning
    }

    /// The page of a conversation of which nothing is known.
    static let unknown = TimelinePage([], isContiguous: false, hasGapBefore: true, hasGapAfter: true)
}

/// The part of a timeline that a page shows. Anchors are exclusive, except around one.
public enum TimelinePart: Sendable, Hashable {
    /// The newest messages.
    case latest
    /// Messages just older than an anchor.
    case before(TimelineAnchor)
    /// Messages just newer than an anchor.
    case after(TimelineAnchor)
    /// The anchor, if it is a message, in the middle of its neighbours.
    case around(TimelineAnchor)
}

/// A place in a timeline.
public enum TimelineAnchor: Sendable, Hashable {
    /// The place of a message.
    case message(MessageReference)
    /// A server time and id, whether such a message exists or not.
    case order(MessageOrder)
}

extension Message {
    /// The text, if the message has one and was neither recalled nor redacted.
    public var text: String? { content.text }

    /// Its place in the conversation's order, for read markers and anchors; nil until the server's time of the message
    /// is known.
    ///
    /// A message that only this device has sorts after the server's messages of its time.
    public var order: MessageOrder? {
        guard isLocal || serverID != nil && !isTimeProvisional else { return nil }
        return MessageOrder(time: isTimeProvisional ? .unknown : time, id: serverID)
    }
}

extension MessageOrder {
    /// The place of a key; nil for none, and for places of unsent messages.
    init?(_ key: OrderKey) {
        guard key.isComplete, key.time != OrderKey.unsentTime else { return nil }
        self.init(
            time: Timestamp(milliseconds: Int64(key.time)),
            id: key.serverID.map { ServerMessageID(String(decoding: $0, as: UTF8.self)) })
    }
}

extension Message {
    /// No log has so many events: the ids of messages that are not recorded begin here.
    private static let firstUnrecorded: UInt64 = 1 << 63

    /// Whether the store has the message; a message that `MessageStore.remoteHistory(of:_:limit:)` passes on may be a
    /// server's alone.
    public var isRecorded: Bool { id.rawValue < Self.firstUnrecorded }

    /// A message that a server has and the store does not.
    fileprivate init(
        _ message: MessageReceived, in conversation: ConversationKey, of account: UserID,
        _ reported: MessageSnapshotReceived?, isReplaced: Bool
    ) {
        let edit = isReplaced ? nil : reported?.content
        let content = edit ?? message.content
        let isRecalled = reported?.isRecalled ?? false
        var context = message.context
        if let reported { context.takeMentions(of: reported) }
        let scope = XXH64.hash(conversation.id, seed: UInt64(conversation.kind.rawValue))
        let hash = XXH64.hash(message.serverID.rawValue, seed: XXH64.hash(conversation.channel ?? "", seed: scope))
        self.init(
            id: LocalMessageID(hash | Self.firstUnrecorded), serverID: message.serverID,
            clientToken: message.clientToken, conversation: conversation, sender: message.sender,
            senderProfile: message.senderProfile, isOutgoing: message.sender == account,
            time: reported?.sentTime ?? message.sentTime, status: message.sender == account ? .sent : .received,
            content: isRecalled ? MessageContent(type: content.type) : content, context: context,
            flags: (message.flags ?? []).union(reported?.flags ?? []), isModified: edit != nil, isReplaced: isReplaced,
            isRecalled: isRecalled, countsUnread: message.policy.countsUnread,
            needsReceipt: message.needsReceipt)
    }
}

extension Views {
    /// A message as the store shows it, else as the server does; nil if the store has it and does not show it.
    ///
    /// - Parameters:
    ///   - reported: The server's snapshot of the message, which came with it.
    ///   - isReplaced: Whether a filter replaced its content.
    package borrowing func message(
        _ message: MessageReceived, in conversation: ConversationKey, of account: UserID,
        _ reported: MessageSnapshotReceived?, isReplaced: Bool
    ) throws -> Message? {
        let reference = MessageReference.server(message.serverID)
        if let number = try snapshot.symbols.number(of: conversation),
            let local = try snapshot.local(of: reference, in: number), local.rawValue <= position.rawValue
        {
            if let shown = try self.message(reference, in: conversation) { return shown }
            // A chat room that was left shows it once it is recorded.
            guard try snapshot.isForgotten(local, in: number), try !isRemoved(local) else { return nil }
        }
        return Message(message, in: conversation, of: account, reported, isReplaced: isReplaced)
    }

    /// Whether a message was deleted or hidden, or repeats another.
    private borrowing func isRemoved(_ local: LocalMessageID) throws -> Bool {
        guard let state = try snapshot.row(Messages.states, local) else { return false }
        return !state.flags.isDisjoint(with: [.isDeleted, .isSuppressed]) || state.verdict == .hide
    }
}

extension RecordView {
    /// The place that a field and the one of the next number hold. Without a server id it comes after every message of
    /// its time, or before them where it is a lower end.
    func order<Value: FieldValue>(_ field: Field<Value>, isLowerEnd: Bool = false) -> OrderKey? {
        guard let time = fields.first(field.number)?.number else { return nil }
        let serverID = fields.first(field.number + 1)?.bytes
        let timestamp = Timestamp(milliseconds: Int64(bitPattern: time))
        return OrderKey { writer in
            if let serverID {
                OrderKey.append(time: timestamp, id: serverID, to: &writer)
            } else {
                OrderKey.append(time: timestamp, id: RawSpan(), to: &writer)
                if !isLowerEnd { writer.append(OrderKey.afterAllIDs) }
            }
        }
    }
}
