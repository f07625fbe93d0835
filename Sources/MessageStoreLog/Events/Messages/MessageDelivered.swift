/// Messages of this account reached a member's device.
public struct MessageDelivered: ConversationPayload {
    /// The messages.
    public var scope: ReceiptScope
    /// The member; nil if the server does not report it.
    public var member: UserID?
    /// When, by the server's clock.
    public var time: Timestamp

    /// Creates the event.
    public init(_ scope: ReceiptScope, to member: UserID? = nil, at time: Timestamp) {
        self.scope = scope
        self.member = member
        self.time = time
    }
}

extension MessageDelivered: BuiltInPayload {
    package static let declared = EventDeclaration(
        .messageDelivered, "MessageDelivered", scope: .conversation, traits: [.changesTimeline, .needsMessage])

    package enum Fields {
        package static let member = SlotField(OptionalActorSlot(), "member")
        package static let time = SlotField(ServerTimeSlot(), "time")
    }

    @specialized(where Source == RecordFieldReader)
    package init<Source: FieldDecoder>(reading fields: inout Source) throws {
        self.init(
            try ReceiptScope(from: &fields),
            to: try fields.decode(Fields.member),
            at: try fields.decode(Fields.time))
    }

    @specialized(where Target == RecordFieldWriter)
    package func write<Target: FieldEncoder>(to fields: inout Target) throws {
        try scope.encode(to: &fields)
        try fields.encode(member, for: Fields.member)
        try fields.encode(time, for: Fields.time)
    }

    /// Refuses an empty list of messages.
    package func check() throws {
        guard !scope.isEmpty else { throw invalid("names no message") }
    }
}

extension EventType {
    /// The type of ``MessageDelivered``.
    @inlinable public static var messageDelivered: EventType { EventType(rawValue: 0x06) }
}
