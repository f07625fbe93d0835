/// This account wants to send a message. It is recorded before the transport sends it.
public struct MessageSendQueued: ConversationPayload {
    /// The content.
    public var content: MessageContent
    /// The token by which the server and other devices recognise the message.
    public var clientToken: ClientToken?
    /// Mentions, the message it replies to, who may see it, and when it disappears.
    public var context: MessageContext
    /// Whether a delivery or read receipt is requested.
    public var needsReceipt: Bool
    /// Whether it may be the last message of its conversation; own messages never count as unread. A message that is
    /// not stored is refused; the transport can send it without the store.
    public var policy: MessagePolicy
    /// When it is sent, compared with the others that wait.
    public var order: SendOrder

    /// Creates the event.
    public init(
        content: MessageContent,
        clientToken: ClientToken? = nil,
        context: MessageContext = .none,
        needsReceipt: Bool = false,
        policy: MessagePolicy = .standard,
        order: SendOrder = .standard
    ) {
        self.content = content
        self.clientToken = clientToken
        self.context = context
        self.needsReceipt = needsReceipt
        self.policy = policy
        self.order = order
    }
}

extension MessageSendQueued: BuiltInPayload {
    package static let declared = EventDeclaration(
        .messageSendQueued, "MessageSendQueued", scope: .conversation, traits: [.changesTimeline, .readByPosition])

    package enum Fields {
        package static let clientToken = SlotField(ClientTokenSlot(), "clientToken")
        package static let needsReceipt = SlotField(FlagSlot(flag: .needsReceipt), "needsReceipt")
    }

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(
            content: try MessageContent(from: &fields),
            clientToken: try fields.decode(Fields.clientToken),
            context: try MessageContext(from: &fields),
            needsReceipt: try fields.decode(Fields.needsReceipt),
            policy: try MessagePolicy(from: &fields),
            order: fields.isWithoutFields ? .standard : try SendOrder(from: &fields))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try content.encode(to: &fields)
        try fields.encode(clientToken, for: Fields.clientToken)
        try context.encode(to: &fields)
        try fields.encode(needsReceipt, for: Fields.needsReceipt)
        try policy.encode(to: &fields)
        if !Target.skipsAbsent || order != .standard { try order.encode(to: &fields) }
        fields.complete { envelope in
            envelope.actor = envelope.account
            envelope.set(.isOutgoing, true)
            envelope.set(.mentionsAccount, context.mentions(envelope.account))
            envelope.set(.hasTimer, context.timer != nil)
        }
    }

    /// Refuses messages that are not stored.
    package func check() throws {
        guard policy.isStored else { throw invalid("is not stored: hand it to the transport alone") }
    }
}

extension EventType {
    /// The type of ``MessageSendQueued``.
    @inlinable public static var messageSendQueued: EventType { EventType(rawValue: 0x01) }
}
