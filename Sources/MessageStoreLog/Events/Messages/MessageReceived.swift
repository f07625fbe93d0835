/// A message arrived: live, after being offline, from history, or from another device of this account.
public struct MessageReceived: ConversationPayload {
    /// The server's id of the message.
    public var serverID: ServerMessageID
    /// Who sent it; this account itself if it came from another of its devices.
    public var sender: UserID
    /// The server's time, which decides its place. ``Timestamp/unknown`` sorts first.
    public var sentTime: Timestamp
    /// The content.
    public var content: MessageContent
    /// The token that the sender's device gave it.
    public var clientToken: ClientToken?
    /// Whether it counts as unread and may be the last message.
    public var policy: MessagePolicy
    /// Mentions, the message it replies to, who may see it, and when it disappears.
    public var context: MessageContext
    /// Whether the sender requested a receipt.
    public var needsReceipt: Bool
    /// The sender's name and picture at that time, if they came with the message.
    public var senderProfile: SenderProfile?
    /// The flags that this account set on it before it came, if the service reports them with it; nil if not.
    ///
    /// It has the effect of a ``MessageStatusFlagsSet`` right after the message, except that a message which arrives as
    /// read never counts as unread. Bits that do not fit the message's type are ignored.
    public var flags: MessageFlags?

    /// Creates the event.
    public init(
        serverID: ServerMessageID,
        sender: UserID,
        sentTime: Timestamp,
        content: MessageContent,
        clientToken: ClientToken? = nil,
        policy: MessagePolicy = .standard,
        context: MessageContext = .none,
        needsReceipt: Bool = false,
        senderProfile: SenderProfile? = nil,
        flags: MessageFlags? = nil
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
        self.flags = flags
    }
}

extension MessageReceived {
    /// Whether its list of those who may see it leaves an account out; where the key says that two people talk, the
    /// list does not count.
    package func isDirected(past account: UserID, in kind: ConversationKind) -> Bool {
        guard let users = context.visibleTo, kind != .single, sender != account else { return false }
        return !users.contains(account)
    }
}

extension MessageReceived: BuiltInPayload {
    package static let declared = EventDeclaration(
        .messageReceived, "MessageReceived", scope: .conversation, traits: [.changesTimeline, .readByPosition])

    package enum Fields {
        package static let serverID = SlotField(ServerIDSlot(), "serverID")
        package static let sender = SlotField(ActorSlot(), "sender")
        package static let sentTime = SlotField(ServerTimeSlot(), "sentTime")
        package static let clientToken = SlotField(ClientTokenSlot(), "clientToken")
        package static let needsReceipt = SlotField(FlagSlot(flag: .needsReceipt), "needsReceipt")
        /// The field of ``MessageReceived/flags``; 3 to 7 are the context's.
        package static let flags = Field<MessageFlags?>(8, "flags")
    }

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(
            serverID: try fields.decode(Fields.serverID),
            sender: try fields.decode(Fields.sender),
            sentTime: try fields.decode(Fields.sentTime),
            content: try MessageContent(from: &fields),
            clientToken: try fields.decode(Fields.clientToken),
            policy: try MessagePolicy(from: &fields),
            context: try MessageContext(from: &fields),
            needsReceipt: try fields.decode(Fields.needsReceipt),
            senderProfile: try SenderProfile(from: &fields).unlessEmpty,
            flags: try fields.decode(Fields.flags))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        if try fields.take(self) { return }
        try fields.encode(serverID, for: Fields.serverID)
        try fields.encode(sender, for: Fields.sender)
        try fields.encode(sentTime, for: Fields.sentTime)
        try content.encode(to: &fields)
        try fields.encode(clientToken, for: Fields.clientToken)
        try policy.encode(to: &fields)
        try context.encode(to: &fields)
        try fields.encode(needsReceipt, for: Fields.needsReceipt)
        try senderProfile?.encode(to: &fields)
        try fields.encode(flags, for: Fields.flags)
        fields.complete { envelope in
            envelope.set(.isOutgoing, sender == envelope.account)
            // Mostly so; each of the others copies the account.
            guard !context.isPlain else { return }
            envelope.set(.mentionsAccount, context.mentions(envelope.account))
            envelope.set(.hasTimer, context.timer != nil)
            if let kind = envelope.conversationKind {
                envelope.set(.isDirectedAtOthers, isDirected(past: envelope.account, in: kind))
            }
        }
    }

    /// As its policy says.
    public var isStored: Bool { policy.isStored }
}

extension EventType {
    /// The type of ``MessageReceived``.
    @inlinable public static var messageReceived: EventType { EventType(rawValue: 0x05) }
}
